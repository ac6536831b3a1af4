package hot

import (
	"context"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Signal signals a resource. Only scaling policies take signals.
func (e *Engine) Signal(st Stack, name string) error {
	defer e.lock(st.RootID)()
	l, err := e.GetResource(st, name)
	if err != nil {
		return err
	}
	root, _ := state.Load(e.store, sources, st.RootID)
	if _, ok := builtins[root.Environment.target(l.Resource.Type)].(scalingPolicy); !ok {
		return errorf("ResourceActionNotSupported", "Signal resource during %s is not supported.", l.Resource.Type)
	}
	if top, ok := state.Load(e.store, stacks, st.RootID); !ok || top.Status == InProgress ||
		l.Resource.Status != Complete {
		return errorf(ActionInProgress, "Stack %s already has an action (%s) in progress.", top.Name, top.Action)
	}
	return e.scale(st, l.Resource)
}

// signalled writes an event for a signal that had an effect; Heat writes none for other signals.
func (e *Engine) signalled(st Stack, policy Resource) error {
	policy.Action, policy.Status, policy.Reason = "SIGNAL", Complete, "No signal details provided"
	return e.event(st.ID, policy, nil)
}

// MarkUnhealthy marks a resource as broken, so that the next update replaces it, or removes that mark. The caller gives
// the resource by name or physical id.
func (e *Engine) MarkUnhealthy(st Stack, resource string, unhealthy bool, reason string) error {
	defer e.lock(st.RootID)()
	for _, l := range e.ListResources(st, 0) {
		r := l.Resource
		if r.Name != resource && r.Physical != resource {
			continue
		}
		if r.Status == InProgress {
			return errorf(ActionInProgress, "Resource %s already has an action (%s) in progress.", r.Name, r.Action)
		}
		if !unhealthy && (r.Action != CheckA || r.Status != Failed) {
			return nil // as in Heat, there is no mark to remove
		}
		if reason == "" {
			reason = "state changed by resource_mark_unhealthy api"
		}
		r.Action, r.Status, r.Reason = CheckA, Complete, reason
		if unhealthy {
			r.Status = Failed
		}
		r.Updated = e.now()
		if err := state.Save(e.store, resources, r.key(), r); err != nil {
			return err
		}
		return e.event(st.ID, r, r.Properties)
	}
	return notFound("Resource", resource)
}

// CheckStack starts to compare every resource with the cloud; broken ones become CHECK_FAILED.
func (e *Engine) CheckStack(id string) error {
	defer e.lock(id)()
	st, ok := state.Load(e.store, stacks, id)
	if !ok || !st.Deleted.IsZero() {
		return notFound("Stack", id)
	}
	if st.Status == InProgress {
		return errorf(ActionInProgress, "Stack %s already has an action (%s) in progress.", st.Name, st.Action)
	}
	if err := e.begin(&st, CheckA, nil); err != nil {
		return err
	}
	e.start(st, func(ctx context.Context) error { return e.runCheck(ctx, st) })
	return nil
}

func (e *Engine) runCheck(ctx context.Context, st Stack) error {
	f, err := e.load(ctx, st)
	if err == nil {
		err = f.check(ctx)
	}
	return e.finish(ctx, st, CheckA, err)
}

func (f *frame) check(ctx context.Context) error {
	var first error
	for _, l := range f.e.ListResources(f.stack, 0) {
		r := l.Resource
		var err error
		switch k, kerr := f.kind(r.Type); {
		case kerr != nil:
			err = kerr
		case l.Child != nil:
			child := *l.Child
			if err = f.e.begin(&child, CheckA, nil); err == nil {
				err = f.e.runCheck(ctx, child)
			}
		default:
			if _, inCloud := k.(cloudKind); inCloud {
				err = f.e.cloud.Usable(ctx, f.item(r))
			}
		}
		if err == nil {
			err = f.move(&r, CheckA, Complete, "state changed")
		} else {
			err = f.fail(ctx, &r, CheckA, err)
		}
		if first == nil {
			first = err
		}
	}
	return first
}
