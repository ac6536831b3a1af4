package worker

import (
	"context"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// predecessorsAtOnce is how many operations TakeOver looks at together.
const predecessorsAtOnce = 8

// TakeOver reports activities to Temporal that have lost their worker: a process of this machine that ended without a
// word, e.g. by a SIGKILL. Otherwise these activities would wait for their heartbeat timeout. A worker calls it at its
// start. It leaves alone any worker that may live, so a failure of TakeOver does no harm.
func TakeOver(ctx context.Context, o Options) error {
	own, ok := ownIdentity()
	if !ok {
		return nil
	}
	open, err := o.Store.OpenOperations(ctx)
	if err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(predecessorsAtOnce)
	for _, op := range open {
		if op.State != lcm.FailedTemp { // in FAILED_TEMP nothing runs
			g.Go(func() error { return o.takeOver(ctx, own, op.ID) })
		}
	}
	return g.Wait()
}

func (o Options) takeOver(ctx context.Context, own identity, id lcm.OpOccID) error {
	desc, err := o.Client.DescribeWorkflowExecution(ctx, lcm.WorkflowID(id), "")
	if err != nil {
		return err
	}
	lost := lostActivities(desc.GetPendingActivities(), own)
	if len(lost) == 0 {
		return nil
	}
	run := desc.GetWorkflowExecutionInfo().GetExecution()
	// The next workflow task must not wait for the cache of a worker that is gone.
	_, err = o.Client.WorkflowService().ResetStickyTaskQueue(ctx, &workflowservice.ResetStickyTaskQueueRequest{
		Namespace: o.Namespace, Execution: &common.WorkflowExecution{WorkflowId: run.GetWorkflowId(), RunId: run.GetRunId()},
	})
	if err != nil {
		return err
	}
	for _, a := range lost {
		o.Log.InfoContext(ctx, "Worker is gone; its activity is taken over", "opOccId", id,
			"activity", a.GetActivityType().GetName(), "attempt", a.GetAttempt(), "worker", a.GetLastWorkerIdentity())
		err := o.Client.CompleteActivityByID(ctx, o.Namespace, run.GetWorkflowId(), run.GetRunId(), a.GetActivityId(), nil,
			lostError())
		if err != nil {
			return err
		}
	}
	return nil
}

// lostActivities are the activities that a worker began and that lost it.
func lostActivities(pending []*workflow.PendingActivityInfo, own identity) (lost []*workflow.PendingActivityInfo) {
	for _, a := range pending {
		worker, ours := parseIdentity(a.GetLastWorkerIdentity())
		begun := a.GetState() == enums.PENDING_ACTIVITY_STATE_STARTED ||
			a.GetState() == enums.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED
		if ours && begun && worker.gone(own) {
			lost = append(lost, a)
		}
	}
	return lost
}

// lostError makes Temporal begin another attempt at once.
func lostError() error {
	e := lcm.Errorf(lcm.KindUnavailable, "The worker has ended; another one goes on.")
	return temporal.NewApplicationErrorWithOptions(e.Sentence(), string(e.Kind), temporal.ApplicationErrorOptions{
		Details: []any{*e}, NextRetryDelay: 10 * time.Millisecond,
	})
}
