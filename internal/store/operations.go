package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

const selectOperation = `
	select id, project_id, vnf_instance_id, operation, state, state_entered_time, start_time, grant_id,
		is_automatic_invocation, is_cancel_pending, cancel_mode, request, params, api_version, error,
		resource_changes, changed_info, forward_only, nullif(plan - 'grant' - 'drains' - 'nothingLeft', '{}'),
		grant_id <> '', coalesce(plan->'grant'->>'href', ''), step, sequence
	from vnf_lcm_op_occ`

// listOperations reads operations for a list, which shows nothing of their requests but operationParams.
var listOperations = strings.Replace(selectOperation, " request,", nothing, 1)

func scanOperation(row pgx.CollectableRow) (op lcm.VnfLcmOpOcc, err error) {
	err = row.Scan(&op.ID, &op.ProjectID, &op.VnfInstanceID, &op.Operation, &op.State, &op.StateEnteredTime, &op.StartTime,
		&op.GrantID,
		&op.IsAutomaticInvocation, &op.IsCancelPending, &op.CancelMode, &op.Request, &op.Params, &op.APIVersion, &op.Error,
		&op.ResourceChanges, &op.ChangedInfo, &op.ForwardOnly, &op.Plan,
		&op.Granted, &op.GrantHref, &op.Step, &op.Sequence)
	return op, err
}

// BeginOperation inserts the operation in its first state, and adds its VIMs to the instance's connections: they cannot
// be deleted from then on. It returns a Conflict when another operation of the instance is in progress, the instance's
// state does not fit, the instance changed since OfVersion, or a VIM is gone.
func (s *Store) BeginOperation(ctx context.Context, op lcm.VnfLcmOpOcc, vims ...lcm.VimConnectionInfo) error {
	err := s.inTransaction(ctx, "begin operation", func(tx pgx.Tx) error {
		if err := noteOutcome(ctx, tx, string(op.ID)); err != nil {
			return err
		}
		if err := checkInstanceFits(ctx, tx, op); err != nil {
			return err
		}
		if err := connect(ctx, tx, op.VnfInstanceID, vims); err != nil {
			return err
		}
		if err := reserveVimName(ctx, tx, op); err != nil {
			return err
		}
		var entered time.Time
		err := tx.QueryRow(ctx, `
			insert into vnf_lcm_op_occ (id, vnf_instance_id, operation, state, grant_id, is_automatic_invocation, request, params,
				api_version, registers_vim, project_id)
			values (@id, @instance, @operation, @state, @grant, @automatic, @request, @params, @version, @vim,
				(select project_id from vnf_instance where id = @instance))
			returning state_entered_time`,
			pgx.NamedArgs{
				"id": op.ID, "instance": op.VnfInstanceID, "operation": op.Operation, "state": op.Operation.FirstState(),
				"grant":     op.GrantID,
				"automatic": op.IsAutomaticInvocation, "request": op.Request, "params": op.Params, "version": op.APIVersion,
				"vim": op.RegistersVim.Name,
			}).Scan(&entered)
		if err != nil {
			return err
		}
		yes, err := subscribed(ctx, tx)
		if err == nil && yes {
			err = notifyOperation(ctx, tx, op.ID)
		}
		if err != nil {
			return err
		}
		first := lcm.OperationEvent{State: op.Operation.FirstState(), StateEnteredTime: entered}
		return appendEvent(ctx, tx, op.ID, lcm.EventOperation, begun{first, telemetry.TraceParent(ctx)})
	})
	if violates(err, "vnf_lcm_op_occ_one_open") {
		return s.underWay(ctx, op.VnfInstanceID)
	}
	return err
}

// checkInstanceFits locks the instance until the end of the transaction and compares its state with the state that the
// operation needs.
func checkInstanceFits(ctx context.Context, tx pgx.Tx, op lcm.VnfLcmOpOcc) error {
	var state lcm.InstantiationState
	var version int64
	err := tx.QueryRow(ctx, `select instantiation_state, version from vnf_instance where id = @id for update`,
		pgx.NamedArgs{"id": op.VnfInstanceID}).Scan(&state, &version)
	if err != nil {
		return interpretMissing("lock the VNF instance", err, notFound("VNF instance", op.VnfInstanceID))
	}
	if op.OfVersion != 0 && version != op.OfVersion {
		return changedMeanwhile("VNF instance", op.VnfInstanceID, version, op.OfVersion)
	}
	needed := cmp.Or(op.Operation.Type().Needs, state)
	if op.Operation == lcm.OpTerminate { // also possible after a failed INSTANTIATE that left resources
		_, left, err := leftBehind(ctx, tx, op.VnfInstanceID, time.Time{})
		if err != nil {
			return err
		}
		if left && op.OfVersion != 0 { // only a request with a version is for the left resources
			needed = lcm.NotInstantiated
		}
	}
	if state != needed {
		return lcm.Errorf(lcm.KindConflict, "VNF instance %s is %s; %s needs it to be %s.", op.VnfInstanceID, state,
			op.Operation, needed)
	}
	return nil
}

