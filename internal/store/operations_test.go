package store_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestInstance_keepsEveryField(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := newPackage(t, s)
	want := lcm.VnfInstance{
		ID: lcm.VnfInstanceID(uuid.NewString()), ProjectID: lcm.DefaultProject, Name: "k8s", Description: "d",
		VnfdID: p.VnfdID, VnfPkgID: p.ID, Provider: "Company",
		ProductName: "Sample", SoftwareVersion: "1", VnfdVersion: "2", InstantiationState: lcm.NotInstantiated,
		Metadata:   map[string]any{"a": "b"},
		Extensions: map[string]any{"c": "d"}, ConfigurableProperties: map[string]any{"isAutohealEnabled": true},
		VimConnections: []lcm.VimConnectionInfo{{
			ID: "vim1", VimType: "openstack", AccessInfo: map[string]any{"username": "u"},
		}},
	}
	require.NoError(t, s.CreateInstance(in(t, lcm.DefaultProject), want))
	got, err := s.Instance(t.Context(), want.ID)
	require.NoError(t, err)
	want.Created, want.Updated, want.Version = got.Created, got.Updated, 1
	assert.Equal(t, want, got)

	want.InstantiationState = lcm.Instantiated
	want.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "complex", VnfState: "STARTED", DeploymentID: "stack", AdditionalParams: json.RawMessage(`{"a": 1}`),
		Nodes: lcm.Nodes{{Name: "cp-1", Role: lcm.ControlPlane, Address: "10.0.0.1"}},
	}
	require.NoError(t, s.UpdateInstance(t.Context(), want))
	all, err := s.InstancePage(t.Context(), store.Page{})
	require.NoError(t, err)
	require.Len(t, all, 1)
	want.Updated, want.Version = all[0].Updated, 2
	assert.Equal(t, want, all[0])

	want.Version = 1
	requireKind(t, lcm.KindConflict, s.UpdateInstance(t.Context(), want))
	requireKind(t, lcm.KindConflict, s.CreateInstance(in(t, lcm.DefaultProject), want))
	want.ID = "absent"
	requireKind(t, lcm.KindNotFound, s.UpdateInstance(t.Context(), want))
	want.VnfPkgID = "absent"
	requireKind(t, lcm.KindNotFound, s.CreateInstance(in(t, lcm.DefaultProject), want))
}

func TestDeleteInstance_refusesWhatIsInUse(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	op := instantiate(inst)
	require.NoError(t, s.CheckIdle(t.Context(), inst.ID))
	require.NoError(t, s.BeginOperation(t.Context(), op))
	err := s.DeleteInstance(t.Context(), inst.ID)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), string(op.ID))
	assert.Equal(t, err, s.CheckIdle(t.Context(), inst.ID), "the same words")

	recorder(s, t, op.ID)(lcm.RolledBack)
	require.NoError(t, s.CheckIdle(t.Context(), inst.ID))
	inst.Version, inst.InstantiationState = 1, lcm.Instantiated
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	requireKind(t, lcm.KindConflict, s.DeleteInstance(t.Context(), inst.ID))

	inst.Version, inst.InstantiationState = 2, lcm.NotInstantiated
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	require.NoError(t, s.DeleteInstance(t.Context(), inst.ID))
	requireKind(t, lcm.KindNotFound, s.DeleteInstance(t.Context(), inst.ID))
	_, err = s.Operation(t.Context(), op.ID)
	assert.NoError(t, err, "the record of what was done stays")
}

