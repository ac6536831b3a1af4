package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

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
			"granted": r.Grant, "neverStarting": neverStarting,
		}).Scan(&entered)
	return entered, err
}

// neverStarting are the operations that begin in PROCESSING.
var neverStarting = ungranted()

func ungranted() (out []lcm.Operation) {
	for _, t := range lcm.Operations {
		if t.Supported() && !t.Granted {
			out = append(out, t.Name)
		}
	}
	return out
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
