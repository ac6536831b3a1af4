package hot

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// The causes that end an action's context. The first two leave records unchanged: a later action continues from there.
var (
	errSuperseded = errors.New("another action took over")
	errStopped    = errors.New("the lab is going down")
	errTimeout    = errors.New("Timed out") //nolint:staticcheck,revive // Heat's words
	errAborted    = errors.New("aborted")
)

// carriesOn reports whether a later action continues the work of ctx.
func carriesOn(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, errSuperseded) || errors.Is(cause, errStopped)
}

// converge brings the stack to the state of its template. It makes missing resources, changes resources that differ,
// and replaces broken ones. At the end it removes resources that the template no longer has. It can be interrupted
// anywhere and called again.
func (f *frame) converge(ctx context.Context, action string) error {
	if err := f.build(ctx, action); err != nil {
		return err
	}
	return f.cleanUp(ctx)
}

// wholeKey is the context key of the whole action's context. The failure of one resource does not end that context.
type wholeKey struct{}

// whole is the context of the whole action.
func whole(ctx context.Context) context.Context {
	if all, ok := ctx.Value(wholeKey{}).(context.Context); ok {
		return all
	}
	return ctx
}

// build works on all resources at once, each as soon as its dependencies are ready. The first failure cancels the
// others.
func (f *frame) build(ctx context.Context, action string) error {
	ctx, abort := context.WithCancelCause(context.WithValue(ctx, wholeKey{}, whole(ctx)))
	defer abort(nil)
	type progress struct {
		done chan struct{}
		ok   bool
	}
	all := make(map[string]*progress, len(f.defs))
	for name := range f.defs {
		all[name] = &progress{done: make(chan struct{})}
	}
	var first error
	var once sync.Once
	var wg sync.WaitGroup
	for name, def := range f.defs {
		wg.Go(func() {
			p := all[name]
			defer close(p.done)
			for _, dep := range f.after[name] {
				if <-all[dep].done; !all[dep].ok {
					return
				}
			}
			if ctx.Err() != nil {
				return
			}
			if halted(ctx) {
				once.Do(func() { first = cancelled(action) })
				return
			}
			if err := f.ensure(ctx, def, action); err != nil {
				once.Do(func() { first = err })
				if !halted(ctx) { // a cancelled stack lets running resources finish
					abort(errAborted)
				}
				return
			}
			p.ok = true
		})
	}
	wg.Wait()
	if first == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return first
}

// ensure brings one resource to its definition.
func (f *frame) ensure(ctx context.Context, def Definition, action string) error {
	k, err := f.kind(def.Type)
	if err != nil {
		return below(def.Name, action, err)
	}
	row, exists := f.row(def.Name)
	if !exists {
		row = f.newRow(def, k)
	}
	row.Requires, row.Retain = f.deps[def.Name], def.DeletePol == "retain"
	if row.Metadata, err = f.eval().Eval(def.Metadata); err != nil {
		return f.fail(ctx, &row, Create, err)
	}
	props, err := f.properties(def)
	if err == nil {
		err = k.schema().check(fmt.Sprintf("resources.%s.properties", def.Name), props, nil)
	}
	switch {
	case err != nil && exists:
		return f.fail(ctx, &row, Update, err)
	case err != nil:
		return f.fail(ctx, &row, Create, err)
	case row.Action == Init || row.Action == Create && row.Status == InProgress || row.Physical == "":
		return f.create(ctx, k, row, props)
	case f.mustReplace(ctx, k, row, def, props):
		return f.replace(ctx, k, row, def, props)
	default:
		return f.update(ctx, k, row, props)
	}
}

func (f *frame) create(ctx context.Context, k kind, row Resource, props map[string]any) error {
	row.Properties = props
	if err := f.move(&row, Create, InProgress, "state changed"); err != nil {
		return err
	}
	err := f.e.fault(f.stack, row, Create)
	if err == nil {
		err = k.create(ctx, f, &row)
	}
	if err != nil {
		return f.fail(ctx, &row, Create, err)
	}
	return f.move(&row, Create, Complete, "state changed")
}

// mustReplace follows Heat. It always replaces a resource that is marked unhealthy. It replaces a failed resource
// unless a check finds it usable. It also replaces a resource when a property changes that cannot change in place.
func (f *frame) mustReplace(ctx context.Context, k kind, row Resource, def Definition, props map[string]any) bool {
	if row.Type != def.Type {
		return true
	}
	if row.Status == Failed {
		if row.Action == CheckA {
			return !k.isStack() || !f.e.childFailedCheck(row)
		}
		if !k.isStack() {
			ck, inCloud := k.(cloudKind)
			if !inCloud || f.e.cloud.Usable(ctx, f.item(row)) != nil || ck.s.replaces(row.Properties, props) {
				return true
			}
		}
	}
	return k.schema().replaces(row.Properties, props)
}

// childFailedCheck distinguishes a stack with a resource that a check action found broken from a stack that was itself
// marked unhealthy. Only the second is replaced as a whole.
func (e *Engine) childFailedCheck(row Resource) bool {
	st, ok := state.Load(e.store, stacks, row.UID)
	return ok && st.Action == CheckA && st.Status == Failed
}

func (f *frame) replace(ctx context.Context, k kind, old Resource, def Definition, props map[string]any) error {
	if !k.isStack() {
		if _, inCloud := k.(cloudKind); inCloud {
			if err := f.e.cloud.Detach(ctx, f.item(old)); err != nil {
				return f.fail(ctx, &old, Update, err)
			}
		}
	}
	old.Replaced = true
	next := f.newRow(def, k)
	next.Requires, next.Metadata = f.deps[def.Name], old.Metadata
	// One transaction: a lab that is killed here must not leave a resource that no record deletes.
	err := f.e.store.Update(func(tx *state.Tx) error {
		return errors.Join(resources.Put(tx, old.key(), old), resources.Put(tx, next.key(), next))
	})
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.old = append(f.old, old)
	f.rows[def.Name] = next
	f.mu.Unlock()
	return f.create(ctx, k, next, props)
}

func (f *frame) update(ctx context.Context, k kind, row Resource, props map[string]any) error {
	if row.Status == Complete && !k.isStack() && same(row.Properties, props) {
		return f.put(row)
	}
	if err := f.move(&row, Update, InProgress, "state changed"); err != nil {
		return err
	}
	if k.isStack() && same(row.Properties, props) {
		// In Heat, an update that has nothing to do finishes even when another resource fails. Otherwise this group member
		// would become failed because of another resource, and the group would remove it first when it shrinks.
		ctx = whole(ctx)
	}
	err := f.e.fault(f.stack, row, Update)
	if err == nil {
		err = k.update(ctx, f, &row, props)
	}
	if err != nil {
		return f.fail(ctx, &row, Update, err)
	}
	row.Properties = props
	return f.move(&row, Update, Complete, "state changed")
}
