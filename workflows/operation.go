// Package workflows holds the lifecycle operations, one file for each. lifecycle.Steps says which steps an operation
// has. A table here says what each step does. A workflow only decides and waits; everything that touches the world is
// an activity.
package workflows

import (
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// operation is one lifecycle operation: its steps, and where it stands.
type operation struct {
	in lcm.OperationInput
	// learn takes the description of the operation before its first step.
	learn func(what lifecycle.Description)
	// tables say what the steps do.
	tables tables
	// outcome says what the operation has changed so far. At COMPLETED it goes into the VNF instance. Whenever the
	// operation stops, it goes into resourceChanges.
	outcome func() *record.Outcome
	// restored says what a rollback has made anew, nil for nothing. The function is nil where no rollback makes anything
	// anew.
	restored func() *record.Outcome
	// lookBack finds out what exists when the operation is given up half-way. It is nil where nobody needs to know.
	lookBack func(ctx workflow.Context) error

	starting, processing []lifecycle.Step
	next                 int   // the step of processing that is to run, or that failed
	reached              int   // the last step of processing that has begun in this run of the workflow
	resumed              bool  // an earlier run of the workflow may have come further
	cause                error // why it was given up
	leftBehind           bool
	grantID              string
	control              control
	journal              journal
}

// work is what a step does, and what undoes it. Both must be safe to repeat: a retry runs do again, and a rollback also
// undoes the step that failed half-way. A step has an undo only if its line in the list says how it is undone.
type work struct {
	do, undo func(ctx workflow.Context) error
}

// table maps the ids of steps to their work. tables are several; no two of them have the same step.
type (
	table  map[lifecycle.StepID]work
	tables []table
)

// of returns the function that does a step, or that undoes it. A later release may have begun the operation: then this
// release may not know some of its steps.
func (t tables) of(s lifecycle.Step, phase lcm.Phase) (func(ctx workflow.Context) error, error) {
	for _, steps := range t {
		do := steps[s.ID].do
		if phase == lcm.PhaseCompensation {
			do = steps[s.ID].undo
		}
		if do != nil {
			return do, nil
		}
	}
	return nil, lcm.Errorf(lcm.KindBug, "This release of Windlass does not know the step %q (%s) of the operation: "+
		"let workers of the release run that began it, then go on.", s.Title, s.ID)
}

// runOperation takes an operation through the states of SOL003 clause 5.6.2. No other code has this state machine. When
// an operation ends in FAILED, its workflow fails too, so that Temporal's own lists show it.
func runOperation(root workflow.Context, op *operation) error {
	// A `temporal workflow cancel` must not end the work. It is only a request, which listen turns into a FORCEFUL
	// cancel.
	ctx, _ := workflow.NewDisconnectedContext(root)
	if err := op.listen(ctx, root); err != nil {
		return err
	}
	err := op.run(ctx)
	// No update may be cut off by the completion of the workflow.
	if waiting := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) }); waiting != nil {
		return waiting
	}
	if err == nil && op.journal.status.State == lcm.Failed {
		e := op.journal.status.Error
		return temporal.NewNonRetryableApplicationError(e.Headline(), string(e.Kind), nil, e)
	}
	return err
}

func (op *operation) run(ctx workflow.Context) error {
	first := op.in.Operation.FirstState()
	op.journal.status.State = first
	var what lifecycle.Description
	err := workflow.ExecuteLocalActivity(recording(ctx), act.opOccs.DescribeOperation,
		records.DescribeInput{OpOccID: op.in.OpOccID}).Get(ctx, &what)
	if err != nil {
		return op.endUnread(ctx, err)
	}
	if what.State.Terminal() { // a run of this very task recorded the end, and was then lost
		return nil
	}
	if what.Refused != nil {
		return op.end(ctx, lcm.RolledBack, what.Refused)
	}
	op.journal.status.ForwardOnly, op.leftBehind = what.ForwardOnly, what.LeftBehind
	op.journal.sequence = what.Sequence // an earlier run of this operation may have recorded some
	op.learn(what)
	op.starting, op.processing = lifecycle.Split(what.Steps)
	if err := op.recordPlan(ctx, what.Steps); err != nil {
		return err
	}
	if op.in.Resumed && begun(what, first) {
		op.journal.status.State = what.State
		return op.resume(ctx)
	}
	if first == lcm.Processing { // there is nothing to grant
		return op.process(ctx)
	}
	return op.start(ctx, what.State)
}

// endUnread ends an operation whose description the worker cannot read. A resumed operation may have begun, or be half
// rolled back: its record then stays as it is, and the reconciler tries again.
func (op *operation) endUnread(ctx workflow.Context, cause error) error {
	if op.in.Resumed {
		return cause
	}
	op.journal.sequence = beyond
	if err := op.end(ctx, lcm.RolledBack, cause); err != nil {
		return cause
	}
	return nil
}