func TestDeleteInstance_refusesWhatAFailedInstantiationMayHaveLeft(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	run := func(op lcm.VnfLcmOpOcc, states ...lcm.OperationState) {
		t.Helper()
		require.NoError(t, s.BeginOperation(t.Context(), op))
		record := recorder(s, t, op.ID)
		for _, state := range states {
			record(state)
		}
	}
	run(instantiate(inst), lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack)
	for range 2 { // with several operations, the newest counts
		run(instantiate(inst), lcm.Processing, lcm.FailedTemp, lcm.Failed)
		err := s.DeleteInstance(t.Context(), inst.ID)
		requireKind(t, lcm.KindConflict, err)
		assert.ErrorContains(t, err, "The last instantiation failed and its resources may still exist. Delete them first: ")
		assert.ErrorContains(t, err, string(inst.ID)+"/clean_up")
	}
	run(instantiate(inst), lcm.Processing, lcm.Completed)
	inst.Version, inst.InstantiationState = 1, lcm.Instantiated
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	terminate := instantiate(inst)
	terminate.Operation = lcm.OpTerminate
	run(terminate, lcm.Processing, lcm.Completed)
	inst.Version, inst.InstantiationState = 2, lcm.NotInstantiated
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	require.NoError(t, s.DeleteInstance(t.Context(), inst.ID))
}

func TestBeginOperation_terminatesWhatIsLeftBehind(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	left := func() bool {
		_, left, err := s.LeftBehind(t.Context(), inst.ID, time.Time{})
		require.NoError(t, err)
		return left
	}
	terminate := func(version int64) lcm.VnfLcmOpOcc {
		op := instantiate(inst)
		op.Operation, op.OfVersion = lcm.OpTerminate, version
		return op
	}
	version := func() int64 {
		now, err := s.Instance(t.Context(), inst.ID)
		require.NoError(t, err)
		return now.Version
	}
	requireKind(t, lcm.KindConflict, s.BeginOperation(t.Context(), terminate(version())))
	assert.False(t, left())
	failed := instantiate(inst)
	require.NoError(t, s.BeginOperation(t.Context(), failed))
	record := recorder(s, t, failed.ID)
	for _, state := range []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.Failed} {
		assert.False(t, left())
		record(state)
	}
	assert.True(t, left())
	assert.False(t, gone(t, s, inst.ID), "what it has left may be of use to somebody")
	requireKind(t, lcm.KindConflict, s.BeginOperation(t.Context(), terminate(0)))
	requireKind(t, lcm.KindConflict, s.BeginOperation(t.Context(), terminate(version()+1)))
	op := terminate(version())
	require.NoError(t, s.BeginOperation(t.Context(), op))
	began, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	record = recorder(s, t, op.ID)
	record(lcm.Processing)
	record(lcm.Completed)
	assert.False(t, left())
	former, was, err := s.LeftBehind(t.Context(), inst.ID, began.StartTime)
	require.NoError(t, err)
	assert.True(t, was, "until it began")
	assert.Equal(t, failed.ID, former.ID)
}

// TestDeleteInstance_afterAnInstantiateThatLeftNothing checks that only the note of such an INSTANTIATE counts.
func TestDeleteInstance_afterAnInstantiateThatLeftNothing(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, nothing := range [][]bool{{false}, {true}, {false, true}, {true, false}} {
		inst := newInstance(t, s)
		for _, left := range nothing {
			op := instantiate(inst)
			require.NoError(t, s.BeginOperation(t.Context(), op))
			record := recorder(s, t, op.ID)
			record(lcm.Processing)
			record(lcm.FailedTemp)
			require.NoError(t, s.RecordOperation(t.Context(), lcm.OperationRecord{
				OpOccID: op.ID, Sequence: 3, State: lcm.Failed, NothingLeft: left,
			}))
			have, err := s.Operation(t.Context(), op.ID)
			require.NoError(t, err)
			assert.Nil(t, have.Plan, "it is a note of the store alone")
		}
		_, left, err := s.LeftBehind(t.Context(), inst.ID, time.Time{})
		require.NoError(t, err)
		if slices.Contains(nothing, false) {
			assert.True(t, left)
			requireKind(t, lcm.KindConflict, s.DeleteInstance(t.Context(), inst.ID))
			continue
		}
		assert.False(t, left)
		assert.True(t, gone(t, s, inst.ID))
		require.NoError(t, s.DeleteInstance(t.Context(), inst.ID))
	}
}

