package kubernetes

import (
	"cmp"
	"context"
	goerrors "errors"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// atOnce bounds how many objects are written at the same time.
const atOnce = 8

func (c *Connection) at(mapping *meta.RESTMapping, namespace string) dynamic.ResourceInterface {
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.objects.Resource(mapping.Resource).Namespace(namespace)
	}
	return c.objects.Resource(mapping.Resource)
}

// rehearse sends all objects to the API server as a dry run, and checks the owners of existing objects. It reports all
// problems at once.
//
// Errors: Invalid, Denied, Exhausted and Conflict, with the objects as paths.
func (c *Connection) rehearse(ctx context.Context, objects []prepared, owner string) error {
	var mu sync.Mutex
	var problems []lcm.Problem
	kinds := map[string]lcm.ErrorKind{} // by the objects' titles
	coming := namespacesIn(objects)
	var g errgroup.Group
	g.SetLimit(atOnce)
	for _, p := range objects {
		g.Go(func() error {
			if p.binds(objects) {
				return nil // there is no Pod to bind yet, or it is bound already
			}
			err := c.rehearseOne(ctx, p, owner, coming)
			found, isOurs := err.(*lcm.Error) //nolint:errorlint // translate has made it
			switch {
			case err == nil:
				return nil
			case !isOurs || found.Kind == lcm.KindUnavailable:
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			problems = append(problems, lcm.Problem{Path: title(&p.Unstructured), Detail: found.Detail})
			kinds[title(&p.Unstructured)] = found.Kind
			return nil
		})
	}
	if err := g.Wait(); err != nil || len(problems) == 0 {
		return err
	}
	slices.SortFunc(problems, func(a, b lcm.Problem) int { return strings.Compare(a.Path, b.Path) })
	return c.refusal(kinds[problems[0].Path], problems)
}

// namespacesIn returns the namespaces that are among the objects.
func namespacesIn(objects []prepared) []string {
	var out []string
	for _, p := range objects {
		if p.GetKind() == "Namespace" {
			out = append(out, p.GetName())
		}
	}
	return out
}

func (c *Connection) rehearseOne(ctx context.Context, p prepared, owner string, coming []string) error {
	if p.mapping == nil {
		return nil // the API server learns the kind only from its definition
	}
	there, err := c.ownerOf(ctx, p)
	switch {
	case err != nil:
		return err
	case there.foreign(owner) && p.shared():
		return nil
	case there.foreign(owner):
		return lcm.Errorf(lcm.KindConflict, "exists already and does not belong to this VNF: rename it in the "+
			"package, or choose another namespace")
	case !there.is && slices.Contains(coming, p.GetNamespace()):
		exists, err := c.core.Namespaces().Get(ctx, p.GetNamespace(), metav1.GetOptions{})
		if errors.IsNotFound(err) || err == nil && exists.DeletionTimestamp != nil {
			return c.rehearseElsewhere(ctx, p)
		}
	}
	if err := c.claimsAreFree(ctx, p, owner); err != nil {
		return err
	}
	return c.write(ctx, p, true)
}

// presence says whether an object is on the cluster, and who owns it.
type presence struct {
	is    bool
	owner string
	ends  bool // it is being deleted, and not gone yet
}

func (p presence) foreign(owner string) bool { return p.is && p.owner != owner }

func (c *Connection) ownerOf(ctx context.Context, p prepared) (presence, error) {
	if !p.remembered() {
		return presence{}, nil
	}
	have, err := c.at(p.mapping, p.GetNamespace()).Get(ctx, p.GetName(), metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return presence{}, nil
	case err != nil:
		return presence{}, translate("read "+title(&p.Unstructured), err)
	}
	return presence{true, have.GetLabels()[ownerLabel], have.GetDeletionTimestamp() != nil}, nil
}

// write creates or changes an object: by server-side apply where the kind supports it.
func (c *Connection) write(ctx context.Context, p prepared, dryRun bool) error {
	var dry []string
	if dryRun {
		dry = []string{metav1.DryRunAll}
	}
	to := c.at(p.mapping, p.GetNamespace())
	var err error
	if slices.Contains(p.verbs, "patch") {
		// Force takes back fields of our own objects that others have set, such as the replicas that an autoscaler has set.
		_, err = to.Apply(ctx, p.GetName(), &p.Unstructured, metav1.ApplyOptions{
			FieldManager: fieldManager, Force: true, DryRun: dry,
		})
	} else {
		_, err = to.Create(ctx, p.asked(), metav1.CreateOptions{FieldManager: fieldManager, DryRun: dry})
	}
	if err != nil {
		return refused(p, err)
	}
	return nil
}

// refused is the error for an object that the cluster does not accept. If the object needs something that the cluster
// lacks, such as a namespace, the object is wrong: NotFound is for deployments only.
func refused(p prepared, err error) error {
	err = translate("take "+title(&p.Unstructured), err)
	if failed, ok := goerrors.AsType[*lcm.Error](err); ok && failed.Kind == lcm.KindNotFound {
		invalid := *failed
		invalid.Kind = lcm.KindInvalid
		return &invalid
	}
	return err
}

// apply makes all objects, layer by layer. Before it makes objects that depend on namespaces and definitions of kinds,
// it waits for these.
func (c *Connection) apply(ctx context.Context, objects []prepared, owner string, w *waiting) error {
	all := make([]unstructured.Unstructured, 0, len(objects))
	index := map[string]prepared{}
	for _, p := range objects {
		all = append(all, p.Unstructured)
		index[key(&p.Unstructured)] = p
	}
	for _, layer := range layers(all) {
		began := time.Now() // the layer before may have brought kinds
		var g errgroup.Group
		g.SetLimit(atOnce)
		for _, o := range layer {
			g.Go(func() error { return c.applyOne(ctx, index[key(&o)], owner, began, w.show) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
		if weight(layer[0].GetKind()) == weights["CustomResourceDefinition"] {
			made, err := c.ours(ctx, preparedOf(layer, index), owner)
			if err == nil {
				err = w.until(ctx, made, w.ready)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// notGone adds to the error for an object that is not gone in time what holds the object.
func notGone(ctx context.Context, err error, what string, left map[string]string) error {
	if !goerrors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	why := cmp.Or(left[what], "it still exists")
	return lcm.Errorf(lcm.KindBroken, "The time for the deployment is over, and the deleted %s is not gone: %s",
		what, why)
}

func preparedOf(layer []unstructured.Unstructured, index map[string]prepared) (out []prepared) {
	for _, o := range layer {
		out = append(out, index[key(&o)])
	}
	return out
}

// key tells objects apart.
func key(o *unstructured.Unstructured) string {
	k := o.GroupVersionKind()
	return strings.Join([]string{k.Group, k.Kind, o.GetNamespace(), o.GetName()}, "/")
}

func (c *Connection) applyOne(
	ctx context.Context, p prepared, owner string, began time.Time, show func(string),
) (err error) {
	if p.mapping == nil {
		if p.mapping, p.verbs, err = c.kindOf(ctx, p.GroupVersionKind(), began); err != nil {
			return refused(p, err)
		}
	}
	there, err := c.ownerOf(ctx, p)
	if err != nil {
		return err
	}
	if there.foreign(owner) {
		if p.shared() {
			show(title(&p.Unstructured) + " exists already: Windlass uses it as it is.")
			return nil
		}
		return lcm.Errorf(lcm.KindConflict, "%s exists already on the VIM %s and does not belong to this VNF.",
			title(&p.Unstructured), c.name)
	}
	if there.ends { // a change now would be lost with it
		show(title(&p.Unstructured) + " ends: Windlass makes it anew when it is gone.")
		going := c.wait(owner, 0, show)
		if err := going.until(ctx, []prepared{p}, going.gone); err != nil {
			return notGone(ctx, err, title(&p.Unstructured), going.left)
		}
		there = presence{}
	}
	switch err := c.write(ctx, p, false); {
	case lcm.Is(err, lcm.KindConflict) && p.GetKind() == bindingKind: // it is bound already
	case err != nil:
		return err
	}
	if !there.is && p.remembered() {
		show(title(&p.Unstructured) + " is made.")
	}
	return nil
}