// CheckIdle returns a Conflict that names the operation of the instance in progress, and nil when there is none. It
// allows an early refusal with the most important reason; only BeginOperation can decide for sure.
func (s *Store) CheckIdle(ctx context.Context, id lcm.VnfInstanceID) error {
	open, err := all(ctx, s.pool, scanOperation, selectOperation+`
		where vnf_instance_id = @instance and state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK')`,
		pgx.NamedArgs{"instance": id})
	if err != nil || len(open) == 0 {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "%s", underWaySentence(open[0]))
}

// underWay returns the error that names the operation in progress.
func (s *Store) underWay(ctx context.Context, id lcm.VnfInstanceID) error {
	generic := lcm.Errorf(lcm.KindConflict, "Another operation of VNF instance %s was under way; try again.", id)
	op, err := one(ctx, s.pool, scanOperation, generic, selectOperation+`
		where vnf_instance_id = @instance and state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK')`,
		pgx.NamedArgs{"instance": id})
	if err != nil {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "%s", underWaySentence(op))
}

func underWaySentence(op lcm.VnfLcmOpOcc) string {
	advice := "wait until it has ended"
	if op.State == lcm.FailedTemp {
		advice = "retry it, roll it back or fail it first"
	}
	return fmt.Sprintf("Operation %s %s of VNF instance %s is under way, in state %s; %s.",
		op.Operation, op.ID, op.VnfInstanceID, op.State, advice)
}

// Operation reads one operation.
func (s *Store) Operation(ctx context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error) {
	return one(ctx, s.pool, scanOperation, notFound("VNF LCM operation occurrence", id),
		selectOperation+` where id = @id and`+ofProject, owned(ctx, pgx.NamedArgs{"id": id}))
}

// OpenOperations reads the operations that have not ended, oldest first, without what may be large: every server asks
// every few seconds.
func (s *Store) OpenOperations(ctx context.Context) ([]lcm.VnfLcmOpOcc, error) {
	return all(ctx, s.pool, scanOperation, smaller(selectOperation, operations.large)+`
		where state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK')
		order by start_time, id`, nil)
}

// UnstartedOperations reads the operations older than olderThan whose workflow has recorded nothing: the API server may
// have died before it started them.
func (s *Store) UnstartedOperations(ctx context.Context, olderThan time.Duration) ([]lcm.VnfLcmOpOcc, error) {
	return all(ctx, s.pool, scanOperation, selectOperation+`
		where state in ('STARTING', 'PROCESSING') and sequence = 0 and start_time < now() - @age::interval
		order by start_time, id`,
		pgx.NamedArgs{"age": olderThan})
}

// KeepPlan stores the plan of an operation if none is stored yet. It returns the stored plan: the first one counts.
func (s *Store) KeepPlan(ctx context.Context, id lcm.OpOccID, plan lcm.Plan) (kept lcm.Plan, err error) {
	err = s.pool.QueryRow(ctx, `update vnf_lcm_op_occ set plan = coalesce(plan, @plan) where id = @id returning plan - 'grant' - 'drains' - 'nothingLeft'`,
		pgx.NamedArgs{"id": id, "plan": plan}).Scan(&kept)
	if errors.Is(err, pgx.ErrNoRows) {
		return kept, notFound("VNF LCM operation occurrence", id)
	}
	return kept, interpret("keep the plan", err)
}

