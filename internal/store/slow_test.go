package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

const joinStep = "join-nodes"

// atStep begins an operation whose second step began that long ago.
func atStep(t *testing.T, s *store.Store, ago time.Duration) lcm.VnfLcmOpOcc {
	t.Helper()
	return atStepSince(t, s, time.Now().Add(-ago))
}

func atStepSince(t *testing.T, s *store.Store, began time.Time) lcm.VnfLcmOpOcc {
	t.Helper()
	op := begun(t, s)
	require.NoError(t, s.Exec(t.Context(), `update vnf_instance set vnfd_id = 'of-all'`))
	recorder(s, t, op.ID)(lcm.Processing)
	require.NoError(t, s.RecordPlan(t.Context(), op.ID, []lcm.Step{
		{Index: 0, ID: "look", Title: "Look"}, {Index: 1, ID: joinStep, Title: "Join the nodes"},
	}))
	require.NoError(t, s.RecordSteps(t.Context(), []lcm.Step{
		{OpOccID: op.ID, Index: 0, State: lcm.StepDone, Started: began.Add(-time.Second), Ended: began},
		{OpOccID: op.ID, Index: 1, State: lcm.StepRunning, Started: began},
		{OpOccID: op.ID, Index: 1, Node: "w-1", State: lcm.StepRunning, Started: began},
	}))
	return op
}

// doneIn has the second step of a new operation done after a time.
func doneIn(t *testing.T, s *store.Store, took time.Duration) lcm.OpOccID {
	t.Helper()
	ended := time.Now()
	op := atStepSince(t, s, ended.Add(-took))
	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{
		OpOccID: op.ID, Index: 1, State: lcm.StepDone, Started: ended.Add(-took), Ended: ended,
	}))
	return op.ID
}

func slowness(t *testing.T, s *store.Store, id lcm.OpOccID) *lcm.SlowStep {
	t.Helper()
	found, _, err := s.OperationSummaries(t.Context(), store.OperationFilter{Search: string(id)}, store.Rows{Limit: 9})
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0].Slow
}

func TestSlow_isWhatTakesMuchLongerThanUsual(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, took := range []time.Duration{30 * time.Second, 40 * time.Second, 10 * time.Minute} {
		doneIn(t, s, took)
	}
	quick, slow := atStep(t, s, 90*time.Second), atStep(t, s, 3*time.Minute)
	require.Nil(t, slowness(t, s, quick.ID))
	found := slowness(t, s, slow.ID)
	require.NotNil(t, found)
	require.InDelta(t, 40, *found.Usual, 1, "the median")
	require.WithinDuration(t, time.Now().Add(-3*time.Minute), found.Since, 30*time.Second)

	steps, err := s.Steps(t.Context(), quick.ID)
	require.NoError(t, err)
	require.InDelta(t, 40, steps[1].Usual.Seconds(), 1)
	require.Zero(t, steps[2].Usual, "that of a node is not known")

	load, err := s.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, load.Slow[lcm.OpInstantiate])
	instances, total, err := s.InstanceSummaries(t.Context(), store.InstanceFilter{Attention: true}, store.Rows{Limit: 9})
	require.NoError(t, err)
	require.Equal(t, 1, total)
	assert.Equal(t, slow.VnfInstanceID, instances[0].ID)
	assert.NotNil(t, instances[0].Last.Slow)

	require.NoError(t, s.RecordOperation(t.Context(), lcm.OperationRecord{
		OpOccID: slow.ID, Sequence: 2, State: lcm.FailedTemp,
	}))
	require.Nil(t, slowness(t, s, slow.ID), "it waits for a decision")
}

func TestSlow_withoutKnowledgeIsAnHour(t *testing.T) {
	t.Parallel()
	s := open(t)
	doneIn(t, s, time.Second) // two times tell nothing
	doneIn(t, s, time.Second)
	require.Nil(t, slowness(t, s, atStep(t, s, 50*time.Minute).ID))
	found := slowness(t, s, atStep(t, s, 70*time.Minute).ID)
	require.NotNil(t, found)
	require.Nil(t, found.Usual)
}

func TestSlow_isAnOperationThatNoWorkerContinues(t *testing.T) {
	t.Parallel()
	s := open(t)
	require.Nil(t, slowness(t, s, begun(t, s).ID), "it has just begun")
	op, err := s.Operation(t.Context(), doneIn(t, s, time.Second))
	require.NoError(t, err)
	require.Nil(t, slowness(t, s, op.ID))
	longAgo := time.Now().Add(-5 * time.Minute)
	require.NoError(t, s.Exec(t.Context(), `update vnf_lcm_op_occ set state_entered_time = $1 where id = $2`, longAgo, op.ID))
	require.NoError(t, s.Exec(t.Context(), `update op_step set started = $1, ended = $1 where op_occ_id = $2`, longAgo, op.ID))
	found := slowness(t, s, op.ID)
	require.NotNil(t, found)
	require.Zero(t, *found.Usual)
	require.WithinDuration(t, longAgo, found.Since, time.Second)
}

func TestSlow_prefersTheTimesOfTheSameVNFD(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 3 {
		doneIn(t, s, 10*time.Minute)
	}
	require.NoError(t, s.Exec(t.Context(), `update step_time set vnfd_id = 'of-another'`))
	usual := func() float64 {
		steps, err := s.Steps(t.Context(), atStep(t, s, 0).ID)
		require.NoError(t, err)
		return steps[1].Usual.Seconds()
	}
	require.InDelta(t, 600, usual(), 1, "nobody knows better")
	for range 3 {
		doneIn(t, s, time.Second)
	}
	require.InDelta(t, 1, usual(), 0.5)
}

func TestSlow_keepsTheLastTwentyTimes(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 21 {
		doneIn(t, s, 10*time.Minute)
	}
	for range 11 {
		doneIn(t, s, time.Second)
	}
	steps, err := s.Steps(t.Context(), atStep(t, s, 0).ID)
	require.NoError(t, err)
	require.InDelta(t, 1, steps[1].Usual.Seconds(), 0.5)
}