func gone(t *testing.T, s *store.Store, id lcm.VnfInstanceID) bool {
	t.Helper()
	gone, err := s.Gone(t.Context(), id)
	require.NoError(t, err)
	return gone
}

func TestGone_isWhatWasHereAndHasEnded(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	assert.False(t, gone(t, s, lcm.VnfInstanceID(uuid.NewString())), "of another database")
	assert.False(t, gone(t, s, "../x"))
	for _, operation := range []lcm.Operation{lcm.OpInstantiate, lcm.OpTerminate} {
		op := instantiate(inst)
		op.Operation = operation
		require.NoError(t, s.BeginOperation(t.Context(), op))
		assert.False(t, gone(t, s, inst.ID), "%s is under way", operation)
		record := recorder(s, t, op.ID)
		record(lcm.Processing)
		assert.False(t, gone(t, s, inst.ID), "%s is under way", operation)
		record(lcm.Completed)
		now, err := s.Instance(t.Context(), inst.ID)
		require.NoError(t, err)
		now.InstantiationState = map[lcm.Operation]lcm.InstantiationState{
			lcm.OpInstantiate: lcm.Instantiated, lcm.OpTerminate: lcm.NotInstantiated,
		}[operation]
		require.NoError(t, s.UpdateInstance(t.Context(), now))
		assert.Equal(t, operation == lcm.OpTerminate, gone(t, s, inst.ID))
	}
	require.NoError(t, s.DeleteInstance(t.Context(), inst.ID))
	assert.True(t, gone(t, s, inst.ID), "its operations stay")
}

// TestDeleteInstance_isRefusedWhereTheNextInstantiateDidNotBegin checks that an INSTANTIATE without a grant changes
// nothing: what an earlier one has left is still there.
func TestDeleteInstance_isRefusedWhereTheNextInstantiateDidNotBegin(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	for _, states := range [][]lcm.OperationState{{lcm.Processing, lcm.FailedTemp, lcm.Failed}, {lcm.RolledBack}} {
		op := instantiate(inst)
		require.NoError(t, s.BeginOperation(t.Context(), op))
		record := recorder(s, t, op.ID)
		for _, state := range states {
			record(state)
		}
	}
	requireKind(t, lcm.KindConflict, s.DeleteInstance(t.Context(), inst.ID))
}

func TestDeleteInstance_takesARollbackAfterAFailure(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	for _, end := range [][]lcm.OperationState{{lcm.Failed}, {lcm.RollingBack, lcm.RolledBack}} {
		op := instantiate(inst)
		require.NoError(t, s.BeginOperation(t.Context(), op))
		record := recorder(s, t, op.ID)
		record(lcm.Processing)
		record(lcm.FailedTemp)
		for _, state := range end {
			record(state)
		}
	}
	require.NoError(t, s.DeleteInstance(t.Context(), inst.ID))
}

func TestDeleteInstance_andBeginOperation_neverBothWin(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 20 {
		inst := newInstance(t, s)
		var begin, del error
		var race sync.WaitGroup
		race.Go(func() { begin = s.BeginOperation(t.Context(), instantiate(inst)) })
		race.Go(func() { del = s.DeleteInstance(t.Context(), inst.ID) })
		race.Wait()
		require.NotEqual(t, begin == nil, del == nil, "begin: %v, delete: %v", begin, del)
	}
}