// beyond is above the number of any record that a run lost in STARTING can have made. The store knows whether it made
// more.
const beyond = 1 << 20

// start runs the steps before PROCESSING. recorded is the state in the store. It is PROCESSING if a run of this very
// task recorded that and was then lost.
func (op *operation) start(ctx workflow.Context, recorded lcm.OperationState) error {
	if recorded == lcm.Starting {
		if err := op.enter(ctx, lcm.Starting, nil); err != nil {
			return err
		}
	} else {
		op.journal.status.State = recorded
	}
	_, cause := op.runSteps(ctx, op.starting, 0)
	if cause == nil && op.control.stopping() {
		cause = op.control.cause()
	}
	if cause == nil {
		return op.process(ctx)
	}
	// No step has touched anything yet. An error or a cancel ends the operation, and there is nothing to decide.
	err := op.end(ctx, lcm.RolledBack, cause)
	if err != nil && errorOf(err).Kind == lcm.KindConflict {
		// A run of this very task has recorded PROCESSING and was then lost. Clients have seen that state, and a cancel in
		// PROCESSING leads to FAILED_TEMP (SOL003 clause 5.4.17).
		return op.pause(ctx, cause, 0)
	}
	return err
}

// begun tells whether an earlier run of the operation may have changed something.
func begun(what lifecycle.Description, first lcm.OperationState) bool {
	return what.State != first || first == lcm.Processing && what.Sequence > 0
}

// process runs the steps until all are done, or until somebody decides to give up.
func (op *operation) process(ctx workflow.Context) error {
	for {
		if err := op.enter(ctx, lcm.Processing, nil); err != nil {
			return err
		}
		done, cause := op.runSteps(ctx, op.processing[op.next:], len(op.starting)+op.next)
		op.next += done
		if cause == nil {
			if cause = op.end(ctx, lcm.Completed, nil); cause == nil {
				return nil
			}
			// The work is done but cannot be recorded, e.g. because somebody changed the VNF meanwhile. A person decides.
		}
		decision, err := op.awaitDecision(ctx, cause)
		switch {
		case err != nil:
			return err
		case decision == lcm.Fail:
			return op.giveUp(ctx, cause)
		case decision == lcm.Rollback:
			over, err := op.rollBack(ctx, cause)
			if over || err != nil {
				return err
			}
		} // retry: the loop resumes at the failed step
	}
}

// rollBack undoes the steps in reverse, the half-done one included. When an undo fails, the operation is in FAILED_TEMP
// again. Then a rollback goes on with that undo; a retry goes forward again from its step. over tells that the
// operation has ended. An INSTANTIATE that was given up may have left resources, and may have come further than this
// one. In that case rollBack undoes all steps.
func (op *operation) rollBack(ctx workflow.Context, cause error) (over bool, err error) {
	reached := op.next
	if op.leftBehind {
		op.next = len(op.processing) - 1
	}
	for {
		if err := op.enter(ctx, lcm.RollingBack, cause); err != nil {
			return false, err
		}
		undoing := op.undoSteps(ctx)
		if undoing == nil {
			return true, op.end(ctx, lcm.RolledBack, cause)
		}
		decision, err := op.awaitDecision(ctx, undoing)
		if err != nil || decision == lcm.Retry {
			op.next = min(op.next, reached)
			return false, err
		}
		if decision == lcm.Fail {
			return true, op.giveUp(ctx, undoing)
		}
	}
}

// giveUp ends the operation as it is. If it was changing a VNF, the record then says what exists. A client can then
// heal the VNF or scale it in. A cloud that does not answer keeps nobody from giving up.
func (op *operation) giveUp(ctx workflow.Context, cause error) error {
	op.cause = cause
	if op.lookBack != nil {
		ref := lcm.StepRef{OpOccID: op.in.OpOccID, Step: len(op.starting) + min(op.next, len(op.processing)-1)}
		looking := workflow.WithValue(ctx, stepKey{}, &running{ref: ref, title: "Look at what is left"})
		if err := op.lookBack(looking); err != nil {
			workflow.GetLogger(ctx).Warn("What the operation has left could not be looked at. A check for drift will tell.",
				"error", err)
		}
	}
	return op.end(ctx, lcm.Failed, cause)
}

