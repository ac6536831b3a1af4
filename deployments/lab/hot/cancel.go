package hot

import (
	"context"
	"fmt"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// runKey is the key of the action's run in the action's context.
type runKey struct{}

// halted reports whether CancelStack cancelled the action of ctx: running resources finish, and no new resource begins.
func halted(ctx context.Context) bool {
	r, ok := ctx.Value(runKey{}).(*run)
	return ok && r.halted.Load()
}

// cancelled is the error of a stack that CancelStack cancelled.
func cancelled(action string) error {
	return fmt.Errorf("Stack %s cancelled", action) //nolint:staticcheck,revive // Heat's words
}

// CancelStack ends the creation or the update of a stack without a rollback. It does what Heat's convergence engine
// does: it fails the stack and its nested stacks at once, starts no further resource, and lets the running resources
// finish.
func (e *Engine) CancelStack(id string) error {
	defer e.lock(id)()
	e.mu.Lock()
	var halting []*run
	for r := range e.running {
		if r.rootID == id {
			halting = append(halting, r)
		}
	}
	e.mu.Unlock()
	var ended []Stack
	err := e.store.Update(func(tx *state.Tx) error {
		ended = nil
		root, ok := stacks.Get(tx, id)
		switch {
		case !ok || !root.Deleted.IsZero():
			return notFound("Stack", id)
		case root.Status != InProgress || root.Action != Create && root.Action != Update:
			return errorf("NotSupported", "Cancelling update when stack is %s is not supported.", root.State())
		}
		for _, r := range halting { // before the records: a resource that starts later sees the halt
			r.halted.Store(true)
		}
		for _, st := range stacks.All(tx) {
			if st.RootID != id || st.Status != InProgress {
				continue
			}
			if err := e.markCancelled(tx, &st); err != nil {
				return err
			}
			ended = append(ended, st)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, st := range ended {
		if err := e.stackEvent(st); err != nil {
			return err
		}
	}
	return nil
}

// markCancelled ends a stack's action in its record, and the action of the resource in the parent stack.
func (e *Engine) markCancelled(tx *state.Tx, st *Stack) error {
	why := cancelled(st.Action)
	st.Status, st.Reason = Failed, why.Error()
	if st.Nested() {
		key := st.ParentID + "/" + st.ID
		if row, ok := resources.Get(tx, key); ok && row.Status == InProgress {
			row.Status, row.Reason, row.Updated = Failed, below(row.Name, row.Action, why).Error(), e.now()
			if err := resources.Put(tx, key, row); err != nil {
				return err
			}
		}
	}
	return stacks.Put(tx, st.ID, *st)
}

// giveUp fails the resources of a cancelled stack that were in progress when an earlier engine ended: no engine
// continues them.
func (e *Engine) giveUp(st Stack) {
	if st.Status != Failed {
		return
	}
	for _, r := range state.LoadAll(e.store, resources, st.ID+"/") {
		if r.Status != InProgress {
			continue
		}
		r.Status, r.Reason, r.Updated = Failed, "Engine went down during resource "+r.Action, e.now()
		if err := state.Save(e.store, resources, r.key(), r); err != nil {
			e.cfg.Log.Error("give a resource up", "stack", st.Name, "resource", r.Name, "error", err.Error())
		}
	}
}
