package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// control holds what people and clients ask of a running operation.
type control struct {
	decision lcm.Action // while FAILED_TEMP: the decision, "" until somebody decides
	cancel   lcm.CancelMode
	stop     workflow.CancelFunc // ends the step under way; nil between steps
	// waits are the activities under way that only wait. endsWaits is set when a GRACEFUL cancel ends them.
	waits     []*wait
	endsWaits bool
}

// stopping reports whether no further step may start.
func (c *control) stopping() bool { return c.cancel != "" }

// cause is the error of an operation that was cancelled.
func (c *control) cause() error {
	return lcm.Cancelled(c.cancel)
}

// listen installs the query, the updates and the signals. The API uses updates: their validators refuse a wrong state
// at once, and the API answers 409. Signals have the same names and no payload, for tctl and the Web UI. Windlass can
// only log a misplaced signal.
func (op *operation) listen(ctx, root workflow.Context) error {
	if err := workflow.SetQueryHandlerWithOptions(ctx, lcm.QueryStatus, func() (lcm.OperationStatus, error) {
		return op.journal.status, nil
	}, workflow.QueryHandlerOptions{Description: "Where the operation stands: state, step, error."}); err != nil {
		return err
	}
	for _, action := range []lcm.Action{lcm.Retry, lcm.Rollback, lcm.Fail} {
		if err := op.takeDecision(ctx, action); err != nil {
			return err
		}
	}
	if err := op.takeCancel(ctx); err != nil {
		return err
	}
	workflow.Go(ctx, func(ctx workflow.Context) { // `temporal workflow cancel`, `tctl workflow cancel`, the UI's button
		root.Done().Receive(ctx, nil)
		if root.Err() != nil && op.accepts(lcm.Cancel) == nil {
			op.stopWorkUnasked(ctx, lcm.Forceful)
		}
	})
	return nil
}

// takeDecision accepts retry, rollback or fail while the operation is in FAILED_TEMP.
func (op *operation) takeDecision(ctx workflow.Context, action lcm.Action) error {
	describe := map[lcm.Action]string{
		lcm.Retry:    "In FAILED_TEMP: run the failed step again and go on.",
		lcm.Rollback: "In FAILED_TEMP: undo the steps in reverse.",
		lcm.Fail:     "In FAILED_TEMP: give the operation up as it is.",
	}[action]
	handle := func(ctx workflow.Context) (lcm.OperationStatus, error) {
		ctx, _ = workflow.NewDisconnectedContext(ctx) // Windlass has dealt with any earlier `temporal workflow cancel`
		op.control.decision = action
		next := op.journal.transitions + 1
		if op.journal.recorded != lcm.FailedTemp {
			next++ // a client was faster than the answer to the record of FAILED_TEMP itself
		}
		err := workflow.Await(ctx, func() bool { return op.journal.transitions >= next })
		return op.journal.status, err
	}
	err := workflow.SetUpdateHandlerWithOptions(ctx, string(action), handle, workflow.UpdateHandlerOptions{
		Validator: func(workflow.Context) error { return op.accepts(action) }, Description: describe,
	})
	if err != nil {
		return err
	}
	op.onSignal(ctx, action, describe, func(workflow.Context) { op.control.decision = action })
	return nil
}

// takeCancel accepts cancel while work is under way. The signal, which has no payload, means GRACEFUL.
func (op *operation) takeCancel(ctx workflow.Context) error {
	const describe = "While the operation runs: GRACEFUL ends it after the current step, and at once where that only " +
		"waits; FORCEFUL interrupts the step. " +
		"It is in FAILED_TEMP then."
	handle := func(ctx workflow.Context, req lcm.CancelRequest) error {
		if op.isCancelledBy(req.Mode) {
			return nil
		}
		ctx, _ = workflow.NewDisconnectedContext(ctx)
		return op.stopWork(ctx, req.Mode)
	}
	err := workflow.SetUpdateHandlerWithOptions(ctx, string(lcm.Cancel), handle, workflow.UpdateHandlerOptions{
		Validator: func(_ workflow.Context, req lcm.CancelRequest) error {
			if req.Mode != lcm.Graceful && req.Mode != lcm.Forceful {
				return refusal(lcm.KindInvalid, "cancelMode must be GRACEFUL or FORCEFUL, not %q.", req.Mode)
			}
			if op.isCancelledBy(req.Mode) {
				return nil
			}
			return op.accepts(lcm.Cancel)
		},
		Description: describe,
	})
	if err != nil {
		return err
	}
	op.onSignal(ctx, lcm.Cancel, describe, func(ctx workflow.Context) { op.stopWorkUnasked(ctx, lcm.Graceful) })
	return nil
}

