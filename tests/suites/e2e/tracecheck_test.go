package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/telemetry/collector"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// rooted returns the client's trace as soon as every span has its parent, because a span is sent before its parent.
// Spans from before the kill of the worker may have no parent: the worker may not have sent it.
func rooted(t *testing.T, to *collector.Collector, killed time.Time) (tr traceOf) {
	t.Helper()
	var lost []string
	complete := func() bool {
		tr, lost = traceOf{to.Trace(clientTrace)}, nil
		for _, s := range tr.spans {
			known := s.Parent == clientSpan || slices.ContainsFunc(tr.spans,
				func(p collector.Span) bool { return p.ID == s.Parent })
			if !known && s.Start.After(killed) {
				lost = append(lost, s.Name)
			}
		}
		return len(lost) == 0
	}
	require.Eventually(t, complete, time.Minute, 100*time.Millisecond)
	require.Empty(t, lost, "these have lost their parents")
	return tr
}

// traceOf is a complete trace.
type traceOf struct{ spans []collector.Span }

func (tr traceOf) named(name string) (out []collector.Span) {
	for _, s := range tr.spans {
		if s.Name == name {
			out = append(out, s)
		}
	}
	return out
}

func (tr traceOf) one(t *testing.T, name string) collector.Span {
	t.Helper()
	found := tr.named(name)
	require.Len(t, found, 1, name)
	return found[0]
}

// requireSteps checks that each attempt of each step, and of its part on each node, is a span with the right parent.
func (tr traceOf) requireSteps(t *testing.T, steps []testbed.Step, told []string, killed time.Time) {
	t.Helper()
	request := tr.one(t, "POST /vnflcm/v1/vnf_instances/:vnfInstanceId/instantiate")
	require.Equal(t, clientSpan, request.Parent)
	require.Equal(t, "windlass-apiserver", request.Service)
	whole := tr.one(t, "INSTANTIATE")
	require.Equal(t, request.ID, whole.Parent)
	require.Equal(t, "COMPLETED", whole.Attributes["windlass.state"])
	require.Equal(t, []string{clientTrace}, told)
	require.Greater(t, len(steps), 20)
	attempts := map[string][]collector.Span{}
	for _, s := range steps {
		if s.Node != "" {
			continue
		}
		attempts[s.Title] = tr.named(s.Title)
		if unsent(s, killed) && len(attempts[s.Title]) == 0 {
			continue
		}
		require.Len(t, attempts[s.Title], s.Attempt, s.Title)
		for i, span := range attempts[s.Title] {
			require.Equal(t, whole.ID, span.Parent, s.Title)
			require.Equal(t, i < s.Attempt-1, span.Failed, "%s, attempt %d", s.Title, i+1)
		}
	}
	require.Len(t, attempts[joinStep], 2, "what is tried again is in the same trace")
	for _, s := range steps {
		if s.Node == "" {
			continue
		}
		spans := tr.named(s.Node + ": " + s.Title)
		if len(attempts[s.Title]) == 0 || unsent(s, killed) && len(spans) == 0 {
			continue // if the span of the step is lost, the spans of its nodes may be lost, too
		}
		require.NotEmpty(t, spans, "%s on %s", s.Title, s.Node)
		// The kill of a worker ends an attempt without a span, because a span is sent at the end.
		if first := attempts[s.Title][0]; first.Start.After(killed) || first.End.Before(killed) {
			require.Len(t, spans, s.Attempt, "%s on %s", s.Title, s.Node)
		}
		for _, span := range spans {
			require.True(t, slices.ContainsFunc(attempts[s.Title],
				func(whole collector.Span) bool { return whole.ID == span.Parent }), "%s on %s", s.Title, s.Node)
			require.Equal(t, s.Node, span.Attributes["windlass.node"])
		}
	}
}

// unsent says whether a step, or its part on a node, ended so shortly before the kill of its worker that the worker may
// not have sent the span. Spans are sent in batches. One step of this operation runs in parallel to others, so it can
// end at any time.
func unsent(s testbed.Step, killed time.Time) bool {
	const batch = 5 * time.Second // the delay of a telemetry batch, and the time that a busy machine needs to send it
	return s.Attempt == 1 && s.EndedAt.After(killed.Add(-batch)) && s.EndedAt.Before(killed.Add(time.Second))
}

// requireCalls checks that calls to other systems are below the activities that made them.
func (tr traceOf) requireCalls(t *testing.T) {
	t.Helper()
	byID := map[string]collector.Span{}
	for _, s := range tr.spans {
		byID[s.ID] = s
	}
	for _, call := range []struct{ name, below string }{
		{"heat POST stacks", "CreateStack"},
		{"SSH run", "JoinControlPlane"},
		{"SSH connect", "PrepareNode"},
		{"SQL update vnf_lcm_op_occ", "RecordState"},
		{"SQL insert vnf_lcm_op_occ", ""},
		{"SQL select vnf_instance", "CreateStack"},
	} {
		require.True(t, slices.ContainsFunc(tr.named(call.name), func(s collector.Span) bool {
			return call.below == "" || byID[s.Parent].Attributes["windlass.activity"] == call.below
		}), "no %q below %q", call.name, call.below)
	}
	require.NotEmpty(t, tr.named("Temporal start Instantiate"))
	require.Equal(t, "Notify VnfLcmOperationOccurrenceNotification", byID[tr.first(t, "POST subscriber").Parent].Name)
}

// first returns one of several spans with that name.
func (tr traceOf) first(t *testing.T, name string) collector.Span {
	t.Helper()
	found := tr.named(name)
	require.NotEmpty(t, found, name)
	return found[0]
}
