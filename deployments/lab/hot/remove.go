package hot

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// cleanUp deletes replaced resources, and resources that the template no longer has.
func (f *frame) cleanUp(ctx context.Context) error {
	f.mu.Lock()
	rows := slices.Clone(f.old)
	for name, r := range f.rows {
		if _, wanted := f.defs[name]; !wanted {
			rows = append(rows, r)
		}
	}
	f.mu.Unlock()
	return f.removeRows(ctx, rows)
}

// loadForDelete opens a stack without parsing its template, so that a stack with an unreadable template can be deleted.
func (e *Engine) loadForDelete(ctx context.Context, st Stack) *frame {
	root, _ := state.Load(e.store, sources, st.RootID)
	f := &frame{e: e, ctx: ctx, stack: st, root: root, tmpl: &Template{}, rows: map[string]Resource{}}
	f.old = append(f.old, state.LoadAll(e.store, resources, st.ID+"/")...)
	return f
}

// removeAll deletes every resource of the stack.
func (f *frame) removeAll(ctx context.Context) error {
	return f.removeRows(ctx, f.old)
}

// removeRows deletes resources in layers; the first layer holds the resources that no other resource needs.
func (f *frame) removeRows(ctx context.Context, rows []Resource) error {
	for len(rows) > 0 {
		layer, rest := lastLayer(rows)
		errs := make([]error, len(layer))
		var wg sync.WaitGroup
		for i, r := range layer {
			wg.Go(func() { errs[i] = f.removeRow(ctx, r) })
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		rows = rest
	}
	return nil
}

// lastLayer splits off the resources that no other resource requires. Records of different templates may require each
// other in a cycle; then lastLayer returns all of them.
func lastLayer(rows []Resource) (layer, rest []Resource) {
	needed := map[string]bool{}
	for _, r := range rows {
		for _, dep := range r.Requires {
			needed[dep] = true
		}
	}
	for _, r := range rows {
		if needed[r.Name] {
			rest = append(rest, r)
		} else {
			layer = append(layer, r)
		}
	}
	if len(layer) == 0 {
		return rows, nil
	}
	return layer, rest
}

func (f *frame) removeRow(ctx context.Context, r Resource) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if halted(ctx) {
		return cancelled(f.stack.Action)
	}
	r.Action, r.Status, r.Reason = Delete, InProgress, "state changed"
	if err := f.saveRemoving(r); err != nil {
		return err
	}
	err := f.e.fault(f.stack, r, Delete)
	if err == nil && !r.Retain {
		err = f.destroy(ctx, r)
	}
	if err != nil {
		if carriesOn(ctx) {
			return context.Cause(ctx)
		}
		failure := below(r.Name, Delete, err)
		r.Status, r.Reason = Failed, failure.Error()
		return errors.Join(failure, f.saveRemoving(r))
	}
	f.mu.Lock()
	if current, ok := f.rows[r.Name]; ok && current.UID == r.UID {
		delete(f.rows, r.Name)
	}
	f.old = slices.DeleteFunc(slices.Clone(f.old), func(o Resource) bool { return o.UID == r.UID })
	f.mu.Unlock()
	r.Status = Complete
	return errors.Join(state.Remove(f.e.store, resources, r.key()), f.e.event(f.stack.ID, r, nil))
}

// saveRemoving writes the state of a resource under deletion, and does not make the record current again.
func (f *frame) saveRemoving(r Resource) error {
	r.Updated = f.e.now()
	f.mu.Lock()
	if current, ok := f.rows[r.Name]; ok && current.UID == r.UID {
		f.rows[r.Name] = r
	}
	f.mu.Unlock()
	return errors.Join(state.Save(f.e.store, resources, r.key(), r), f.e.event(f.stack.ID, r, r.Properties))
}

// destroy deletes the resource itself. It deletes a nested stack as a stack even when the resource's type is no longer
// known.
func (f *frame) destroy(ctx context.Context, r Resource) error {
	if _, isStack := state.Load(f.e.store, stacks, r.UID); isStack {
		return f.e.removeChild(ctx, r)
	}
	k, err := f.kind(r.Type)
	if err != nil || k.isStack() {
		return nil //nolint:nilerr // nothing was ever made of a type that is not known
	}
	return k.remove(ctx, f, r)
}

// forget drops every record of a nested stack.
func (e *Engine) forget(st Stack) error {
	return e.store.Update(func(tx *state.Tx) error {
		return errors.Join(
			stacks.Delete(tx, st.ID), sources.Delete(tx, st.ID),
			resources.DeletePrefix(tx, st.ID+"/"), events.DeletePrefix(tx, st.ID+"/"),
		)
	})
}
