package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestInstanceSummaries_tellTheLastOperationAndDrift(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	first, second := begun(t, s), begun(t, s)
	record := recorder(s, t, first.ID)
	record(lcm.Processing)
	record(lcm.FailedTemp)
	_, err := s.RecordDrift(ctx, second.VnfInstanceID, lcm.DriftReport{
		ID: "1", CheckedAt: time.Now(), Findings: []lcm.DriftFinding{{Kind: lcm.DriftServerMissing}},
	}, nil)
	require.NoError(t, err)
	_, err = s.RecordDrift(ctx, begun(t, s).VnfInstanceID, lcm.DriftReport{ID: "2", CheckedAt: time.Now()}, nil)
	require.NoError(t, err, "a check that has found nothing may have no list of findings")

	found, total, err := s.InstanceSummaries(ctx, store.InstanceFilter{}, store.Rows{Limit: 1, Offset: 1})
	require.NoError(t, err)
	require.Equal(t, 3, total)
	require.Len(t, found, 1)

	found, _, err = s.InstanceSummaries(ctx, store.InstanceFilter{Search: string(first.VnfInstanceID)[:18]},
		store.Rows{Limit: 9})
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, first.VnfInstanceID, found[0].ID)
	assert.Equal(t, first.ID, found[0].Last.ID)
	assert.Equal(t, lcm.FailedTemp, found[0].Last.State)
	assert.Nil(t, found[0].DriftCheckedAt)

	_, total, err = s.InstanceSummaries(ctx, store.InstanceFilter{Attention: true}, store.Rows{Limit: 9})
	require.NoError(t, err)
	assert.Equal(t, 2, total, "one waits for a decision, one has drift")
	for _, nobody := range []store.InstanceFilter{{Search: "%"}, {Search: `\`}, {State: lcm.Instantiated}} {
		_, total, err = s.InstanceSummaries(ctx, nobody, store.Rows{Limit: 9})
		require.NoError(t, err)
		assert.Zero(t, total, nobody)
	}
}

func TestInstanceSummaries_areSortedAndFiltered(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	var ids []lcm.VnfInstanceID
	for i, name := range []string{"b", "a", "c"} {
		inst, err := s.Instance(ctx, begun(t, s).VnfInstanceID)
		require.NoError(t, err)
		inst.Name = name
		if i == 0 {
			inst.InstantiationState, inst.Instantiated = lcm.Instantiated, &lcm.InstantiatedVnfInfo{}
			inst.VimConnections = []lcm.VimConnectionInfo{{ID: "x", VimID: "north"}}
			inst.Metadata = map[string]any{"site": "far north", "tier": 1}
		}
		require.NoError(t, s.UpdateInstance(ctx, inst))
		ids = append(ids, inst.ID)
	}
	_, err := s.RecordDrift(ctx, ids[2], lcm.DriftReport{
		ID: "1", CheckedAt: time.Now(), Findings: []lcm.DriftFinding{{Kind: lcm.DriftServerMissing}},
	}, nil)
	require.NoError(t, err)
	for want, f := range map[string]store.InstanceFilter{
		"abc": {}, "cba": {Sort: store.SortByName, Descending: true}, "bac": {Sort: store.SortByLastOperation},
		"cab": {Sort: store.SortByDrift, Descending: true}, "acb": {Sort: store.SortByState, Descending: true},
		"b": {Vim: "north"}, "": {Vim: "south"},
	} {
		found, total, err := s.InstanceSummaries(ctx, f, store.Rows{Limit: 9})
		require.NoError(t, err, want)
		require.Equal(t, len(want), total)
		got := ""
		for _, i := range found {
			got += i.Name
		}
		assert.Equal(t, want, got, "%+v", f)
	}
	for want, metadata := range map[int]map[string]string{
		1: {"site": "far north", "tier": "1"}, 0: {"site": "far north", "tier": "2"}, 3: nil,
	} {
		_, total, err := s.InstanceSummaries(ctx, store.InstanceFilter{Metadata: metadata}, store.Rows{Limit: 9})
		require.NoError(t, err)
		assert.Equal(t, want, total, metadata)
	}
	found, _, err := s.InstanceSummaries(ctx, store.InstanceFilter{Sort: store.SortByProduct}, store.Rows{Limit: 1, Offset: 2})
	require.NoError(t, err)
	assert.Equal(t, "c", found[0].Name, "pages follow the order")
	_, total, err := s.InstanceSummaries(ctx, store.InstanceFilter{Product: found[0].ProductName}, store.Rows{Limit: 9})
	require.NoError(t, err)
	assert.Equal(t, 3, total)
	_, total, err = s.InstanceSummaries(ctx, store.InstanceFilter{Product: "none"}, store.Rows{Limit: 9})
	require.NoError(t, err)
	assert.Zero(t, total)
}

func TestOperationSummaries_areTheNewestFirst(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	first, second := begun(t, s), begun(t, s)
	recorder(s, t, first.ID)(lcm.Processing)
	found, total, err := s.OperationSummaries(ctx, store.OperationFilter{}, store.Rows{Limit: 9})
	require.NoError(t, err)
	require.Equal(t, 2, total)
	assert.Equal(t, []lcm.OpOccID{second.ID, first.ID}, []lcm.OpOccID{found[0].ID, found[1].ID})
	for sort, want := range map[store.OperationSort][]lcm.OpOccID{
		store.SortByStart: {first.ID, second.ID}, store.SortByOpState: {first.ID, second.ID}, store.SortByOperation: {second.ID, first.ID},
	} {
		for _, descending := range []bool{false, true} {
			found, _, err := s.OperationSummaries(ctx, store.OperationFilter{Sort: sort, Descending: descending}, store.Rows{Limit: 9})
			require.NoError(t, err)
			got := []lcm.OpOccID{found[0].ID, found[1].ID}
			if descending && sort != store.SortByOperation { // these two are equal, so the newest stays the first
				slices.Reverse(got)
			}
			assert.Equal(t, want, got, sort)
		}
	}
	for i, o := range []lcm.VnfLcmOpOcc{first, second} {
		inst, err := s.Instance(ctx, o.VnfInstanceID)
		require.NoError(t, err)
		inst.Name = []string{"b", "a"}[i]
		require.NoError(t, s.UpdateInstance(ctx, inst))
	}
	found, _, err = s.OperationSummaries(ctx, store.OperationFilter{Sort: store.SortByInstance}, store.Rows{Limit: 1, Offset: 1})
	require.NoError(t, err)
	assert.Equal(t, first.ID, found[0].ID)
	for name, f := range map[string]store.OperationFilter{
		"instance": {Instance: first.VnfInstanceID}, "state": {State: lcm.Processing, Open: true},
		"search": {Search: string(first.ID)[:20]},
	} {
		found, total, err = s.OperationSummaries(ctx, f, store.Rows{Limit: 9})
		require.NoError(t, err, name)
		require.Equal(t, 1, total, name)
		assert.Equal(t, first.ID, found[0].ID, name)
	}
}

// TestSummaries_tellTheStepUnderWay begins one step after another, as a workflow does: its operation's own row is written
// only when the state changes. Steps that take no time have the time of the workflow's task in common.
func TestSummaries_tellTheStepUnderWay(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	op := begun(t, s)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	step := func(index int, phase lcm.Phase, title string, state lcm.StepState, node string) {
		require.NoError(t, s.RecordStep(ctx, lcm.Step{
			OpOccID: op.ID, Index: index, Phase: phase, Title: title, State: state, Node: node, Attempt: 1, Started: at,
		}))
	}
	says := func(want string) {
		t.Helper()
		ops, _, err := s.OperationSummaries(ctx, store.OperationFilter{}, store.Rows{Limit: 9})
		require.NoError(t, err)
		assert.Equal(t, want, ops[0].Step)
		instances, _, err := s.InstanceSummaries(ctx, store.InstanceFilter{}, store.Rows{Limit: 9})
		require.NoError(t, err)
		assert.Equal(t, want, instances[0].Last.Step)
	}
	require.NoError(t, s.RecordPlan(ctx, op.ID, []lcm.Step{{Index: 0, Title: "Ask for a grant"}, {Index: 1, Title: "Join"}}))
	says("")
	step(0, lcm.PhaseForward, "Ask for a grant", lcm.StepRunning, "")
	says("Ask for a grant")
	require.NoError(t, s.RecordOperation(ctx,
		lcm.OperationRecord{OpOccID: op.ID, Sequence: 1, State: lcm.Processing, Step: "Ask for a grant"}))
	step(0, lcm.PhaseForward, "Ask for a grant", lcm.StepDone, "")
	step(1, lcm.PhaseForward, "Join the new nodes", lcm.StepRunning, "")
	says("Join the new nodes")
	at = at.Add(time.Minute)
	step(1, lcm.PhaseForward, "Join the new nodes", lcm.StepRunning, "worker-1")
	for node, attempt := range map[string]int{"worker-1": 3, "worker-2": 2} {
		require.NoError(t, s.RecordStep(ctx, lcm.Step{
			OpOccID: op.ID, Index: 1, Node: node, State: lcm.StepFailed, Attempt: 2, Retry: &lcm.StepRetry{Attempt: attempt},
		}))
	}
	ops, _, err := s.OperationSummaries(ctx, store.OperationFilter{}, store.Rows{Limit: 9})
	require.NoError(t, err)
	assert.Equal(t, &lcm.StepRetry{Attempt: 3}, ops[0].Retry)
	step(1, lcm.PhaseForward, "Join the new nodes", lcm.StepFailed, "worker-1")
	step(1, lcm.PhaseForward, "Join the new nodes", lcm.StepFailed, "")
	says("Join the new nodes")
	step(1, lcm.PhaseCompensation, "Undo: Join the new nodes", lcm.StepDone, "")
	step(0, lcm.PhaseCompensation, "Undo: Ask for a grant", lcm.StepDone, "")
	says("Undo: Ask for a grant")
}

func TestSummariesAndEvents_areOfTheProjectOnly(t *testing.T) {
	t.Parallel()
	s := open(t)
	begun(t, s)
	stranger := lcm.WithScope(t.Context(), lcm.Scope{Project: "stranger"})
	_, total, err := s.InstanceSummaries(stranger, store.InstanceFilter{}, store.Rows{Limit: 9})
	require.NoError(t, err)
	require.Zero(t, total)
	_, total, err = s.OperationSummaries(stranger, store.OperationFilter{}, store.Rows{Limit: 9})
	require.NoError(t, err)
	require.Zero(t, total)
	events, next, _, err := s.AllEvents(stranger, 0)
	require.NoError(t, err)
	require.Empty(t, events)
	require.Positive(t, next, "it goes on behind those of others")
}

// TestAllEvents_areNeverMissedByAReaderWhoGoesOn checks that a reader of all operations that continues after the last
// number also gets an event with a lower number that was committed later.
func TestAllEvents_areNeverMissedByAReaderWhoGoesOn(t *testing.T) {
	t.Parallel()
	t.Run("from the database", func(t *testing.T) {
		t.Parallel()
		readersGoOn(t, open(t))
	})
	t.Run("from the reader that all share", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		defer s.FollowAllEvents()()
		readersGoOn(t, s)
	})
}

func readersGoOn(t *testing.T, s *store.Store) {
	t.Helper()
	const writers, each = 8, 20
	var ops []lcm.OpOccID
	for range writers {
		ops = append(ops, begun(t, s).ID)
	}
	var writing sync.WaitGroup
	for _, op := range ops {
		writing.Go(func() {
			for i := range each {
				assert.NoError(t, s.AppendOutput(t.Context(), lcm.StepRef{OpOccID: op}, 1, []string{fmt.Sprint(i)}))
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen, after := map[lcm.OpOccID][]string{}, int64(0)
	for count := 0; count < writers*(1+each); {
		require.NoError(t, s.WaitAllEvents(ctx, after))
		events, next, _, err := s.AllEvents(ctx, after)
		require.NoError(t, err)
		for _, e := range events {
			require.Greater(t, e.ID, after)
			require.NotEmpty(t, e.VnfInstanceID)
			var out lcm.OutputEvent
			require.NoError(t, json.Unmarshal(e.Data, &out))
			seen[e.OpOccID] = append(seen[e.OpOccID], out.LastLine)
			count++
		}
		after = next
	}
	writing.Wait()
	for _, op := range ops {
		require.Len(t, seen[op], 1+each)
		require.True(t, slices.IndexFunc(seen[op], func(l string) bool { return l == "19" }) == each)
	}
	last, err := s.LastEvent(t.Context())
	require.NoError(t, err)
	require.Zero(t, last, "all of them may still have one before them")
}