// KeepGrant stores the NFVO's grant for an operation in STARTING, and adds its VIMs to the instance's connections: they
// cannot be deleted from then on. The plan replaces the stored plan, as a grant may have changed it. The first of
// several grants counts. If the operation has ended in the meantime, it returns a Conflict.
func (s *Store) KeepGrant(
	ctx context.Context, id lcm.OpOccID, grant lcm.Grant, plan *lcm.Plan, vims ...lcm.VimConnectionInfo,
) error {
	return s.inTransaction(ctx, "keep the grant", func(tx pgx.Tx) error {
		if err := noteOutcome(ctx, tx, string(id)); err != nil {
			return err
		}
		// BeginOperation also locks the instance before the operation. Another order could deadlock.
		if _, err := tx.Exec(ctx, `select from vnf_instance where id = @id for update`,
			pgx.NamedArgs{"id": grant.VnfInstanceID}); err != nil {
			return err
		}
		var state lcm.OperationState
		var kept bool
		err := tx.QueryRow(ctx, `select state, coalesce(plan ? 'grant', false) from vnf_lcm_op_occ where id = @id for update`,
			pgx.NamedArgs{"id": id}).Scan(&state, &kept)
		if err != nil {
			return interpretMissing("keep the grant", err, notFound("VNF LCM operation occurrence", id))
		}
		if kept {
			return nil
		}
		if state != lcm.Starting {
			return lcm.Errorf(lcm.KindConflict, "Operation %s is %s; a grant comes too late.", id, state)
		}
		if err := connect(ctx, tx, grant.VnfInstanceID, vims); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			update vnf_lcm_op_occ set grant_id = @grant,
				plan = coalesce(@plan::jsonb, plan, '{}') || jsonb_build_object('grant', @granted::jsonb)
			where id = @id`,
			pgx.NamedArgs{"id": id, "grant": grant.ID, "granted": grant, "plan": plan})
		return err
	})
}

// KeepDrain adds a decision about the pods of a node to an operation, beside its plan. It does not add the same
// decision twice.
func (s *Store) KeepDrain(ctx context.Context, id lcm.OpOccID, d lcm.DrainDecision) error {
	_, err := s.pool.Exec(ctx, `
		update vnf_lcm_op_occ
		set plan = coalesce(plan, '{}') || jsonb_build_object('drains', coalesce(plan->'drains', '[]') || @decision::jsonb)
		where id = @id and not coalesce(plan->'drains', '[]') @> jsonb_build_array(@decision::jsonb - 'at')`,
		pgx.NamedArgs{"id": id, "decision": d})
	return interpret("keep the decision about a node's pods", err)
}

// Drains returns the decisions about pods of nodes, in the order of their time.
func (s *Store) Drains(ctx context.Context, id lcm.OpOccID) (list []lcm.DrainDecision, err error) {
	err = s.pool.QueryRow(ctx, `select coalesce(plan->'drains', '[]') from vnf_lcm_op_occ where id = @id`,
		pgx.NamedArgs{"id": id}).Scan(&list)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, notFound("VNF LCM operation occurrence", id)
	}
	return list, interpret("read the decisions about nodes' pods", err)
}

// GivenUpHeal returns the heal of an entire VNF that was declared FAILED and that no later operation repaired, "" when
// there is none. The VNF's record is still the one from before the heal.
func (s *Store) GivenUpHeal(ctx context.Context, id lcm.VnfInstanceID) (lcm.OpOccID, error) {
	last, err := all(ctx, s.pool, scanOperation, selectOperation+`
		where vnf_instance_id = @id and operation not in ('MODIFY_INFO', 'OPERATE')
			and (state = 'COMPLETED' or state = 'FAILED' and operation = 'HEAL' and coalesce((plan->>'whole')::boolean, false))
		order by start_time desc, id limit 1`,
		pgx.NamedArgs{"id": id})
	if err != nil || len(last) == 0 || last[0].State != lcm.Failed {
		return "", err
	}
	return last[0].ID, nil
}

// Grant returns the grant of an operation. It is stored beside the plan, as both were decided before anything was
// touched.
func (s *Store) Grant(ctx context.Context, id lcm.OpOccID) (lcm.Grant, error) {
	var granted *lcm.Grant
	err := s.pool.QueryRow(ctx, `select plan->'grant' from vnf_lcm_op_occ where id = @id`,
		pgx.NamedArgs{"id": id}).Scan(&granted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return lcm.Grant{}, notFound("VNF LCM operation occurrence", id)
	case err != nil:
		return lcm.Grant{}, interpret("read the grant", err)
	case granted == nil:
		return lcm.Grant{}, lcm.Errorf(lcm.KindNotFound,
			"The operation %s has no grant yet, or an older release of Windlass gave it one without keeping it.", id)
	}
	return *granted, nil
}
