package kubernetes

import (
	"context"
	"slices"
	"time"

	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// install makes the objects of a plan and waits until they are ready. Until then, releases are pending; their hooks run
// before and afterwards. At the end, it removes the objects that are no longer part of the deployment.
func (c *Connection) install(ctx context.Context, p *plan, r *record, w *waiting) (err error) {
	if err := c.makeRoom(ctx, p, w); err != nil {
		return timedOut(ctx, err, w)
	}
	defer func() {
		if err != nil {
			c.failed(ctx, p, masked(err, p.secrets))
		}
	}()
	if err := c.begin(ctx, p, w); err != nil {
		return err
	}
	if err := c.carryOut(ctx, p.objects, r, w); err != nil {
		return err
	}
	for _, of := range p.releases {
		if !of.active() {
			continue
		}
		phase := of.phase()
		if err := c.runHooks(ctx, of.stored, phase.after, w); err != nil {
			return err
		}
		if err := c.deployed(ctx, of.stored, phase.ends); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom makes what releases and hooks need: namespaces, and the kinds that charts define.
func (c *Connection) makeRoom(ctx context.Context, p *plan, w *waiting) error {
	if !slices.ContainsFunc(p.releases, (*releasing).active) {
		return nil
	}
	var room []prepared
	for _, o := range p.objects {
		if o.GetKind() == "Namespace" || o.GetKind() == "CustomResourceDefinition" && charts.Kept(&o.Unstructured) {
			room = append(room, o)
		}
	}
	return c.apply(ctx, room, w.owner, w)
}

// begin records the releases to make or change, and runs the hooks that come first.
func (c *Connection) begin(ctx context.Context, p *plan, w *waiting) error {
	for _, of := range p.releases {
		if !of.active() {
			continue
		}
		phase := of.phase()
		if err := c.store(ctx, of.stored, phase.pending, phase.begins); err != nil {
			return err
		}
		if err := c.runHooks(ctx, of.stored, phase.before, w); err != nil {
			return err
		}
	}
	return nil
}

// lastWords limits the time in which a failed attempt writes its failure into its releases.
const lastWords = 10 * time.Second

// failed marks the releases as failed, if it can.
func (c *Connection) failed(ctx context.Context, p *plan, err error) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer done()
	for _, of := range p.releases {
		if !of.active() {
			continue
		}
		says := "Windlass has stopped"
		if told, ok := err.(*lcm.Error); ok { //nolint:errorlint // only the error itself is shown
			says = told.Detail
		}
		_ = c.store(ctx, of.stored, common.StatusFailed, says) // the next attempt looks for itself
	}
}

// uninstalling runs the hooks that come before the releases are removed. It runs none for a deployment that was never
// complete.
func (c *Connection) uninstalling(ctx context.Context, r *record, w *waiting) error {
	for _, h := range r.Releases {
		of, err := c.latest(ctx, h.Namespace, h.Name, w.owner)
		if lcm.Is(err, lcm.KindConflict) {
			continue // it is somebody else's now
		}
		if err != nil {
			return err
		}
		if of == nil || !r.Complete || of.Info.Status == common.StatusUninstalling {
			continue
		}
		if err := c.runHooks(ctx, of, release.HookPreDelete, w); err != nil {
			return err
		}
		if err := c.store(ctx, of, common.StatusUninstalling, "Deletion in progress"); err != nil {
			return err
		}
	}
	return nil
}

// uninstalled runs the hooks that come after the releases are removed, deletes the rest of the hooks, and forgets the
// releases.
func (c *Connection) uninstalled(ctx context.Context, r *record, w *waiting) error {
	for _, h := range r.Releases {
		of, err := c.latest(ctx, h.Namespace, h.Name, w.owner)
		if lcm.Is(err, lcm.KindConflict) {
			continue
		}
		if err == nil && of != nil && of.Info.Status == common.StatusUninstalling {
			err = c.runHooks(ctx, of, release.HookPostDelete, w)
		}
		if err != nil {
			return err
		}
	}
	if err := c.removeLayer(ctx, r.Hooks, w); err != nil {
		return err
	}
	for _, h := range slices.Concat(r.Releases, r.Former) {
		if err := c.forgetRelease(ctx, h.Namespace, h.Name, w.owner); err != nil {
			return err
		}
	}
	return nil
}
