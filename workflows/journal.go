package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

var (
	attrVnfInstanceID  = temporal.NewSearchAttributeKeyKeyword(lcm.AttrVnfInstanceID)
	attrOperation      = temporal.NewSearchAttributeKeyKeyword(lcm.AttrOperation)
	attrOperationState = temporal.NewSearchAttributeKeyKeyword(lcm.AttrOperationState)
	attrStep           = temporal.NewSearchAttributeKeyKeyword(lcm.AttrStep)
)

// journal holds what the operation has published about itself.
type journal struct {
	status      lcm.OperationStatus
	sequence    int64
	recorded    lcm.OperationState // the last state that the store surely has
	transitions int                // state changes recorded so far; updates wait for the next one
	lines       []line
	// waiting are rows of steps that are not stored yet: the end of a step is stored with the beginning of the next one.
	waiting []records.RecordStepInput
}

// line is one step in the Web UI's current details.
type line struct {
	index int
	undo  bool
	title string
	mark  string
}

// recordPlan stores the list of steps with the operation.
func (op *operation) recordPlan(ctx workflow.Context, steps []lifecycle.Step) error {
	for i, s := range steps {
		op.journal.lines = append(op.journal.lines, line{index: i, title: s.Title, mark: "·"})
	}
	return workflow.ExecuteLocalActivity(recording(ctx), act.opOccs.RecordPlan,
		records.RecordPlanInput{OpOccID: op.in.OpOccID, Steps: steps}).Get(ctx, nil)
}

// enter records a transition: search attributes, the UI's details, and the row that the API serves.
func (op *operation) enter(ctx workflow.Context, state lcm.OperationState, cause error) error {
	j := &op.journal
	j.status.State, j.status.Error = state, errorOf(cause)
	if state != lcm.Starting && state != lcm.Processing && state != lcm.RollingBack {
		// SOL003 clause 5.5.2.13: isCancelPending and cancelMode go when the cancel is over.
		j.status.IsCancelPending, j.status.CancelMode, op.control.cancel = false, "", ""
	}
	err := workflow.UpsertTypedSearchAttributes(ctx, attrVnfInstanceID.ValueSet(string(op.in.VnfInstanceID)),
		attrOperation.ValueSet(string(op.in.Operation)), attrOperationState.ValueSet(string(state)))
	if err != nil {
		return err
	}
	op.show(ctx)
	j.store(ctx)
	var outcome *record.Outcome
	if op.outcome != nil && (state == lcm.Completed || state == lcm.FailedTemp || state == lcm.Failed) {
		outcome = op.outcome()
	}
	if op.restored != nil && state == lcm.RolledBack {
		outcome = op.restored()
	}
	if err := op.recordState(ctx, outcome); err != nil {
		return err
	}
	j.transitions++
	j.recorded = state
	return nil
}

// end enters a terminal state.
func (op *operation) end(ctx workflow.Context, state lcm.OperationState, cause error) error {
	return op.enter(ctx, state, cause)
}

func (op *operation) recordState(ctx workflow.Context, outcome *record.Outcome) error {
	op.journal.sequence++
	return workflow.ExecuteLocalActivity(recording(ctx), act.opOccs.RecordState,
		records.RecordStateInput{
			OpOccID: op.in.OpOccID, Sequence: op.journal.sequence, Status: op.journal.status, GrantID: op.grantID,
			Outcome: outcome,
		}).Get(ctx, nil)
}

func (op *operation) begin(ctx workflow.Context, ref lcm.StepRef, title string) {
	j := &op.journal
	j.status.Step = title
	j.mark(ref, title, "▶")
	_ = workflow.UpsertTypedSearchAttributes(ctx, attrStep.ValueSet(title))
	op.show(ctx)
	j.waiting = append(j.waiting, rowOf(ctx, ref, title, lcm.StepRunning, nil))
	j.store(ctx)
}

func (j *journal) finish(ctx workflow.Context, ref lcm.StepRef, title string, state lcm.StepState, err error) {
	mark := map[lcm.StepState]string{lcm.StepDone: "✔", lcm.StepFailed: "✘", lcm.StepCancelled: "■"}[state]
	j.mark(ref, title, mark)
	j.waiting = append(j.waiting, rowOf(ctx, ref, title, state, err))
}

// rowOf is the row of a step as a whole. The worker records the rows of single nodes during the step.
func rowOf(
	ctx workflow.Context, ref lcm.StepRef, title string, state lcm.StepState, err error,
) records.RecordStepInput {
	row := lcm.Step{
		OpOccID: ref.OpOccID, Index: ref.Step, Phase: phaseOf(ref), Title: title, State: state, Error: errorOf(err),
	}
	if state == lcm.StepRunning {
		row.Started = workflow.Now(ctx)
	} else {
		row.Ended = workflow.Now(ctx)
	}
	return records.RecordStepInput{Step: row}
}

// store stores the waiting rows.
func (j *journal) store(ctx workflow.Context) {
	if len(j.waiting) == 0 {
		return
	}
	rows := j.waiting
	j.waiting = nil
	recorded := workflow.ExecuteLocalActivity(recording(ctx), act.opOccs.RecordSteps, records.RecordStepsInput(rows))
	if err := recorded.Get(ctx,
		nil); err != nil {
		workflow.GetLogger(ctx).Warn("Steps not recorded.", "error", err)
	}
}

func phaseOf(ref lcm.StepRef) lcm.Phase {
	if ref.Undo {
		return lcm.PhaseCompensation
	}
	return lcm.PhaseForward
}

func (j *journal) mark(ref lcm.StepRef, title, mark string) {
	for i := range j.lines {
		if j.lines[i].index == ref.Step && j.lines[i].undo == ref.Undo {
			j.lines[i].mark = mark
			return
		}
	}
	j.lines = append(j.lines, line{index: ref.Step, undo: ref.Undo, title: title, mark: mark})
}
