package records

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// ledger is the store and the worker's facts, for one operation on one VNF instance.
type ledger struct {
	op        lcm.VnfLcmOpOcc
	inst      lcm.VnfInstance
	steps     []lcm.Step
	forgotten []string
	granted   int // how often a grant was applied
	modified  int // how often modifications were applied
	grants    []lcm.Grant
}

func (l *ledger) RecordPlan(context.Context, lcm.OpOccID, []lcm.Step) error { return nil }

func (l *ledger) Steps(context.Context, lcm.OpOccID) ([]lcm.Step, error) {
	return slices.Clone(l.steps), nil
}

func (l *ledger) RecordStep(_ context.Context, step lcm.Step) error {
	for i := range l.steps {
		if l.steps[i].Index == step.Index && l.steps[i].Node == step.Node {
			l.steps[i] = step
		}
	}
	return nil
}

func (l *ledger) RecordSteps(ctx context.Context, steps []lcm.Step) error {
	for _, step := range steps {
		if err := l.RecordStep(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

func (l *ledger) Operation(context.Context, lcm.OpOccID) (lcm.VnfLcmOpOcc, error) { return l.op, nil }

func (l *ledger) Instance(context.Context, lcm.VnfInstanceID) (lcm.VnfInstance, error) {
	return l.inst, nil
}

func (l *ledger) RecordOperation(_ context.Context, rec lcm.OperationRecord) error {
	if rec.Sequence <= l.op.Sequence {
		return nil
	}
	l.op.Sequence, l.op.State = rec.Sequence, rec.State
	if rec.GrantID != "" {
		l.op.GrantID = rec.GrantID
	}
	if rec.Grant != nil {
		l.grants = append(l.grants, *rec.Grant)
	}
	if rec.ResourceChanges != nil {
		l.op.ResourceChanges = rec.ResourceChanges
	}
	if rec.Instance != nil {
		l.inst = *rec.Instance
	}
	if rec.ChangedInfo != nil {
		l.op.ChangedInfo = rec.ChangedInfo
	}
	return nil
}

func (l *ledger) KeepPlan(_ context.Context, _ lcm.OpOccID, plan lcm.Plan) (lcm.Plan, error) {
	if l.op.Plan == nil {
		l.op.Plan = &plan
	}
	return *l.op.Plan, nil
}

func (l *ledger) Plan(_ context.Context, _ lcm.OpOccID, unhealthy map[string]string) (lcm.Plan, error) {
	var plan lcm.Plan
	for node, why := range unhealthy {
		plan.Leaving = append(plan.Leaving, lcm.LeavingVnfc{Node: node, Why: why})
	}
	return plan, nil
}

func (l *ledger) Describe(context.Context, lcm.OpOccID) (lifecycle.Description, error) {
	return lifecycle.Description{}, nil
}

func (l *ledger) Grant(context.Context, lcm.OpOccID) (lcm.Grant, error) {
	l.granted++
	return lcm.Grant{AddResources: []lcm.GrantResource{{ResourceDefinitionID: fmt.Sprintf("add-%d", l.granted)}}}, nil
}

func (l *ledger) Instantiated(
	_ context.Context,
	_ lcm.OpOccID,
	made record.Outcome,
) (out record.InstantiatedVnf, err error) {
	for _, v := range made.Vnfcs {
		out.Info.VnfcResources = append(out.Info.VnfcResources,
			lcm.VnfcResourceInfo{ID: "vnfc-" + v.ServerID, VduID: v.VduID})
	}
	out.Info.ClusterVimID = made.ClusterVimID
	out.VimConnections = append(l.inst.VimConnections, lcm.VimConnectionInfo{VimID: made.ClusterVimID})
	return out, nil
}

func (l *ledger) Modified(context.Context, lcm.OpOccID) (lcm.VnfInstance, lcm.VnfInfoModifications, error) {
	l.modified++
	if l.inst.Name == "refused" {
		return l.inst, lcm.VnfInfoModifications{}, lcm.Errorf(lcm.KindConflict, "The VIM is not registered any more.")
	}
	inst := l.inst
	inst.Name += "+"
	return inst, lcm.VnfInfoModifications{VnfInstanceName: &inst.Name}, nil
}

// record runs the activity twice, as after a lost answer.
func (l *ledger) record(t *testing.T, sequence int64, state lcm.OperationState, made *record.Outcome) {
	t.Helper()
	ops := &OpOccs{Records: l, Facts: l, Forget: func(_ context.Context, prefix string) error {
		l.forgotten = append(l.forgotten, prefix)
		return nil
	}}
	for range 2 {
		require.NoError(t, ops.RecordState(t.Context(), RecordStateInput{
			OpOccID: "op", Sequence: sequence, Status: lcm.OperationStatus{State: state}, Outcome: made,
		}))
	}
}

func (l *ledger) changed() (ids []string) {
	if l.op.ResourceChanges == nil {
		return nil
	}
	for _, v := range l.op.ResourceChanges.AffectedVnfcs {
		ids = append(ids, string(v.ChangeType)+" "+v.ID)
	}
	return ids
}

var twoVnfcs = &record.Outcome{
	Vnfcs:        []record.Vnfc{{VduID: "masterNode", ServerID: "a"}, {VduID: "workerNode", ServerID: "b"}},
	ClusterVimID: "vim-2",
}

func TestRecordState_resourceChangesGrowWithTheOperation(t *testing.T) {
	l := &ledger{inst: lcm.VnfInstance{InstantiationState: lcm.NotInstantiated}}
	l.record(t, 1, lcm.FailedTemp, &record.Outcome{})
	require.Nil(t, l.op.ResourceChanges, "nothing is known yet")
	l.record(t, 2, lcm.Processing, nil)
	l.record(t, 3, lcm.FailedTemp, twoVnfcs)
	require.Equal(t, []string{"ADDED vnfc-a", "ADDED vnfc-b"}, l.changed())
	require.Equal(t, lcm.NotInstantiated, l.inst.InstantiationState, "the instance is written at COMPLETED only")
	l.record(t, 4, lcm.FailedTemp, &record.Outcome{})
	require.Len(t, l.changed(), 2, "an operation that was resumed knows less than what is recorded")
	l.record(t, 5, lcm.Completed, twoVnfcs)
	require.Equal(t, lcm.Instantiated, l.inst.InstantiationState)
	require.Len(t, l.inst.VimConnections, 1, "recorded twice, added once")
	require.NotEmpty(t, l.forgotten, "tokens of the operation are of no use any more")
}

func TestRecordState_rolledBackHasChangedNothing(t *testing.T) {
	l := &ledger{}
	l.record(t, 1, lcm.FailedTemp, twoVnfcs)
	l.record(t, 2, lcm.RolledBack, nil)
	require.Empty(t, l.changed())
}

func TestRecordState_rolledBackKeepsWhatWasMadeAnew(t *testing.T) {
	l := &ledger{inst: lcm.VnfInstance{
		InstantiationState: lcm.Instantiated,
		Instantiated: &lcm.InstantiatedVnfInfo{
			VnfcResources: []lcm.VnfcResourceInfo{{ID: "vnfc-a"}, {ID: "vnfc-old"}},
		},
	}}
	restored := *twoVnfcs
	restored.Restored = true
	l.record(t, 1, lcm.FailedTemp, &restored)
	require.Len(t, l.inst.Instantiated.VnfcResources, 2)
	require.Equal(t, "vnfc-old", l.inst.Instantiated.VnfcResources[1].ID, "it is not over")
	l.record(t, 2, lcm.RolledBack, &restored)
	require.Equal(t, "vnfc-b", l.inst.Instantiated.VnfcResources[1].ID)
	require.Equal(t, []string{"REMOVED vnfc-old", "ADDED vnfc-b"}, l.changed(), "a rollback's own changes count, too")
}

func TestRecordState_givenUpChangeLeavesWhatExists(t *testing.T) {
	l := &ledger{inst: lcm.VnfInstance{
		InstantiationState: lcm.Instantiated,
		Instantiated: &lcm.InstantiatedVnfInfo{
			VnfcResources: []lcm.VnfcResourceInfo{{ID: "vnfc-a"}, {ID: "vnfc-old"}},
		},
	}}
	l.record(t, 1, lcm.FailedTemp, twoVnfcs)
	require.Equal(t, "vnfc-old", l.inst.Instantiated.VnfcResources[1].ID, "a retry may still change it")
	left := *twoVnfcs
	left.Left = true
	l.record(t, 2, lcm.Failed, &left)
	require.Equal(t, []string{"REMOVED vnfc-old", "ADDED vnfc-b"}, l.changed())
	require.Equal(t, "vnfc-b", l.inst.Instantiated.VnfcResources[1].ID)

	l.record(t, 3, lcm.Failed, &record.Outcome{})
	require.Len(t, l.inst.Instantiated.VnfcResources, 2, "nothing is recorded of what nobody has looked at")
}

func TestRecordState_terminatedEmptiesTheInstance(t *testing.T) {
	l := &ledger{inst: lcm.VnfInstance{
		InstantiationState: lcm.Instantiated,
		VimConnections:     []lcm.VimConnectionInfo{{VimID: "vim-1"}, {VimID: "vim-2"}},
		Instantiated: &lcm.InstantiatedVnfInfo{
			ClusterVimID:  "vim-2",
			VnfcResources: []lcm.VnfcResourceInfo{{ID: "vnfc-a"}},
		},
	}}
	l.record(t, 1, lcm.FailedTemp, &record.Outcome{Terminated: true})
	require.Equal(t, []string{"REMOVED vnfc-a"}, l.changed(), "the machines are gone, whatever failed after")
	require.NotNil(t, l.inst.Instantiated)
	l.record(t, 2, lcm.Completed, &record.Outcome{Terminated: true})
	require.Equal(t, lcm.NotInstantiated, l.inst.InstantiationState)
	require.Nil(t, l.inst.Instantiated)
	require.Equal(t, []lcm.VimConnectionInfo{{VimID: "vim-1"}}, l.inst.VimConnections)
}

func TestInterruptSteps_endsWhatRunsAndNothingElse(t *testing.T) {
	l := &ledger{steps: []lcm.Step{
		{Index: 0, State: lcm.StepDone},
		{Index: 1, State: lcm.StepRunning, Attempt: 2},
		{Index: 1, Node: "cp-1", State: lcm.StepRunning, Attempt: 2},
		{Index: 1, Node: "cp-2", State: lcm.StepFailed, Attempt: 2},
		{Index: 2, State: lcm.StepPending},
	}}
	ops := &OpOccs{Records: l}
	for range 2 {
		require.NoError(t, ops.InterruptSteps(t.Context(), DescribeInput{OpOccID: "op"}))
	}
	var states []lcm.StepState
	for _, s := range l.steps {
		states = append(states, s.State)
	}
	require.Equal(t, []lcm.StepState{lcm.StepDone, lcm.StepCancelled, lcm.StepCancelled, lcm.StepFailed, lcm.StepPending},
		states)
}

func TestPlanOperation_theFirstPlanCounts(t *testing.T) {
	l := &ledger{}
	ops := &OpOccs{Records: l, Facts: l}
	first, err := ops.PlanOperation(t.Context(),
		PlanInput{Unhealthy: []UnhealthyNode{{Node: "worker-1", Why: "it is not Ready"}}})
	require.NoError(t, err)
	require.Equal(t, "worker-1", first.Leaving[0].Node)
	again, err := ops.PlanOperation(t.Context(), PlanInput{Unhealthy: []UnhealthyNode{{Node: "worker-2"}}})
	require.NoError(t, err)
	require.Equal(t, first, again, "a retry works on the same VMs")
}

func TestRecordSteps_endsThePartsOfAStepThatHasEnded(t *testing.T) {
	l := &ledger{steps: []lcm.Step{
		{OpOccID: "op", Index: 3, Phase: lcm.PhaseForward, State: lcm.StepRunning},
		{OpOccID: "op", Index: 3, Phase: lcm.PhaseForward, Node: "cp-1", State: lcm.StepRunning},
		{OpOccID: "op", Index: 3, Phase: lcm.PhaseForward, Node: "cp-2", State: lcm.StepDone},
		{OpOccID: "op", Index: 4, Phase: lcm.PhaseForward, Node: "cp-3", State: lcm.StepRunning},
	}}
	ops := &OpOccs{Records: l}
	end := lcm.Step{
		OpOccID: "op", Index: 3, Phase: lcm.PhaseForward, State: lcm.StepFailed,
		Error: lcm.Errorf(lcm.KindBroken, "no"),
	}
	for range 2 {
		require.NoError(t, ops.RecordSteps(t.Context(), []RecordStepInput{{Step: end}}))
		var states []lcm.StepState
		for _, s := range l.steps {
			states = append(states, s.State)
		}
		require.Equal(t, []lcm.StepState{lcm.StepFailed, lcm.StepFailed, lcm.StepDone, lcm.StepRunning}, states,
			"a worker that was killed tells no end")
	}
}

func TestRecordState_modifiesTheInstanceOnce(t *testing.T) {
	l := &ledger{inst: lcm.VnfInstance{Name: "edge"}}
	l.record(t, 1, lcm.FailedTemp, &record.Outcome{Modified: true})
	require.Equal(t, "edge", l.inst.Name, "not before it is completed")
	l.record(t, 2, lcm.Completed, &record.Outcome{Modified: true})
	require.Equal(t, "edge+", l.inst.Name)
	require.Equal(t, "edge+", *l.op.ChangedInfo.VnfInstanceName)
	require.Nil(t, l.op.ResourceChanges)
}

func TestCheckModification_saysWhyItCannotBeMadeAnyMore(t *testing.T) {
	l := &ledger{inst: lcm.VnfInstance{Name: "edge"}}
	ops := &OpOccs{Records: l, Facts: l}
	for range 2 {
		_, err := ops.CheckModification(t.Context(), CheckModificationInput{OpOccID: "op"})
		require.NoError(t, err)
		require.Equal(t, "edge", l.inst.Name, "it only looks")
	}
	l.inst.Name = "refused"
	_, err := ops.CheckModification(t.Context(), CheckModificationInput{OpOccID: "op"})
	require.ErrorContains(t, err, "not registered any more")
}

func TestRecordState_whatWasStoppedIsKnownAlsoWhenTheOperationIsGivenUp(t *testing.T) {
	fresh := func() *ledger {
		return &ledger{inst: lcm.VnfInstance{InstantiationState: lcm.Instantiated, Instantiated: &lcm.InstantiatedVnfInfo{
			VnfState: lcm.VnfStarted, VnfcResources: []lcm.VnfcResourceInfo{{ID: "a"}, {ID: "b"}},
		}}}
	}
	some := &record.Outcome{
		Operated: &record.Operated{ChangeStateTo: lcm.VnfStopped, Vnfcs: []string{"a"}, Cordoned: []string{"a"}},
	}
	all := &record.Outcome{Operated: &record.Operated{ChangeStateTo: lcm.VnfStopped, Vnfcs: []string{"a", "b"}}}
	l := fresh()
	l.record(t, 1, lcm.FailedTemp, some)
	require.Equal(t, []string{"MODIFIED a"}, l.changed())
	require.Empty(t, l.inst.Instantiated.Stopped, "somebody may roll it back")
	l.record(t, 2, lcm.Failed, some)
	require.Equal(t, []lcm.StoppedVnfc{{VnfcID: "a", Cordoned: true}}, l.inst.Instantiated.Stopped)
	require.Equal(t, lcm.VnfStarted, l.inst.Instantiated.VnfState)

	l = fresh()
	l.record(t, 1, lcm.FailedTemp, some)
	l.record(t, 2, lcm.RolledBack, nil)
	require.Empty(t, l.changed())
	require.Empty(t, l.inst.Instantiated.Stopped)

	l = fresh()
	l.record(t, 1, lcm.Completed, all)
	require.Equal(t, lcm.VnfStopped, l.inst.Instantiated.VnfState)
	require.Equal(t, []string{"MODIFIED a", "MODIFIED b"}, l.changed())
}

func TestNetworksOf_tellsThoseOfMembersFromThoseOfTheTop(t *testing.T) {
	inv := &vim.Inventory{ID: "top", Resources: []vim.Resource{
		{Name: "inner", Kind: vim.Network, ID: "1", Part: "top"},
		{Name: "private", Kind: vim.Network, ID: "2", Part: "member"},
		{Name: "outer", Kind: vim.Network, ID: "3", Part: "top"},
		{Name: "failed", Kind: vim.Network, Part: "top"},
	}}
	require.Equal(t, []record.Network{
		{Resource: "inner", ID: "1"},
		{Resource: "private", ID: "2", Part: "member"},
		{Resource: "outer", ID: "3"},
	}, resources.NetworksOf(inv))
}
