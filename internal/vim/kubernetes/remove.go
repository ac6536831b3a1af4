package kubernetes

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Remove implements vim.VIM. It removes objects in reverse order, and never those of another owner.
func (c *Connection) Remove(ctx context.Context, name, owner string, progress func(string)) error {
	return c.Dispose(ctx, name, owner, vim.Removal{}, progress)
}

// Dispose implements vim.Disposer. Its error names the objects that were not gone in time, and what holds them.
func (c *Connection) Dispose(
	ctx context.Context, name, owner string, how vim.Removal, progress func(string),
) error {
	ctx, done := limited(ctx, how.Timeout)
	defer done()
	w := c.wait(owner, 0, progress)
	w.volumes = how.Volumes
	if how.Grace != nil {
		w.over = time.Now().Add(*how.Grace)
	}
	return w.overdue(ctx, c.removeDeployment(ctx, name, w))
}

func (c *Connection) removeDeployment(ctx context.Context, name string, w *waiting) error {
	r, err := c.recordOf(ctx, name)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return nil
	case err != nil:
		return err
	case r.Owner != w.owner:
		return nil
	}
	if err := c.uninstalling(ctx, r, w); err != nil {
		return err
	}
	of := parted(slices.Concat(r.Objects, r.Dropped))
	if err := c.removeAll(ctx, of.rest, w); err != nil {
		return err
	}
	if err := c.uninstalled(ctx, r, w); err != nil {
		return err
	}
	if err := c.removeClaims(ctx, r, w); err != nil {
		return err
	}
	for _, last := range [][]unstructured.Unstructured{of.volumes, of.room} {
		if err := c.removeAll(ctx, last, w); err != nil {
			return err
		}
	}
	return c.forget(ctx, name, r)
}

// parts of a deployment, in the order of their removal.
type parts struct {
	rest []unstructured.Unstructured
	// volumes are PersistentVolumes. One that is claimed stays until its claim is gone.
	volumes []unstructured.Unstructured
	// room are objects of weight 1, such as namespaces and CustomResourceDefinitions: others depend on them.
	room []unstructured.Unstructured
}

// parted returns no claims: removeClaims removes them, before the volumes.
func parted(objects []unstructured.Unstructured) (of parts) {
	for _, o := range objects {
		switch {
		case weight(o.GetKind()) == 1:
			of.room = append(of.room, o)
		case o.GetKind() == volumeKind:
			of.volumes = append(of.volumes, o)
		case o.GetKind() != claimKind:
			of.rest = append(of.rest, o)
		}
	}
	return of
}

func (c *Connection) removeAll(ctx context.Context, objects []unstructured.Unstructured, w *waiting) error {
	all := layers(objects)
	slices.Reverse(all)
	for _, layer := range all {
		if err := c.removeLayer(ctx, layer, w); err != nil {
			return err
		}
	}
	return nil
}

// drop removes the former definition's objects that the present definition lacks, once the present objects are ready.
func (c *Connection) drop(ctx context.Context, name string, r *record, w *waiting) error {
	if len(r.Dropped)+len(r.Former) == 0 {
		return nil
	}
	if err := c.removeAll(ctx, r.Dropped, w); err != nil {
		return err
	}
	for _, former := range r.Former {
		if err := c.forgetRelease(ctx, former.Namespace, former.Name, w.owner); err != nil {
			return err
		}
	}
	r.ClaimMakers = except(slices.Concat(claimMakersAmong(r.Dropped), r.ClaimMakers), nil)
	r.Dropped, r.Former = w.claimed, nil
	return c.keep(ctx, name, r)
}

func (c *Connection) removeLayer(ctx context.Context, layer []unstructured.Unstructured, w *waiting) error {
	var going []prepared
	began := time.Now()
	for _, o := range layer {
		p := prepared{Unstructured: o}
		var err error
		if p.mapping, p.verbs, err = c.kindOf(ctx, o.GroupVersionKind(), began); err != nil {
			if meta.IsNoMatchError(err) {
				continue // a kind that is gone has no objects
			}
			return translate("list the kinds of its objects", err)
		}
		there, err := c.ownerOf(ctx, p)
		if err != nil {
			return err
		}
		if !there.is || there.foreign(w.owner) {
			continue
		}
		if charts.Kept(&o) {
			w.stays(&o, "the chart keeps it (helm.sh/resource-policy)")
			continue
		}
		switch stays, err := c.inUse(ctx, p, w); {
		case err != nil:
			return err
		case stays != "":
			w.show(title(&o) + " stays: " + stays)
		default:
			going = append(going, p)
		}
	}
	var g errgroup.Group
	g.SetLimit(atOnce)
	for _, p := range going {
		g.Go(func() error { return c.remove(ctx, p, w.owner) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return w.until(ctx, going, w.gone)
}

func (c *Connection) remove(ctx context.Context, p prepared, owner string) error {
	to := c.at(p.mapping, p.GetNamespace())
	have, err := to.Get(ctx, p.GetName(), metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return nil
	case err != nil:
		return translate("read "+title(&p.Unstructured), err)
	case have.GetLabels()[ownerLabel] != owner || have.GetDeletionTimestamp() != nil:
		return nil
	}
	// The dependents of an object go before it, and before the definition of its kind: otherwise the garbage collector
	// would never find the owner of the remaining objects. The collector learns a new kind only after up to half a
	// minute. So a custom resource that is removed right after its definition was made stays that long.
	foreground := metav1.DeletePropagationForeground
	err = to.Delete(ctx, p.GetName(), metav1.DeleteOptions{
		PropagationPolicy: &foreground, Preconditions: metav1.NewUIDPreconditions(string(have.GetUID())),
	})
	if gone(err) {
		return nil
	}
	return translate("delete "+title(&p.Unstructured), err)
}
