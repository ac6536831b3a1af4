package store_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
	"github.com/windlass-nfv/windlass/internal/store"
)

func modify(i lcm.VnfInstance) lcm.VnfLcmOpOcc {
	return lcm.VnfLcmOpOcc{
		ID: lcm.OpOccID(uuid.NewString()), VnfInstanceID: i.ID, Operation: lcm.OpModifyInfo, APIVersion: 2,
	}
}

func TestModifyInfo_beginsInProcessingAndIsWrittenWhenItIsCompleted(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), in(t, lcm.DefaultProject)
	inst := newInstance(t, s)
	sub := lcm.Subscription{ID: "s", APIVersion: 2, CallbackURI: "http://127.0.0.1/", Verbosity: lcm.VerbosityFull}
	_, err := s.CreateSubscription(ctx, sub, 0, true)
	require.NoError(t, err)
	op := modify(inst)
	require.NoError(t, s.BeginOperation(ctx, op))
	got, err := s.Operation(ctx, op.ID)
	require.NoError(t, err)
	assert.Equal(t, lcm.Processing, got.State)
	requireKind(t, lcm.KindConflict, s.BeginOperation(ctx, instantiate(inst)))
	requireKind(t, lcm.KindConflict, s.DeleteInstance(ctx, inst.ID))
	unstarted, err := s.UnstartedOperations(ctx, 0)
	require.NoError(t, err)
	assert.Len(t, unstarted, 1, "the reconciler starts it when the API server has not")

	name := "new"
	inst.Version, inst.Name = 1, name
	rec := lcm.OperationRecord{OpOccID: op.ID, Sequence: 1, State: lcm.Processing}
	require.NoError(t, s.RecordOperation(ctx, rec))
	rec = lcm.OperationRecord{
		OpOccID: op.ID, Sequence: 2, State: lcm.Completed, Instance: &inst,
		ChangedInfo: &lcm.VnfInfoModifications{VnfInstanceName: &name},
	}
	for range 2 {
		require.NoError(t, s.RecordOperation(ctx, rec))
	}
	got, err = s.Operation(ctx, op.ID)
	require.NoError(t, err)
	assert.Equal(t, rec.ChangedInfo, got.ChangedInfo)
	now, err := s.Instance(ctx, inst.ID)
	require.NoError(t, err)
	assert.Equal(t, name, now.Name)
	assert.EqualValues(t, 2, now.Version)
	var told []lcm.VnfEvent
	for {
		d, err := s.NextDelivery(ctx, "s")
		if lcm.Is(err, lcm.KindNotFound) {
			break
		}
		require.NoError(t, err)
		told = append(told, d.Event)
		require.NoError(t, s.Delivered(ctx, d.ID))
	}
	require.Len(t, told, 2, "one START, one RESULT")
	assert.Equal(t, lcm.Processing, told[0].State)
	assert.Nil(t, told[0].ChangedInfo)
	assert.Equal(t, rec.ChangedInfo, told[1].ChangedInfo)
}

func TestModifyInfo_isRefusedWhenTheInstanceHasChangedSince(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	op := modify(inst)
	op.OfVersion = 2
	requireKind(t, lcm.KindConflict, s.BeginOperation(t.Context(), op))
	op.OfVersion = 1
	require.NoError(t, s.BeginOperation(t.Context(), op))
}

func TestModifyInfo_isNotCompletedWithAVimThatIsGone(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), in(t, lcm.DefaultProject)
	inst := newInstance(t, s)
	op := modify(inst)
	require.NoError(t, s.BeginOperation(ctx, op))
	inst.Version, inst.VimConnections = 1, []lcm.VimConnectionInfo{{ID: "a", VimID: "gone"}}
	err := s.RecordOperation(ctx, lcm.OperationRecord{
		OpOccID: op.ID, Sequence: 1, State: lcm.Completed, Instance: &inst,
		ChangedInfo: &lcm.VnfInfoModifications{VimConnections: inst.VimConnections},
	})
	requireKind(t, lcm.KindConflict, err)
	assert.ErrorContains(t, err, "was deleted meanwhile")
}

func TestModifyInfo_leavesWhatAFailedInstantiationHasLeft(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), in(t, lcm.DefaultProject)
	inst := newInstance(t, s)
	op := instantiate(inst)
	require.NoError(t, s.BeginOperation(ctx, op))
	record := recorder(s, t, op.ID)
	for _, state := range []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.Failed} {
		record(state)
	}
	op = modify(inst)
	require.NoError(t, s.BeginOperation(ctx, op))
	recorder(s, t, op.ID)(lcm.Completed)
	requireKind(t, lcm.KindConflict, s.DeleteInstance(ctx, inst.ID))
}

func TestPages_filterByTheVnfsOwnPairs(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), in(t, lcm.DefaultProject)
	inst := newInstance(t, s)
	inst.Version, inst.Extensions = 1, map[string]any{"site": "north"}
	inst.ConfigurableProperties = map[string]any{"isAutohealEnabled": true}
	require.NoError(t, s.UpdateInstance(ctx, inst))
	for text, n := range map[string]int{
		"(eq,extensions/site,north)": 1, "(eq,extensions/site,south)": 0,
		"(eq,vnfConfigurableProperties/isAutohealEnabled,true)": 1,
	} {
		f, err := query.Parse(text)
		require.NoError(t, err)
		list, err := s.InstancePage(ctx, store.Page{Filter: f})
		require.NoError(t, err)
		assert.Len(t, list, n, text)
	}
}
