package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

const selectOperation = `
	select id, project_id, vnf_instance_id, operation, state, state_entered_time, start_time, grant_id,
		is_automatic_invocation, is_cancel_pending, cancel_mode, params, api_version, error,
		resource_changes, changed_info, forward_only, nullif(plan - 'grant' - 'drains' - 'nothingLeft', '{}'),
		grant_id <> '', coalesce(plan->'grant'->>'href', ''), step, sequence
	from vnf_lcm_op_occ`

func scanOperation(row pgx.CollectableRow) (op lcm.VnfLcmOpOcc, err error) {
	err = row.Scan(&op.ID, &op.ProjectID, &op.VnfInstanceID, &op.Operation, &op.State, &op.StateEnteredTime, &op.StartTime,
		&op.GrantID,
		&op.IsAutomaticInvocation, &op.IsCancelPending, &op.CancelMode, &op.Params, &op.APIVersion, &op.Error,
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
			insert into vnf_lcm_op_occ (id, vnf_instance_id, operation, state, grant_id, is_automatic_invocation, params, api_version, project_id)
			values (@id, @instance, @operation, @state, @grant, @automatic, @params, @version,
				(select project_id from vnf_instance where id = @instance))
			returning state_entered_time`,
			pgx.NamedArgs{
				"id": op.ID, "instance": op.VnfInstanceID, "operation": op.Operation, "state": op.Operation.FirstState(),
				"grant":     op.GrantID,
				"automatic": op.IsAutomaticInvocation, "params": op.Params, "version": op.APIVersion,
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
	needed := lcm.Instantiated
	switch op.Operation {
	case lcm.OpInstantiate:
		needed = lcm.NotInstantiated
	case lcm.OpModifyInfo: // possible in both states
		needed = state
	case lcm.OpTerminate: // also possible after a failed INSTANTIATE that left resources
		_, left, err := leftBehind(ctx, tx, op.VnfInstanceID, time.Time{})
		if err != nil {
			return err
		}
		if left && op.OfVersion != 0 { // only a request with a version is for the left resources
			needed = lcm.NotInstantiated
		}
	default:
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
	large := Page{Omit: slices.Collect(maps.Keys(operationParts))}
	return all(ctx, s.pool, scanOperation, large.without(selectOperation, operationParts)+`
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

// RecordOperation writes the record of an operation's workflow, with an event. A record that is not newer than the last
// one changes nothing and is no error, so an activity may repeat it. A transition that SOL003 does not have is a
// Conflict.
func (s *Store) RecordOperation(ctx context.Context, r lcm.OperationRecord) error {
	r.Error = stamped(ctx, r.Error)
	return s.inTransaction(ctx, "record operation", func(tx pgx.Tx) error {
		if r.Instance != nil {
			// BeginOperation also locks the instance before the operation. Another order could deadlock.
			if _, err := tx.Exec(ctx, `select from vnf_instance where id = @id for update`,
				pgx.NamedArgs{"id": r.Instance.ID}); err != nil {
				return err
			}
		}
		prior, err := stateBefore(ctx, tx, r.OpOccID)
		if err != nil {
			return err
		}
		entered, err := updateOperation(ctx, tx, r)
		if errors.Is(err, pgx.ErrNoRows) {
			return whyNotRecorded(ctx, tx, r)
		}
		if err != nil {
			return err
		}
		if err := recordInstance(ctx, tx, r); err != nil {
			return err
		}
		if err := recordNothingLeft(ctx, tx, r); err != nil {
			return err
		}
		if err := tellCancel(ctx, tx, r); err != nil {
			return err
		}
		if prior != "" && prior != r.State {
			if err := notifyOperation(ctx, tx, r.OpOccID); err != nil {
				return err
			}
		}
		return appendEvent(ctx, tx, r.OpOccID, lcm.EventOperation, lcm.OperationEvent{
			State: r.State, StateEnteredTime: entered, Step: r.Step,
			IsCancelPending: r.IsCancelPending, CancelMode: r.CancelMode, Error: r.Error,
		})
	})
}

// recordInstance writes the instance that comes with a record. The VIMs that a modification names must still exist.
func recordInstance(ctx context.Context, tx pgx.Tx, r lcm.OperationRecord) error {
	if r.Instance == nil {
		return nil
	}
	if r.ChangedInfo != nil {
		if err := holdVims(ctx, tx, r.Instance.ID, r.Instance.VimConnections); err != nil {
			return err
		}
	}
	if err := updateInstance(ctx, tx, *r.Instance); err != nil || r.DriftPolicy == nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		insert into vnf_drift as d (vnf_instance_id, policy) values (@id, @policy)
		on conflict (vnf_instance_id) do update set policy = coalesce(d.policy, excluded.policy)`,
		pgx.NamedArgs{"id": r.Instance.ID, "policy": r.DriftPolicy})
	return err
}

// recordNothingLeft notes beside the plan that a given-up INSTANTIATE has left nothing, for leftBehind.
func recordNothingLeft(ctx context.Context, tx pgx.Tx, r lcm.OperationRecord) error {
	if !r.NothingLeft {
		return nil
	}
	_, err := tx.Exec(ctx, `
		update vnf_lcm_op_occ set plan = coalesce(plan, '{}') || '{"nothingLeft": true}' where id = @id`,
		pgx.NamedArgs{"id": r.OpOccID})
	return err
}

func updateOperation(ctx context.Context, tx pgx.Tx, r lcm.OperationRecord) (entered time.Time, err error) {
	// The right-hand sides see the old row, so "state = @state" means "the state stays". The clock is read after the row
	// is locked: now() may be earlier than the row's last state.
	err = tx.QueryRow(ctx, `
		update vnf_lcm_op_occ set
			state_entered_time = case when state = @state then state_entered_time else clock_timestamp() end,
			state = @state,
			step = @step,
			error = @error,
			is_cancel_pending = @cancelPending,
			cancel_mode = @cancelMode,
			grant_id = coalesce(nullif(@grant, ''), grant_id),
			resource_changes = coalesce(@changes, resource_changes),
			changed_info = coalesce(@changedInfo, changed_info),
			forward_only = forward_only or @forwardOnly,
			plan = case when @granted::jsonb is null or plan ? 'grant' then plan
				else coalesce(plan, '{}') || jsonb_build_object('grant', @granted::jsonb) end,
			sequence = @sequence
		where id = @id and sequence < @sequence and (state = any(@from)
			or operation = any(@neverStarting) and state = 'PROCESSING' and @state = 'ROLLED_BACK')
		returning state_entered_time`,
		pgx.NamedArgs{
			"id": r.OpOccID, "sequence": r.Sequence, "state": r.State, "from": before(r.State), "step": text(r.Step),
			"error": r.Error, "cancelPending": r.IsCancelPending, "cancelMode": r.CancelMode,
			"grant": r.GrantID, "changes": r.ResourceChanges, "changedInfo": r.ChangedInfo, "forwardOnly": r.ForwardOnly,
			"granted": r.Grant, "neverStarting": []lcm.Operation{lcm.OpModifyInfo},
		}).Scan(&entered)
	return entered, err
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

// before lists the states that accept a record of the given state: the states that may become it and, unless it is
// final, the state itself.
func before(state lcm.OperationState) []lcm.OperationState {
	var from []lcm.OperationState
	for _, s := range lcm.OperationStates {
		if s.CanBecome(state) || s == state && !state.Terminal() {
			from = append(from, s)
		}
	}
	return from
}

// whyNotRecorded explains why a record changed nothing; nil for a record that is late or repeated. The record of an
// operation's end is never just late.
func whyNotRecorded(ctx context.Context, tx pgx.Tx, r lcm.OperationRecord) error {
	op, err := one(ctx, tx, scanOperation, notFound("VNF LCM operation occurrence", r.OpOccID),
		selectOperation+` where id = @id`, pgx.NamedArgs{"id": r.OpOccID})
	late := op.Sequence >= r.Sequence && (op.State == r.State || !r.State.Terminal())
	if err != nil || late {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "Operation %s is %s; it cannot become %s.", r.OpOccID, op.State, r.State)
}
