package servertest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// Starter replaces Temporal. It records accepted actions as a workflow would.
type Starter struct {
	store *store.Store
	mu    sync.Mutex
	// Starts are the started workflows, Traces the spans that they belong to, and Acts the accepted actions.
	Starts []lcm.OperationInput
	Traces []string
	Acts   []lcm.Action
	// Down is the error of Start, Refuse the error of Act.
	Down, Refuse error
	// Behind is the error of the next Act only.
	Behind error
	// DownFor is the operation for which Start fails.
	DownFor lcm.OpOccID
}

// Start is a method of vnflcm.Starter.
func (r *Starter) Start(ctx context.Context, in lcm.OperationInput) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Down != nil {
		return r.Down
	}
	if in.OpOccID == r.DownFor {
		return lcm.Errorf(lcm.KindUnavailable, "Temporal does not take it.")
	}
	r.Starts, r.Traces = append(r.Starts, in), append(r.Traces, telemetry.TraceParent(ctx))
	return nil
}

// Started returns how many workflows were started.
func (r *Starter) Started() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.Starts)
}

// Act is a method of vnflcm.Starter.
func (r *Starter) Act(
	ctx context.Context, id lcm.OpOccID, action lcm.Action, cancel lcm.CancelRequest,
) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Refuse != nil {
		return r.Refuse
	}
	if err := r.Behind; err != nil {
		r.Behind = nil
		return err
	}
	r.Acts = append(r.Acts, action)
	o, err := r.store.Operation(ctx, id)
	if err != nil {
		return err
	}
	rec := lcm.OperationRecord{OpOccID: id, Sequence: o.Sequence + 1, State: o.State, Error: o.Error}
	switch action {
	case lcm.Retry:
		rec.State, rec.Error = lcm.Processing, nil
	case lcm.Rollback:
		rec.State = lcm.RollingBack
	case lcm.Fail:
		rec.State = lcm.Failed
	case lcm.Cancel:
		rec.IsCancelPending, rec.CancelMode = true, cancel.Mode
	}
	return r.store.RecordOperation(ctx, rec)
}

// Enter records a state, as the workflow of the operation at path would.
func (b *Bench) Enter(path string, state lcm.OperationState, change ...func(*lcm.OperationRecord)) {
	b.Helper()
	o := b.Operation(path)
	rec := lcm.OperationRecord{OpOccID: o.ID, Sequence: o.Sequence + 1, State: state}
	for _, c := range change {
		c(&rec)
	}
	require.NoError(b, b.Store.RecordOperation(b.Context(), rec))
}

// Operation reads the stored operation at path.
func (b *Bench) Operation(path string) lcm.VnfLcmOpOcc {
	b.Helper()
	o, err := b.Store.Operation(b.Context(), lcm.OpOccID(path[strings.LastIndexByte(path, '/')+1:]))
	require.NoError(b, err)
	return o
}

// FailedOperation returns an operation in FAILED_TEMP.
func (b *Bench) FailedOperation(root string) string {
	b.Helper()
	instance, request := b.Ready("/vnflcm/v1")
	a := b.Do("POST", instance+"/instantiate", request)
	a.Want(http.StatusAccepted)
	b.Enter(a.Path(), lcm.Processing)
	b.Enter(a.Path(), lcm.FailedTemp, func(r *lcm.OperationRecord) {
		r.Step = "Join the workers"
		r.Error = &lcm.Error{
			Kind: lcm.KindExhausted, Detail: "The nodes have no room.",
			Problems: []lcm.Problem{{Path: "worker-3f2a91c0", Detail: "the disk is full"}},
		}
	})
	return root + a.Path()[len("/vnflcm/v1"):]
}

// ProgressOf returns the path of an operation's progress below the extensions' root.
func ProgressOf(opOcc string) string {
	return "/windlass/v1/vnf_lcm_op_occs/" + opOcc[strings.LastIndexByte(opOcc, '/')+1:]
}

// Began returns an operation whose second step runs on two nodes.
func (b *Bench) Began() (opOcc string) {
	b.Helper()
	instance, request := b.Ready("/vnflcm/v1")
	a := b.Do("POST", instance+"/instantiate", request)
	a.Want(http.StatusAccepted)
	id, ctx := b.Operation(a.Path()).ID, b.Context()
	require.NoError(b, b.Store.RecordPlan(ctx, id, []lcm.Step{
		{OpOccID: id, Index: 0, Phase: lcm.PhaseForward, Title: "Create the infrastructure", State: lcm.StepPending},
		{OpOccID: id, Index: 1, Phase: lcm.PhaseForward, Title: "Join the workers", State: lcm.StepPending},
	}))
	b.Enter(a.Path(), lcm.Processing)
	start := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, node := range []string{"worker-1", "worker-2"} {
		require.NoError(b, b.Store.RecordStep(ctx, lcm.Step{
			OpOccID: id, Index: 1, Phase: lcm.PhaseForward, Title: "Join the workers", Node: node, State: lcm.StepRunning,
			Attempt: 1, Started: start,
		}))
		require.NoError(b, b.Store.AppendOutput(ctx, lcm.StepRef{OpOccID: id, Step: 1, Node: node}, 1,
			[]string{"pulling images", "joined " + node}))
	}
	return a.Path()
}
