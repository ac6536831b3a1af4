package apiserver

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// progressOf returns the path of an operation's progress below the extensions' root.
func progressOf(opOcc string) string {
	return "/windlass/v1/vnf_lcm_op_occs/" + opOcc[strings.LastIndexByte(opOcc, '/')+1:]
}

// began returns an operation whose second step runs on two nodes.
func (b *bench) began() (opOcc string) {
	b.Helper()
	instance, request := b.ready("/vnflcm/v1")
	a := b.do("POST", instance+"/instantiate", request)
	a.want(http.StatusAccepted)
	id, ctx := b.operation(a.path()).ID, b.Context()
	require.NoError(b, b.store.RecordPlan(ctx, id, []lcm.Step{
		{OpOccID: id, Index: 0, Phase: lcm.PhaseForward, Title: "Create the infrastructure", State: lcm.StepPending},
		{OpOccID: id, Index: 1, Phase: lcm.PhaseForward, Title: "Join the workers", State: lcm.StepPending},
	}))
	b.enter(a.path(), lcm.Processing)
	start := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, node := range []string{"worker-1", "worker-2"} {
		require.NoError(b, b.store.RecordStep(ctx, lcm.Step{
			OpOccID: id, Index: 1, Phase: lcm.PhaseForward, Title: "Join the workers", Node: node, State: lcm.StepRunning,
			Attempt: 1, Started: start,
		}))
		require.NoError(b, b.store.AppendOutput(ctx, lcm.StepRef{OpOccID: id, Step: 1, Node: node}, 1,
			[]string{"pulling images", "joined " + node}))
	}
	return a.path()
}

func TestStepsShowNodeStateAttemptAndLastLine(t *testing.T) {
	b := newBench(t)
	opOcc := b.began()
	steps := b.do("GET", progressOf(opOcc)+"/steps", nil).list()
	require.Equal(t, map[string]any{
		"index": 0.0, "title": "Create the infrastructure", "phase": "FORWARD", "state": "PENDING", "attempt": 0.0,
	}, steps[0])
	last := steps[len(steps)-1]
	require.Equal(t, map[string]any{
		"index": 1.0, "title": "Join the workers", "phase": "FORWARD", "node": "worker-2", "state": "RUNNING", "attempt": 1.0,
		"startedAt": "2030-01-02T03:04:05Z", "lastOutputLine": "joined worker-2",
	}, last)
	b.do("GET", "/windlass/v1/vnf_lcm_op_occs/nothing/steps", nil).problem(http.StatusNotFound)

	require.NoError(t, b.store.KeepDrain(t.Context(), b.operation(opOcc).ID, lcm.DrainDecision{
		Node: "worker-2", Step: 1, Phase: lcm.PhaseForward, Action: lcm.DrainForced, Detail: "Pods were deleted.",
		At: time.Date(2030, 1, 2, 3, 5, 0, 0, time.UTC),
	}))
	steps = b.do("GET", progressOf(opOcc)+"/steps", nil).list()
	require.Equal(t, []any{map[string]any{
		"action": "FORCED", "detail": "Pods were deleted.", "at": "2030-01-02T03:05:00Z",
	}}, steps[len(steps)-1]["decisions"])
	require.NotContains(t, steps[0], "decisions")
}

func TestOutputIsServedByStepAndNode(t *testing.T) {
	b := newBench(t)
	progress := progressOf(b.began())
	one := b.do("GET", progress+"/steps/1/output?node=worker-2", nil)
	one.want(http.StatusOK)
	require.Equal(t, "text/plain; charset=utf-8", one.Header.Get("Content-Type"))
	require.Equal(t, "pulling images\njoined worker-2\n", string(one.Body))
	require.Contains(t, string(b.do("GET", progress+"/steps/1/output", nil).Body), "worker-1: joined worker-1\n")
	numbered := string(b.do("GET", progress+"/steps/1/output?node=worker-2&numbered=true", nil).Body)
	require.Regexp(t, `^\d+\tpulling images\n\d+\tjoined worker-2\n$`, numbered)
	logs := string(b.do("GET", progress+"/logs", nil).Body)
	require.Contains(t, logs, "==> 1. Join the workers\n")
	require.Contains(t, logs, "worker-2: joined worker-2\n")
	require.NotContains(t, logs, "==> 0. ", "a step that has not begun")
	require.NotContains(t, string(b.do("GET", progress+"/logs?step=0", nil).Body), "joined")
	b.do("GET", progress+"/steps/9/output", nil).problem(http.StatusNotFound)
	b.do("GET", progress+"/steps/x/output", nil).problem(http.StatusNotFound)
	b.do("GET", progress+"/steps/1/output?node=worker-9", nil).problem(http.StatusNotFound)
}

func TestEventStreamReplaysFollowsAndEnds(t *testing.T) {
	b := newBench(t)
	opOcc := b.began()
	stream := b.listen(progressOf(opOcc)+"/events", "")
	var first sseEvent
	for e := range stream {
		first = e
		break
	}
	require.Equal(t, "operation", first.kind)
	require.Contains(t, first.data, `"state":"STARTING"`)
	// A client that reconnects continues after the last event that it has got.
	var resumed sseEvent
	for e := range b.listen(progressOf(opOcc)+"/events", first.id) {
		resumed = e
		break
	}
	require.NotEqual(t, first.id, resumed.id)

	b.enter(opOcc, lcm.FailedTemp,
		func(r *lcm.OperationRecord) { r.Error = lcm.Errorf(lcm.KindBroken, "kubeadm preflight failed") })
	b.enter(opOcc, lcm.Failed)
	var all []sseEvent
	for e := range stream {
		all = append(all, e)
	}
	require.Contains(t, all[len(all)-1].data, `"state":"FAILED"`, "the stream ends with the operation")
	var kinds []string
	for _, e := range all {
		kinds = append(kinds, e.kind)
		if strings.Contains(e.data, "FAILED_TEMP") {
			require.Contains(t, e.data, `"detail":"kubeadm preflight failed"`)
		}
	}
	require.Contains(t, kinds, "step")
	require.Contains(t, kinds, "output")

	over := b.do("GET", progressOf(opOcc)+"/events?after="+all[len(all)-1].id, nil)
	require.Equal(t, http.StatusNoContent, over.Status, "nothing more will come")
	replayed := b.do("GET", progressOf(opOcc)+"/events", nil)
	require.Equal(t, "text/event-stream", replayed.Header.Get("Content-Type"))
	require.Equal(t, len(all)+1, strings.Count(string(replayed.Body), "\ndata: "))
	b.do("GET", progressOf(opOcc)+"/events", nil, "Last-Event-ID: -1").problem(http.StatusBadRequest)
}

func TestSilentEventStreamShowsThatItLives(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Heartbeat = 20 * time.Millisecond })
	opOcc := b.began()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.http.URL+progressOf(opOcc)+"/events", nil)
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), ":") {
			return
		}
	}
	t.Fatal("no heartbeat came")
}

type sseEvent struct{ id, kind, data string }

// listen opens an event stream; the channel is closed when the stream ends.
func (b *bench) listen(path, after string) <-chan sseEvent {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.http.URL+path, nil)
	require.NoError(b, err)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, resp.StatusCode)
	events := make(chan sseEvent, 100)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		var e sseEvent
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.kind = value
			case "data":
				e.data = value
			case "":
				if e.id != "" {
					events <- e
				}
				e = sseEvent{}
			}
		}
	}()
	return events
}
