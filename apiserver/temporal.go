package apiserver

import (
	"context"
	"errors"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/vnflcm"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// startPatience and actPatience bound how long a request waits for Temporal. After startPatience, the reconciler starts
// the operation. actPatience also covers the wait for a worker, which may just be restarting.
const (
	startPatience = 5 * time.Second
	actPatience   = 10 * time.Second
)

// Temporal starts workflows and speaks to them.
type Temporal struct {
	Client client.Client
	Names  Names // nil shows ids only
}

var (
	_ vnflcm.Starter = (*Temporal)(nil)
	_ Watcher        = (*Temporal)(nil)
)

// Start starts the workflow of an operation under the operation's id, so that a second start finds the first workflow.
// An operation is started anew only to resume it: its earlier run was closed from outside. If the namespace has no
// search attributes for names, the workflow starts without them.
func (t *Temporal) Start(ctx context.Context, in lcm.OperationInput) error {
	name := in.Operation.Type().Workflow
	if name == "" {
		return lcm.Errorf(lcm.KindBug, "no workflow carries out %s", in.Operation)
	}
	reuse := enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	if in.Resumed {
		reuse = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	caption := t.captionOf(ctx, in)
	options := client.StartWorkflowOptions{
		ID: lcm.WorkflowID(in.OpOccID), TaskQueue: lcm.TaskQueue,
		WorkflowIDReusePolicy:    reuse,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		StaticSummary:            caption.title,
		TypedSearchAttributes:    temporal.NewSearchAttributes(append(idsOf(in), caption.attributes()...)...),
	}
	_, err := t.Client.ExecuteWorkflow(ctx, options, string(name), in)
	if _, ok := errors.AsType[*serviceerror.InvalidArgument](err); ok {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(idsOf(in)...)
		_, err = t.Client.ExecuteWorkflow(ctx, options, string(name), in)
	}
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		return nil // it ran and is over
	}
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "Temporal did not start the operation's workflow.")
	}
	return nil
}

// idsOf are the search attributes that every namespace of Windlass has.
func idsOf(in lcm.OperationInput) []temporal.SearchAttributeUpdate {
	return []temporal.SearchAttributeUpdate{
		temporal.NewSearchAttributeKeyKeyword(lcm.AttrVnfInstanceID).ValueSet(string(in.VnfInstanceID)),
		temporal.NewSearchAttributeKeyKeyword(lcm.AttrOperation).ValueSet(string(in.Operation)),
		temporal.NewSearchAttributeKeyKeyword(lcm.AttrOperationState).ValueSet(string(lcm.Starting)),
	}
}

// Act sends an update. When it returns, the action is accepted and, unless the worker was slow, its new
// state is stored, so that the client's next read shows it.
func (t *Temporal) Act(ctx context.Context, id lcm.OpOccID, action lcm.Action, cancel lcm.CancelRequest) error {
	ctx, stop := context.WithTimeout(ctx, actPatience)
	defer stop()
	var args []any
	if action == lcm.Cancel {
		args = []any{cancel}
	}
	handle, err := t.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: lcm.WorkflowID(id), UpdateName: string(action), Args: args,
		WaitForStage: client.WorkflowUpdateStageAccepted,
	})
	if err != nil {
		return refusalOf(err)
	}
	err = handle.Get(ctx, nil)
	if err != nil && ctx.Err() != nil && action != lcm.Fail {
		return nil // accepted; the rest takes longer than a client should wait
	}
	return refusalOf(err)
}

// refusalOf translates an update's error. A validator's error has its kind as its type; any other error means that the
// workflow could not be asked.
func refusalOf(err error) error {
	if err == nil {
		return nil
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		detail := new(lcm.Error)
		if app.HasDetails() && app.Details(detail) == nil && detail.Detail != "" {
			return detail
		}
		kind := lcm.ErrorKind(app.Type())
		if kind != lcm.KindConflict && kind != lcm.KindInvalid {
			return lcm.Wrap(lcm.KindUnavailable, err, "The operation's workflow did not accept the request.")
		}
		return lcm.Errorf(kind, "%s", app.Message())
	}
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return lcm.Wrap(lcm.KindUnavailable, err,
			"The operation's workflow is not running; Windlass starts it shortly. Try again.")
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "The operation's workflow cannot be reached. Try again.")
}

// Running tells whether the newest run of the operation's workflow is open.
func (t *Temporal) Running(ctx context.Context, id lcm.OpOccID) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	desc, err := t.Client.DescribeWorkflowExecution(ctx, lcm.WorkflowID(id), "")
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return false, nil
	}
	if err != nil {
		return false, lcm.Wrap(lcm.KindUnavailable, err, "Temporal did not report whether the operation's workflow "+
			"runs.")
	}
	status := desc.GetWorkflowExecutionInfo().GetStatus()
	return status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || status == enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED, nil
}

// Ready tells whether Temporal answers; it is a condition of /readyz.
func (t *Temporal) Ready(ctx context.Context) error {
	_, err := t.Client.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}