func TestBeginOperation_keepsEveryField(t *testing.T) {
	t.Parallel()
	s := open(t)
	want := instantiate(newInstance(t, s))
	want.Params, want.APIVersion, want.IsAutomaticInvocation, want.GrantID = json.RawMessage(`{"flavourId": "complex"}`),
		2, true, "g"
	want.Request = json.RawMessage(`{"later": true, "request": {"flavourId": "complex"}, "version": 1}`)
	require.NoError(t, s.BeginOperation(t.Context(), want))
	got, err := s.Operation(t.Context(), want.ID)
	require.NoError(t, err)
	want.ProjectID = lcm.DefaultProject
	want.Granted = true
	want.State, want.StateEnteredTime, want.StartTime = lcm.Starting, got.StateEnteredTime, got.StartTime
	assert.Equal(t, want, got)
	listed := want
	listed.Request = nil
	all, err := s.OperationPage(t.Context(), store.Page{})
	require.NoError(t, err)
	assert.Equal(t, []lcm.VnfLcmOpOcc{listed}, all)
}

// TestRecordOperation_leavesTheRequestAlone checks that a member of a later release survives all that happens to the
// operation.
func TestRecordOperation_leavesTheRequestAlone(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := instantiate(newInstance(t, s))
	op.Request = json.RawMessage(`{"version": 1, "request": {"later": {"a": 1}}}`)
	require.NoError(t, s.BeginOperation(t.Context(), op))
	record := recorder(s, t, op.ID)
	require.NoError(t, s.KeepGrant(t.Context(), op.ID, lcm.Grant{ID: "g", VnfInstanceID: op.VnfInstanceID}, &lcm.Plan{}))
	record(lcm.Processing)
	record(lcm.FailedTemp)
	record(lcm.Processing)
	got, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	assert.JSONEq(t, string(op.Request), string(got.Request))
}

func TestBeginOperation_refusesASecondOne(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	first := instantiate(inst)
	require.NoError(t, s.BeginOperation(t.Context(), first))
	record := recorder(s, t, first.ID)

	err := s.BeginOperation(t.Context(), instantiate(inst))
	requireKind(t, lcm.KindConflict, err)
	for _, part := range []string{"INSTANTIATE", string(first.ID), "STARTING", "wait until"} {
		assert.Contains(t, err.Error(), part)
	}
	record(lcm.Processing)
	record(lcm.FailedTemp)
	err = s.BeginOperation(t.Context(), instantiate(inst))
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), "roll it back")

	record(lcm.RollingBack)
	requireKind(t, lcm.KindConflict, s.BeginOperation(t.Context(), instantiate(inst)))
	record(lcm.RolledBack)
	assert.NoError(t, s.BeginOperation(t.Context(), instantiate(inst)))
}

func TestBeginOperation_exactlyOneOfManyWins(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 10 {
		inst := newInstance(t, s)
		errs := make([]error, 8)
		var race sync.WaitGroup
		for i := range errs {
			race.Go(func() { errs[i] = s.BeginOperation(t.Context(), instantiate(inst)) })
		}
		race.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			requireKind(t, lcm.KindConflict, err)
		}
		require.Equal(t, 1, won)
	}
}

func TestBeginOperation_checksTheInstancesState(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	terminate := instantiate(inst)
	terminate.Operation = lcm.OpTerminate
	err := s.BeginOperation(t.Context(), terminate)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), "is NOT_INSTANTIATED; TERMINATE needs it to be INSTANTIATED")

	inst.Version, inst.InstantiationState = 1, lcm.Instantiated
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	requireKind(t, lcm.KindConflict, s.BeginOperation(t.Context(), instantiate(inst)))
	require.NoError(t, s.BeginOperation(t.Context(), terminate))

	inst.ID = "absent"
	requireKind(t, lcm.KindNotFound, s.BeginOperation(t.Context(), instantiate(inst)))
}

