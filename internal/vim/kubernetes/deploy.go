package kubernetes

import (
	"cmp"
	"context"
	goerrors "errors"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Deploy implements vim.VIM: it rehearses all objects, makes them and waits until they are ready.
func (c *Connection) Deploy(ctx context.Context, d vim.Deployment, progress func(string)) (string, error) {
	of, err := definitionOf(d.Definition)
	if err != nil {
		return "", err
	}
	ctx, done := limited(ctx, cmp.Or(of.ReadyTimeout, d.Timeout))
	defer done()
	have, err := c.recordOf(ctx, d.Name)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		have = &record{Owner: d.Owner}
	case err != nil:
		return "", err
	case have.Owner != d.Owner:
		return "", foreign(d.Name, have.Owner)
	case have.Operation != d.Operation:
		progress("Another operation has left parts of the deployment: Windlass removes them first.")
		err := c.Dispose(ctx, d.Name, d.Owner, vim.Removal{Volumes: vim.FormerVolumesStay}, progress)
		if err != nil {
			return "", err
		}
		have = &record{Owner: d.Owner}
	}
	p, err := c.plan(ctx, of, have, d.Owner, c.lookerIn)
	if err != nil {
		return "", masked(err, d.Secrets)
	}
	p.secrets = append(p.secrets, d.Secrets...)
	if have.version == "" {
		if have.FormerClaims, err = c.formerClaims(ctx, p, d.Owner); err != nil {
			return "", err
		}
	}
	if !have.Complete {
		if err := c.rehearsePlan(ctx, p, d.Owner); err != nil {
			return "", masked(err, p.secrets)
		}
	}
	have.take(d.Operation, of, p)
	if err := c.keep(ctx, d.Name, have); err != nil {
		return "", err
	}
	w := c.wait(d.Owner, of.Patience, maskedLines(progress, p.secrets))
	if err := c.install(ctx, p, have, w); err != nil {
		return "", masked(err, p.secrets)
	}
	if err := c.connected(ctx, have); err != nil {
		return "", err
	}
	have.Complete = true
	return have.id, c.keep(ctx, d.Name, have)
}

// carryOut applies objects and waits until they are ready.
func (c *Connection) carryOut(ctx context.Context, objects []prepared, r *record, w *waiting) error {
	w.serving = slices.Collect(maps.Values(r.Workloads))
	if err := c.renewFailed(ctx, objects, w); err != nil {
		return timedOut(ctx, err, w)
	}
	objects, err := c.unended(ctx, objects, r, w)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	if err := w.watchEnds(watching, objects); err != nil {
		return timedOut(ctx, err, w)
	}
	if err := c.apply(ctx, objects, r.Owner, w); err != nil {
		return timedOut(ctx, err, w)
	}
	fresh, err := c.prepare(ctx, Definition{Objects: r.Objects}, r.Owner, r.Workloads) // with the kinds that were made
	if err == nil {
		fresh, err = c.ours(ctx, fresh, r.Owner)
	}
	if err != nil {
		return err
	}
	err = timedOut(ctx, w.until(ctx, fresh, w.settled), w)
	if unwritten := c.noteOver(ctx, fresh, r, w); err == nil {
		err = unwritten
	}
	return err
}

// Change implements vim.VIM. It restores objects that somebody deleted.
func (c *Connection) Change(ctx context.Context, ch vim.Change, progress func(string)) error {
	of, err := definitionOf(ch.Definition)
	if err != nil {
		return err
	}
	ctx, done := limited(ctx, cmp.Or(of.ReadyTimeout, ch.Timeout))
	defer done()
	have, err := c.owned(ctx, ch)
	if err != nil {
		return err
	}
	have.undoes = ch.Undo
	if of.Workloads == nil {
		of.Workloads = have.Workloads
	}
	p, err := c.plan(ctx, of, have, ch.Owner, c.lookerIn)
	if err != nil {
		return masked(err, ch.Secrets)
	}
	p.secrets = append(p.secrets, ch.Secrets...)
	if err := c.rehearsePlan(ctx, p, ch.Owner); err != nil {
		return masked(err, p.secrets)
	}
	leaving, err := c.leaving(ctx, have, ch.Replace, p.objects)
	if ch.Undo && of.Objects != nil {
		leaving = leftToWorkloads(leaving)
	}
	if err == nil {
		leaving, err = c.outdated(ctx, have, "Pod", p.objects, leaving)
	}
	if err != nil {
		return err
	}
	have.take(ch.Operation, of, p)
	if err := c.keep(ctx, ch.Name, have); err != nil {
		return err
	}
	w := c.wait(ch.Owner, of.Patience, maskedLines(progress, p.secrets))
	if err := c.letGo(ctx, leaving, w); err != nil {
		return masked(err, p.secrets)
	}
	if err := w.until(ctx, podsIn(p.objects, leaving), w.replaced(leaving)); err != nil {
		return masked(timedOut(ctx, err, w), p.secrets)
	}
	if err := c.install(ctx, p, have, w); err != nil {
		return masked(err, p.secrets)
	}
	if err := c.renewSets(ctx, have, p.objects, w); err != nil {
		return masked(err, p.secrets)
	}
	if err := c.connected(ctx, have); err != nil {
		return err
	}
	return masked(c.drop(ctx, ch.Name, have, w), p.secrets)
}

// owned reads the record of the deployment to change.
func (c *Connection) owned(ctx context.Context, ch vim.Change) (*record, error) {
	have, err := c.recordOf(ctx, ch.Name)
	if err == nil && have.Owner != ch.Owner {
		return nil, foreign(ch.Name, have.Owner)
	}
	return have, err
}

// Interrupt implements vim.VIM. On a cluster, no work of Windlass continues after its caller has stopped waiting.
func (c *Connection) Interrupt(context.Context, string, string, func(string)) error { return nil }

// Settle implements vim.VIM. Controllers never finish their work, so it does not wait.
func (c *Connection) Settle(ctx context.Context, name, owner string, _ func(string)) error {
	have, err := c.recordOf(ctx, name)
	if err == nil && have.Owner != owner {
		return foreign(name, have.Owner)
	}
	return err
}

func foreign(name, owner string) error {
	return lcm.Errorf(lcm.KindConflict, "The deployment %s belongs to %s.", name, owner)
}

func unprepared(objects []prepared) (out []unstructured.Unstructured) {
	for _, p := range objects {
		if p.remembered() || p.GetKind() == bindingKind { // a new Pod is bound anew
			out = append(out, p.Unstructured)
		}
	}
	return out
}

// errTimeout is the cause of the context when the deployment's time is over.
var errTimeout = lcm.Errorf(lcm.KindBroken, "The time for the deployment is over.")

func limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, errTimeout)
}

// timedOut says what was missing at the end of the time.
func timedOut(ctx context.Context, err error, w *waiting) error {
	if err == nil || !goerrors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	if told, ok := goerrors.AsType[*lcm.Error](err); ok && told.Kind == lcm.KindBroken && !goerrors.Is(err, errTimeout) {
		return err // it says what was missing
	}
	var missing []string
	for _, what := range slices.Sorted(maps.Keys(w.told)) {
		if w.told[what] != "ready" {
			missing = append(missing, what+": "+w.told[what])
		}
	}
	return lcm.Errorf(lcm.KindBroken, "The time for the deployment is over, and this is not ready: %s. Correct the "+
		"cause, or give the operation more time with additionalParams.ready_timeout.", strings.Join(missing, "; "))
}
