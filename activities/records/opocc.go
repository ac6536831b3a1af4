// Package records has the activities on the records of an operation: its states, its steps, its plan, its outcome.
package records

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// Records stores the state of operations.
type Records interface {
	RecordPlan(ctx context.Context, id lcm.OpOccID, plan []lcm.Step) error
	KeepPlan(ctx context.Context, id lcm.OpOccID, plan lcm.Plan) (lcm.Plan, error)
	RecordOperation(ctx context.Context, rec lcm.OperationRecord) error
	RecordStep(ctx context.Context, step lcm.Step) error
	RecordSteps(ctx context.Context, steps []lcm.Step) error
	Steps(ctx context.Context, id lcm.OpOccID) ([]lcm.Step, error)
	Operation(ctx context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error)
	Instance(ctx context.Context, id lcm.VnfInstanceID) (lcm.VnfInstance, error)
}

// OpOccs stores the records of operations. REST clients read these records, never Temporal.
type OpOccs struct {
	Records Records
	Facts   Facts
	// Forget deletes the secrets whose references begin with prefix.
	Forget func(ctx context.Context, prefix string) error
	// GrantPatience is how long an NFVO may take to grant an operation; 0 when Windlass grants it itself.
	GrantPatience time.Duration
}

// Facts provides the facts about an operation.
type Facts interface {
	Describe(ctx context.Context, id lcm.OpOccID) (lifecycle.Description, error)
	// Plan decides the changes of a scaling or a healing, from the nodes that do not work, with reasons.
	Plan(ctx context.Context, id lcm.OpOccID, unhealthy map[string]string) (lcm.Plan, error)
	// Grant returns what the operation may do, according to its plan.
	Grant(ctx context.Context, id lcm.OpOccID) (lcm.Grant, error)
	// Instantiated makes instantiatedVnfInfo from the outcome of an operation.
	Instantiated(ctx context.Context, id lcm.OpOccID, made record.Outcome) (record.InstantiatedVnf, error)
	// Modified returns the VNF instance after the modifications of a MODIFY_INFO, and the modifications. A Conflict says
	// why they are no longer possible.
	Modified(ctx context.Context, id lcm.OpOccID) (lcm.VnfInstance, lcm.VnfInfoModifications, error)
}