func TestRecordOperation_writesStateAndInstanceTogether(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	record := recorder(s, t, op.ID)
	record(lcm.Processing)
	before, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)

	inst, err := s.Instance(t.Context(), op.VnfInstanceID)
	require.NoError(t, err)
	inst.InstantiationState = lcm.Instantiated
	changes := &lcm.ResourceChanges{AffectedVnfcs: []lcm.AffectedVnfc{{ID: "1", VduID: "masterNode", ChangeType: "ADDED"}}}
	done := lcm.OperationRecord{
		OpOccID: op.ID, Sequence: 2, State: lcm.Completed, Instance: &inst, GrantID: "grant", ResourceChanges: changes,
	}
	require.NoError(t, s.RecordOperation(t.Context(), done))
	require.NoError(t, s.RecordOperation(t.Context(), done), "a repeated record changes nothing")

	got, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	assert.Equal(t, lcm.Completed, got.State)
	assert.Equal(t, changes, got.ResourceChanges)
	assert.Equal(t, "grant", got.GrantID)
	assert.True(t, got.StateEnteredTime.After(before.StateEnteredTime))
	inst, err = s.Instance(t.Context(), op.VnfInstanceID)
	require.NoError(t, err)
	assert.Equal(t, lcm.Instantiated, inst.InstantiationState)
	assert.EqualValues(t, 2, inst.Version, "written once")
}

func TestRecordOperation_changesNothingWhenTheInstanceIsStale(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	recorder(s, t, op.ID)(lcm.Processing)
	inst, err := s.Instance(t.Context(), op.VnfInstanceID)
	require.NoError(t, err)
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	err = s.RecordOperation(t.Context(), lcm.OperationRecord{
		OpOccID: op.ID, Sequence: 2, State: lcm.Completed, Instance: &inst,
	})
	requireKind(t, lcm.KindConflict, err)
	got, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	assert.Equal(t, lcm.Processing, got.State)
}

