package apiserver

import (
	"context"
	"errors"
	"hash/fnv"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/extensions"
	"github.com/windlass-nfv/windlass/apiserver/rest"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

var _ extensions.DriftChecks = (*Temporal)(nil)

// catchUp is how late a missed check may still begin. Later than that, the next scheduled check does as well.
const catchUp = time.Minute

// ScheduleChecks makes the schedule of an instance's checks anew. A check under way is not disturbed.
func (t *Temporal) ScheduleChecks(ctx context.Context, id lcm.VnfInstanceID, interval int) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	schedules := t.Client.ScheduleClient()
	err := schedules.GetHandle(ctx, lcm.DriftScheduleID(id)).Delete(ctx)
	if _, absent := errors.AsType[*serviceerror.NotFound](err); err != nil && !absent {
		return lcm.Wrap(lcm.KindUnavailable, err, "Temporal did not end the schedule of the checks for drift.")
	}
	if interval == 0 {
		return nil
	}
	every := time.Duration(interval) * time.Second
	_, err = schedules.Create(ctx, client.ScheduleOptions{
		ID:   lcm.DriftScheduleID(id),
		Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: every, Offset: offset(id, every)}}},
		Action: &client.ScheduleWorkflowAction{
			ID: lcm.DriftScheduleID(id), Workflow: string(lcm.WorkflowDrift), TaskQueue: lcm.TaskQueue,
			Args:                  []any{lcm.DriftInput{VnfInstanceID: id, Trigger: lcm.DriftBySchedule}},
			WorkflowRunTimeout:    time.Hour, // a check that hangs by a bug must not stop all later checks
			TypedSearchAttributes: instanceAttribute(id),
		},
		Overlap:       enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchupWindow: catchUp,
	})
	if err != nil && !errors.Is(err, temporal.ErrScheduleAlreadyRunning) { // another API server was faster
		return lcm.Wrap(lcm.KindUnavailable, err, "Temporal did not schedule the checks for drift.")
	}
	return nil
}

// offset spreads the checks of many instances over their interval.
func offset(id lcm.VnfInstanceID, every time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return (time.Duration(h.Sum32()) * time.Second) % every
}

// CheckNow starts a separate check on request, because a running check may have looked already.
func (t *Temporal) CheckNow(ctx context.Context, id lcm.VnfInstanceID) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	options := checkOptions(id, lcm.DriftByRequest)
	options.ID += "-" + rest.NewID[string]()
	run, err := t.Client.ExecuteWorkflow(ctx, options, string(lcm.WorkflowDrift),
		lcm.DriftInput{VnfInstanceID: id, Trigger: lcm.DriftByRequest})
	if err != nil {
		return "", lcm.Wrap(lcm.KindUnavailable, err, "Temporal did not start the check. Try again.")
	}
	return run.GetRunID(), nil
}

// Notify signals the running check by notification, or starts one.
func (t *Temporal) Notify(ctx context.Context, id lcm.VnfInstanceID, serverID string) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	options := checkOptions(id, lcm.DriftByNotification)
	_, err := t.Client.SignalWithStartWorkflow(ctx, options.ID, lcm.SignalServerNotified, serverID, options,
		string(lcm.WorkflowDrift),
		lcm.DriftInput{VnfInstanceID: id, Trigger: lcm.DriftByNotification})
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "Temporal did not accept the notification. Try again.")
	}
	return nil
}

func checkOptions(id lcm.VnfInstanceID, trigger lcm.DriftTrigger) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: lcm.DriftWorkflowID(id, trigger), TaskQueue: lcm.TaskQueue,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    instanceAttribute(id),
	}
}

func instanceAttribute(id lcm.VnfInstanceID) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(temporal.NewSearchAttributeKeyKeyword(lcm.AttrVnfInstanceID).ValueSet(string(id)))
}