// DescribeInput names the operation.
type DescribeInput struct {
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// DescribeOperation reads the description of the operation. Idempotent: it only reads.
func (o *OpOccs) DescribeOperation(ctx context.Context, in DescribeInput) (out lifecycle.Description, err error) {
	defer func() { err = activities.Boundary(ctx, "read the operation", err) }()
	out, err = o.Facts.Describe(ctx, in.OpOccID)
	out.GrantPatience = o.GrantPatience
	return out, err
}

// RecordPlanInput is the list of the operation's steps.
type RecordPlanInput struct {
	OpOccID lcm.OpOccID      `json:"opOccId"`
	Steps   []lifecycle.Step `json:"steps"`
}

// RecordPlan stores the future steps. Idempotent: it keeps existing rows.
func (o *OpOccs) RecordPlan(ctx context.Context, in RecordPlanInput) (err error) {
	defer func() { err = activities.Boundary(ctx, "record the plan", err) }()
	plan := make([]lcm.Step, 0, len(in.Steps))
	for i, s := range in.Steps {
		plan = append(plan, lcm.Step{
			OpOccID: in.OpOccID, Index: i, Phase: lcm.PhaseForward, State: lcm.StepPending,
			ID: string(s.ID), Title: s.Title, Undo: s.Undo, Final: s.Final,
		})
	}
	return o.Records.RecordPlan(ctx, in.OpOccID, plan)
}

// RecordStateInput is a transition of an operation.
type RecordStateInput struct {
	OpOccID  lcm.OpOccID `json:"opOccId"`
	Sequence int64       `json:"sequence"`
	// Status is the present state of the operation.
	Status lcm.OperationStatus `json:"status"`
	// GrantID is set from the first transition after the grant.
	GrantID string `json:"grantId,omitempty"`
	// Outcome is what the operation has changed; it is set at COMPLETED, FAILED_TEMP and FAILED.
	Outcome *record.Outcome `json:"outcome,omitempty"`
}

// RecordState stores a transition, its event and, at COMPLETED, the VNF instance, in one transaction.
// Idempotent: a sequence number that is already stored changes nothing.
func (o *OpOccs) RecordState(ctx context.Context, in RecordStateInput) (err error) {
	defer func() { err = activities.Boundary(ctx, "record the state", err) }()
	rec := lcm.OperationRecord{
		OpOccID: in.OpOccID, Sequence: in.Sequence, State: in.Status.State, Step: in.Status.Step, Error: in.Status.Error,
		IsCancelPending: in.Status.IsCancelPending, CancelMode: in.Status.CancelMode, ForwardOnly: in.Status.ForwardOnly,
		GrantID: in.GrantID,
	}
	rec.NothingLeft = in.Status.State == lcm.Failed && in.Outcome != nil && in.Outcome.NothingLeft
	if err := o.account(ctx, in, &rec); err != nil {
		return err
	}
	if err := o.grant(ctx, in, &rec); err != nil {
		return err
	}
	if err := o.Records.RecordOperation(ctx, rec); err != nil {
		return err
	}
	if in.Status.State.Terminal() { // join tokens and similar secrets are no longer needed
		return o.Forget(ctx, string(reach.OperationRef(in.OpOccID, "")))
	}
	return nil
}

// RecordStepInput is a transition of one step, or of one node's part of a step.
type RecordStepInput struct {
	Step lcm.Step `json:"step"`
}

// RecordStepsInput is a list of step transitions of one operation.
type RecordStepsInput []RecordStepInput

// RecordSteps stores transitions of steps. When a whole step ends, it also ends the parts of its nodes: a killed
// worker, or a worker without the database, has not reported the end of its parts. Idempotent: the store keeps the
// newest transition of each step.
func (o *OpOccs) RecordSteps(ctx context.Context, in RecordStepsInput) (err error) {
	defer func() { err = activities.Boundary(ctx, "record the steps", err) }()
	steps := make([]lcm.Step, 0, len(in))
	for _, r := range in {
		parts, err := o.partsLeft(ctx, r.Step)
		if err != nil {
			return err
		}
		steps = append(append(steps, r.Step), parts...)
	}
	return o.Records.RecordSteps(ctx, steps)
}

// partsLeft ends the parts that are still recorded as running after their step has ended.
func (o *OpOccs) partsLeft(ctx context.Context, whole lcm.Step) (ended []lcm.Step, err error) {
	if whole.Node != "" || whole.State == lcm.StepPending || whole.State == lcm.StepRunning {
		return nil, nil
	}
	steps, err := o.Records.Steps(ctx, whole.OpOccID)
	for _, part := range steps {
		if part.Index == whole.Index && part.Phase == whole.Phase && part.Node != "" && part.State == lcm.StepRunning {
			part.State, part.Ended, part.Error, part.Retry = whole.State, whole.Ended, whole.Error, nil
			ended = append(ended, part)
		}
	}
	return ended, err
}

// InterruptSteps records that no step is running any more, because the workflow of the steps is gone.
// Idempotent: a step that has ended stays as it is.
func (o *OpOccs) InterruptSteps(ctx context.Context, in DescribeInput) (err error) {
	defer func() { err = activities.Boundary(ctx, "record the steps", err) }()
	steps, err := o.Records.Steps(ctx, in.OpOccID)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if step.State != lcm.StepRunning {
			continue
		}
		step.State, step.Retry = lcm.StepCancelled, nil
		if err := o.Records.RecordStep(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// Subject is the operation.
func (in DescribeInput) Subject() lcm.Subject { return lcm.Subject{OpOccID: in.OpOccID} }

// Subject is the operation.
func (in RecordPlanInput) Subject() lcm.Subject { return lcm.Subject{OpOccID: in.OpOccID} }

// Subject is the operation.
func (in RecordStateInput) Subject() lcm.Subject { return lcm.Subject{OpOccID: in.OpOccID} }

// Subject is the operation, the same for all steps.
func (in RecordStepsInput) Subject() lcm.Subject {
	if len(in) == 0 {
		return lcm.Subject{}
	}
	return lcm.Subject{OpOccID: in[0].Step.OpOccID}
}
