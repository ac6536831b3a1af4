package hot

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// move writes a resource's new state and its event.
func (f *frame) move(row *Resource, action, status, reason string) error {
	row.Action, row.Status, row.Reason = action, status, reason
	if err := f.put(*row); err != nil {
		return err
	}
	return f.e.event(f.stack.ID, *row, row.Properties)
}

// fail records why a resource's action ended, and records the same reason for the resource in the parent stack.
func (f *frame) fail(ctx context.Context, row *Resource, action string, err error) error {
	if carriesOn(ctx) {
		return context.Cause(ctx)
	}
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errAborted) {
		err = &Failure{Action: action, Type: "Error", Path: []string{row.Name}, Message: action + " aborted"}
		return errors.Join(f.move(row, action, Failed, action+" aborted"), err)
	}
	if ctx.Err() != nil {
		err = &Error{Type: "Timeout", Message: context.Cause(ctx).Error()}
	}
	failure := below(row.Name, action, err)
	if werr := f.move(row, action, Failed, failure.Error()); werr != nil {
		return werr
	}
	return failure
}

// begin opens an action on a stack.
func (e *Engine) begin(st *Stack, action string, src *Source) error {
	st.Action, st.Status, st.Reason = action, InProgress, fmt.Sprintf("Stack %s started", action)
	st.Started = e.now()
	if action == Update {
		st.Updated = st.Started
	}
	err := e.store.Update(func(tx *state.Tx) error {
		if src != nil {
			if err := sources.Put(tx, st.ID, *src); err != nil {
				return err
			}
		}
		return stacks.Put(tx, st.ID, *st)
	})
	if err != nil {
		return err
	}
	return e.stackEvent(*st)
}

// finish records the result of an action on a stack, and returns the error that ended the action.
func (e *Engine) finish(ctx context.Context, st Stack, action string, err error) error {
	if err != nil && carriesOn(ctx) {
		return context.Cause(ctx)
	}
	st.Action, st.Status, st.Reason = action, Complete, fmt.Sprintf("Stack %s completed successfully", action)
	if err != nil {
		st.Status, st.Reason = Failed, err.Error()
		if f, ok := errors.AsType[*Failure](err); ok {
			st.Reason = fmt.Sprintf("Resource %s failed: %s", f.Action, f.Error())
		}
		if halted(ctx) {
			st.Reason = cancelled(action).Error()
		}
		if errors.Is(context.Cause(ctx), errTimeout) {
			st.Reason = errTimeout.Error()
		}
	}
	open := true
	werr := e.store.Update(func(tx *state.Tx) error {
		if now, ok := stacks.Get(tx, st.ID); ok && now.Status != InProgress {
			open = false // cancelled meanwhile: that is how the action has ended
			return nil
		}
		return stacks.Put(tx, st.ID, st)
	})
	switch {
	case werr != nil:
		return errors.Join(err, werr)
	case !open:
		return cmp.Or(err, cancelled(action))
	}
	return errors.Join(err, e.stackEvent(st))
}