// hasBegunOnly tells whether a rollback would have nothing to undo but that step, and whether the step has ended. It is
// false where nobody knows for sure: a call without an answer, or the attempt of a lost worker, may still take effect.
func (op *operation) hasBegunOnly(id lifecycle.StepID) bool {
	if e := errorOf(op.cause); e == nil || e.Kind == lcm.KindUnavailable || e.Kind == lcm.KindBug {
		return false
	}
	at := slices.IndexFunc(op.processing, func(s lifecycle.Step) bool { return s.ID == id })
	return at >= op.reached && !op.leftBehind && !op.resumed &&
		!slices.ContainsFunc(op.processing[:at], func(s lifecycle.Step) bool { return s.Undo != "" })
}

// resume goes on with an operation after somebody terminated its earlier run from outside. It does not know what that
// run did, and need not know: every step looks first.
func (op *operation) resume(ctx workflow.Context) error {
	cause := lcm.Errorf(lcm.KindBroken, "The operation's workflow was terminated from outside Windlass. "+
		"Retry it to go on, roll it back, or fail it.")
	op.next = 0
	err := workflow.ExecuteLocalActivity(recording(ctx), act.opOccs.InterruptSteps,
		records.DescribeInput{OpOccID: op.in.OpOccID}).Get(ctx, nil)
	if err != nil {
		return err
	}
	return op.pause(ctx, cause, len(op.processing)-1)
}

// pause lets somebody decide on an operation whose steps have not run in this run of the workflow. A rollback begins
// with the undo of step last.
func (op *operation) pause(ctx workflow.Context, cause error, last int) error {
	op.resumed = true
	decision, err := op.awaitDecision(ctx, cause)
	switch {
	case err != nil:
		return err
	case decision == lcm.Fail:
		return op.giveUp(ctx, cause)
	case decision == lcm.Rollback:
		op.next = last
		if over, err := op.rollBack(ctx, cause); over || err != nil {
			return err
		}
	}
	return op.process(ctx)
}

// runSteps runs steps in order; first is the number of the first one. It returns how many are done, and why it stopped.
func (op *operation) runSteps(ctx workflow.Context, steps []lifecycle.Step, first int) (done int, cause error) {
	for i, s := range steps {
		if op.control.stopping() {
			return i, op.control.cause()
		}
		do, err := op.tables.of(s, lcm.PhaseForward)
		if err != nil {
			return i, err
		}
		op.journal.status.ForwardOnly = op.journal.status.ForwardOnly || s.Final && op.in.Operation.CanRollBack()
		op.reached = max(op.reached, first+i-len(op.starting))
		if err := op.runStep(ctx, first+i, s.Title, lcm.PhaseForward, do); err != nil {
			return i, err
		}
	}
	// A cancel that came while the last step ended is too late: SOL003 clause 5.4.17 lets the operation succeed.
	return len(steps), nil
}

// undoSteps undoes the steps backwards, beginning with step next. When an undo fails, next stays at its step.
func (op *operation) undoSteps(ctx workflow.Context) error {
	for op.next = min(op.next, len(op.processing)-1); op.next >= 0; op.next-- {
		s := op.processing[op.next]
		if s.Undo == "" {
			continue
		}
		if op.control.stopping() {
			return op.control.cause()
		}
		undo, err := op.tables.of(s, lcm.PhaseCompensation)
		if err != nil {
			return err
		}
		if err := op.runStep(ctx, len(op.starting)+op.next, "Undo: "+s.Title, lcm.PhaseCompensation, undo); err != nil {
			return err
		}
	}
	op.next = 0
	return nil
}

// runStep runs do in a scope that a FORCEFUL cancel ends. do is the work of a step, or its undo.
func (op *operation) runStep(
	ctx workflow.Context, index int, title string, phase lcm.Phase, do func(workflow.Context) error,
) error {
	scope, stop := workflow.WithCancel(ctx)
	defer stop()
	op.control.stop = stop
	defer func() { op.control.stop = nil }()

	ref := lcm.StepRef{OpOccID: op.in.OpOccID, Step: index, Undo: phase == lcm.PhaseCompensation}
	op.begin(ctx, ref, title)
	err := do(workflow.WithValue(scope, stepKey{}, &running{ref: ref, title: title, control: &op.control}))
	state := lcm.StepDone
	switch {
	case err != nil && isCancelled(err) && op.control.stopping():
		state, err = lcm.StepCancelled, op.control.cause()
	case err != nil && temporal.IsTimeoutError(err) && op.control.cancel == lcm.Forceful:
		state, err = lcm.StepCancelled, lcm.Errorf(lcm.KindUnavailable,
			"%s No worker has confirmed that the step's work has stopped: see that one runs, and look at the nodes.",
			op.control.cause())
	case err != nil:
		state = lcm.StepFailed
	}
	op.journal.finish(ctx, ref, title, state, err)
	return err
}