func (op *operation) onSignal(ctx workflow.Context, action lcm.Action, describe string, take func(workflow.Context)) {
	channel := workflow.GetSignalChannelWithOptions(ctx, string(action),
		workflow.SignalChannelOptions{Description: describe})
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			channel.Receive(ctx, nil)
			if err := op.accepts(action); err != nil {
				workflow.GetLogger(ctx).Warn("Signal ignored.", "signal", action, "error", err)
				continue
			}
			take(ctx)
		}
	})
}

// isCancelledBy tells whether the operation has already taken a cancel of that mode. A client repeats a cancel when it
// gets no answer. Both wait in Temporal while no worker runs, and the next worker answers both.
func (op *operation) isCancelledBy(mode lcm.CancelMode) bool {
	status := op.journal.status
	if status.State == lcm.FailedTemp {
		return op.control.decision == "" && status.Error != nil && status.Error.Cancelled == mode
	}
	return status.State.Accepts(lcm.Cancel) && op.control.cancel == mode
}

// accepts applies SOL003 clauses 5.4.14 to 5.4.17, whether an action comes as an update or as a signal.
func (op *operation) accepts(action lcm.Action) error {
	state := op.journal.status.State
	if !state.Accepts(action) {
		return refusal(lcm.KindConflict, "The operation is %s: %s is not possible.", state, action)
	}
	if action == lcm.Rollback && !op.in.Operation.CanRollBack() {
		return refusal(lcm.KindConflict, "%s goes forward only: retry it, or fail it.", op.in.Operation)
	}
	if action == lcm.Rollback && op.journal.status.ForwardOnly {
		return refusal(lcm.KindConflict,
			"Nodes or servers may be deleted already, so the %s goes forward only: retry it, or fail it.", op.in.Operation)
	}
	if action != lcm.Cancel && op.control.decision != "" {
		return refusal(lcm.KindConflict, "A %s has been accepted already.", op.control.decision)
	}
	if action == lcm.Cancel && op.control.cancel == lcm.Forceful {
		return refusal(lcm.KindConflict, "A FORCEFUL cancel is under way already.")
	}
	return nil
}

// refusal is a validator's error; its type carries the kind to the API server. Temporal does not encrypt benign errors,
// so its own tools show the words.
func refusal(kind lcm.ErrorKind, format string, args ...any) error {
	return temporal.NewApplicationErrorWithOptions(fmt.Sprintf(format, args...), string(kind),
		temporal.ApplicationErrorOptions{
			NonRetryable: true, Category: temporal.ApplicationErrorCategoryBenign,
			Details: []any{lcm.Errorf(kind, format, args...)},
		})
}

// stopWork keeps the next step from starting. In the step under way, GRACEFUL ends only activities that wait; FORCEFUL
// interrupts everything.
func (op *operation) stopWork(ctx workflow.Context, mode lcm.CancelMode) error {
	op.control.cancel = mode
	if mode == lcm.Forceful && op.control.stop != nil {
		op.control.stop()
	}
	if mode == lcm.Graceful {
		op.control.endWaits(ctx)
	}
	op.journal.status.IsCancelPending, op.journal.status.CancelMode = true, mode
	return op.recordState(ctx, nil)
}

// stopWorkUnasked is for cancels that nobody waits for an answer to.
func (op *operation) stopWorkUnasked(ctx workflow.Context, mode lcm.CancelMode) {
	if err := op.stopWork(ctx, mode); err != nil {
		workflow.GetLogger(ctx).Warn("Cancel not recorded.", "mode", mode, "error", err)
	}
}

// awaitDecision parks the operation in FAILED_TEMP until somebody decides. It takes no worker's time meanwhile.
func (op *operation) awaitDecision(ctx workflow.Context, cause error) (lcm.Action, error) {
	op.control.decision = ""
	if err := op.enter(ctx, lcm.FailedTemp, op.withoutReturn(cause)); err != nil {
		return "", err
	}
	err := workflow.Await(ctx, func() bool { return op.control.decision != "" })
	return op.control.decision, err
}

// withoutReturn adds to a cause that a rollback is no longer possible.
func (op *operation) withoutReturn(cause error) error {
	const noReturn = "Nodes or servers may be deleted already, so there is no rollback any more: retry, or fail."
	if cause == nil || !op.journal.status.ForwardOnly {
		return cause
	}
	e := *errorOf(cause)
	if len(e.Problems) > 0 { // they follow the detail
		e.Detail = noReturn + " " + e.Detail
	} else {
		e.Detail += " " + noReturn
	}
	return &e
}