func TestRecordOperation_ofTheSameStateKeepsItsTime(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	recorder(s, t, op.ID)(lcm.Processing)
	before, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	cause := lcm.Errorf(lcm.KindUnavailable, "waits for \x00 quorum")
	require.NoError(t, s.RecordOperation(t.Context(), lcm.OperationRecord{
		OpOccID: op.ID, Sequence: 5, State: lcm.Processing, Step: "Join the workers",
		IsCancelPending: true, CancelMode: lcm.Graceful, Error: cause,
	}))
	got, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	want := before
	want.Sequence, want.Step, want.IsCancelPending, want.CancelMode = 5, "Join the workers", true, lcm.Graceful
	want.Error = lcm.Errorf(lcm.KindUnavailable, "waits for  quorum")
	assert.Equal(t, want, got)
	assert.Contains(t, cause.Detail, "\x00", "the caller's error is its own")

	late := lcm.OperationRecord{OpOccID: op.ID, Sequence: 4, State: lcm.FailedTemp}
	require.NoError(t, s.RecordOperation(t.Context(), late), "a late record is no error")
	got, err = s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestRecordOperation_takesTheTransitionsOfSOL003Only(t *testing.T) {
	t.Parallel()
	s := open(t)
	paths := map[lcm.OperationState][]lcm.OperationState{
		lcm.Starting:    {},
		lcm.Processing:  {lcm.Processing},
		lcm.Completed:   {lcm.Processing, lcm.Completed},
		lcm.FailedTemp:  {lcm.Processing, lcm.FailedTemp},
		lcm.Failed:      {lcm.Processing, lcm.FailedTemp, lcm.Failed},
		lcm.RollingBack: {lcm.Processing, lcm.FailedTemp, lcm.RollingBack},
		lcm.RolledBack:  {lcm.RolledBack},
	}
	for _, from := range lcm.OperationStates {
		for _, to := range lcm.OperationStates {
			op := begun(t, s)
			record := recorder(s, t, op.ID)
			for _, state := range paths[from] {
				record(state)
			}
			err := s.RecordOperation(t.Context(), lcm.OperationRecord{OpOccID: op.ID, Sequence: 100, State: to})
			if from.CanBecome(to) || from == to && !from.Terminal() {
				require.NoError(t, err, "%s -> %s", from, to)
				continue
			}
			requireKind(t, lcm.KindConflict, err)
		}
	}
}

// TestRecordOperation_doesNotTakeAnEndForALateRecord has a lost workflow task that has recorded PROCESSING. The next
// run does not know this, and uses the same number again.
func TestRecordOperation_doesNotTakeAnEndForALateRecord(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	require.NoError(t, s.RecordOperation(t.Context(),
		lcm.OperationRecord{OpOccID: op.ID, Sequence: 2, State: lcm.Processing}))
	for sequence := int64(1); sequence < 4; sequence++ {
		end := lcm.OperationRecord{OpOccID: op.ID, Sequence: sequence, State: lcm.RolledBack}
		requireKind(t, lcm.KindConflict, s.RecordOperation(t.Context(), end))
	}
	end := lcm.OperationRecord{OpOccID: op.ID, Sequence: 3, State: lcm.Completed}
	for range 2 {
		require.NoError(t, s.RecordOperation(t.Context(), end))
	}
}

func TestRecordOperation_ofAbsentOperation(t *testing.T) {
	t.Parallel()
	s := open(t)
	requireKind(t, lcm.KindNotFound, s.RecordOperation(t.Context(),
		lcm.OperationRecord{OpOccID: "absent", Sequence: 1, State: lcm.Processing}))
	_, err := s.Operation(t.Context(), "absent")
	requireKind(t, lcm.KindNotFound, err)
}

func TestOpenAndUnstartedOperations(t *testing.T) {
	t.Parallel()
	s := open(t)
	unstarted, running, ended := begun(t, s), begun(t, s), begun(t, s)
	recorder(s, t, running.ID)(lcm.Starting)
	recorder(s, t, ended.ID)(lcm.RolledBack)

	ops, err := s.OpenOperations(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []lcm.OpOccID{unstarted.ID, running.ID}, ids(ops))
	ops, err = s.UnstartedOperations(t.Context(), 0)
	require.NoError(t, err)
	assert.Equal(t, []lcm.OpOccID{unstarted.ID}, ids(ops))
	ops, err = s.UnstartedOperations(t.Context(), time.Hour)
	require.NoError(t, err)
	assert.Empty(t, ops)
}

func TestBeginAndRecordOperation_doNotBlockEachOther(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 20 {
		op := begun(t, s)
		recorder(s, t, op.ID)(lcm.Processing)
		inst, err := s.Instance(t.Context(), op.VnfInstanceID)
		require.NoError(t, err)
		inst.InstantiationState = lcm.Instantiated
		terminate := instantiate(inst)
		terminate.Operation = lcm.OpTerminate
		var race sync.WaitGroup
		race.Go(func() {
			assert.NoError(t, s.RecordOperation(t.Context(),
				lcm.OperationRecord{OpOccID: op.ID, Sequence: 2, State: lcm.Completed, Instance: &inst}))
		})
		race.Go(func() {
			if err := s.BeginOperation(t.Context(), terminate); err != nil {
				assert.Equal(t, lcm.KindConflict, lcm.KindOf(err), "%v", err)
			}
		})
		race.Wait()
	}
}

func ids(ops []lcm.VnfLcmOpOcc) []lcm.OpOccID {
	var out []lcm.OpOccID
	for _, op := range ops {
		out = append(out, op.ID)
	}
	return out
}

func TestGrant_isKeptBesideThePlanAndNeverChanged(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, planned := range []bool{false, true} {
		op := begun(t, s)
		_, err := s.Grant(t.Context(), op.ID)
		requireKind(t, lcm.KindNotFound, err)
		want := lcm.Plan{Operation: lcm.OpScale, InstantiationLevelID: "level"}
		if planned {
			_, err := s.KeepPlan(t.Context(), op.ID, want)
			require.NoError(t, err)
		}
		for i, id := range []string{"first", "second"} {
			require.NoError(t, s.RecordOperation(t.Context(), lcm.OperationRecord{
				OpOccID: op.ID, Sequence: int64(i + 1), State: lcm.Processing, GrantID: id,
				Grant: &lcm.Grant{ID: id, AddResources: []lcm.GrantResource{{VduID: "workerNode"}}},
			}))
		}
		got, err := s.Grant(t.Context(), op.ID)
		require.NoError(t, err)
		assert.Equal(t, "first", got.ID)
		assert.Equal(t, "workerNode", got.AddResources[0].VduID)

		after, err := s.Operation(t.Context(), op.ID)
		require.NoError(t, err)
		if !planned {
			assert.Nil(t, after.Plan)
			continue
		}
		assert.Equal(t, &want, after.Plan)
		kept, err := s.KeepPlan(t.Context(), op.ID, lcm.Plan{})
		require.NoError(t, err)
		assert.Equal(t, want, kept)
	}
	_, err := s.Grant(t.Context(), "absent")
	requireKind(t, lcm.KindNotFound, err)
}

func TestGivenUpHeal_isTheOneThatNothingHasMadeGood(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := instantiated(t, s)
	end := func(operation lcm.Operation, whole bool, states ...lcm.OperationState) lcm.OpOccID {
		t.Helper()
		op := instantiate(inst)
		op.Operation = operation
		require.NoError(t, s.BeginOperation(t.Context(), op))
		_, err := s.KeepPlan(t.Context(), op.ID, lcm.Plan{Operation: operation, Whole: whole})
		require.NoError(t, err)
		record := recorder(s, t, op.ID)
		for _, state := range states {
			record(state)
		}
		return op.ID
	}
	requireGivenUp := func(want lcm.OpOccID) {
		t.Helper()
		got, err := s.GivenUpHeal(t.Context(), inst.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	failed := []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.Failed}
	requireGivenUp("")
	end(lcm.OpHeal, false, failed...)
	requireGivenUp("")
	heal := end(lcm.OpHeal, true, failed...)
	requireGivenUp(heal)
	end(lcm.OpOperate, false, lcm.Processing, lcm.Completed)
	end(lcm.OpScale, false, failed...)
	requireGivenUp(heal)
	again := end(lcm.OpHeal, true, failed...)
	requireGivenUp(again)
	end(lcm.OpHeal, true, lcm.Processing, lcm.Completed)
	requireGivenUp("")
}

func TestKeepDrain_keepsEachDecisionOnceBesideThePlan(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	plan := lcm.Plan{Operation: lcm.OpScale, Leaving: []lcm.LeavingVnfc{{VnfcID: "a"}}}
	_, err := s.KeepPlan(t.Context(), op.ID, plan)
	require.NoError(t, err)
	got, err := s.Drains(t.Context(), op.ID)
	require.NoError(t, err)
	require.Empty(t, got)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	failed := lcm.DrainDecision{
		Node: "worker-1", Step: 4, Phase: lcm.PhaseForward, Action: lcm.DrainFailed, Detail: "Pods are left.", At: at,
	}
	forced, other := failed, failed
	forced.Action, other.Node = lcm.DrainForced, "worker-2"
	for i, d := range []lcm.DrainDecision{failed, failed, forced, other, forced} {
		d.At = at.Add(time.Duration(i) * time.Second)
		require.NoError(t, s.KeepDrain(t.Context(), op.ID, d))
	}
	got, err = s.Drains(t.Context(), op.ID)
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, failed, got[0], "the first time counts")
	require.Equal(t, []string{"worker-1", "worker-1", "worker-2"}, []string{got[0].Node, got[1].Node, got[2].Node})
	read, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	require.Equal(t, plan, *read.Plan)
	kept, err := s.KeepPlan(t.Context(), op.ID, lcm.Plan{})
	require.NoError(t, err)
	require.Equal(t, plan, kept)
	_, err = s.Drains(t.Context(), "absent")
	requireKind(t, lcm.KindNotFound, err)
}
