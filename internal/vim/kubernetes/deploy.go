package kubernetes

import (
	"context"
	goerrors "errors"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Deploy implements vim.VIM: it rehearses all objects, makes them and waits until they are ready.
func (c *Cluster) Deploy(ctx context.Context, d vim.Deployment, progress func(string)) (string, error) {
	of, err := definitionOf(d.Definition)
	if err != nil {
		return "", err
	}
	ctx, done := limited(ctx, d.Timeout)
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
		progress("What another operation has left of the deployment is removed first.")
		if err := c.Remove(ctx, d.Name, d.Owner, progress); err != nil {
			return "", err
		}
		have = &record{Owner: d.Owner}
	}
	objects, err := c.prepare(of, d.Owner, of.Workloads)
	if err != nil {
		return "", err
	}
	if !have.Complete {
		if err := c.rehearse(ctx, objects, d.Owner); err != nil {
			return "", masked(err, d.Secrets)
		}
	}
	have.Operation, have.Workloads, have.Objects = d.Operation, of.Workloads, unprepared(objects)
	if err := c.keep(ctx, d.Name, have); err != nil {
		return "", err
	}
	if err := c.carryOut(ctx, objects, have, c.wait(d.Owner, of.Patience, progress)); err != nil {
		return "", masked(err, d.Secrets)
	}
	have.Complete = true
	return have.id, c.keep(ctx, d.Name, have)
}

// carryOut applies objects and waits until they are ready.
func (c *Cluster) carryOut(ctx context.Context, objects []prepared, r *record, w *waiting) error {
	if err := c.apply(ctx, objects, r.Owner, w); err != nil {
		return timedOut(ctx, err, w)
	}
	fresh, err := c.prepare(Definition{Objects: r.Objects}, r.Owner, r.Workloads) // with the kinds that were made
	if err != nil {
		return err
	}
	return timedOut(ctx, w.until(ctx, fresh, w.ready), w)
}

// Change implements vim.VIM. Objects that somebody has deleted come back.
func (c *Cluster) Change(ctx context.Context, ch vim.Change, progress func(string)) error {
	of, err := definitionOf(ch.Definition)
	if err != nil {
		return err
	}
	ctx, done := limited(ctx, ch.Timeout)
	defer done()
	have, err := c.recordOf(ctx, ch.Name)
	switch {
	case err != nil:
		return err
	case have.Owner != ch.Owner:
		return foreign(ch.Name, have.Owner)
	}
	before := have.Objects
	if of.Objects == nil {
		of.Objects = before
	}
	if of.Workloads == nil {
		of.Workloads = have.Workloads
	}
	objects, err := c.prepare(of, ch.Owner, of.Workloads)
	if err != nil {
		return err
	}
	if err := c.rehearse(ctx, objects, ch.Owner); err != nil {
		return masked(err, ch.Secrets)
	}
	leaving, err := c.leaving(ctx, have, ch.Replace)
	if err != nil {
		return err
	}
	shrinks := func(p leavingPod) bool { return smaller(p.workload, before, objects) }
	have.Operation, have.Workloads, have.Objects = ch.Operation, of.Workloads, unprepared(objects)
	if err := c.keep(ctx, ch.Name, have); err != nil {
		return err
	}
	for _, p := range leaving {
		if shrinks(p) {
			err = c.letGoFirst(ctx, p)
		} else {
			err = c.deletePod(ctx, p)
			progress("The Pod " + p.name + " is made anew.")
		}
		if err != nil {
			return err
		}
	}
	w := c.wait(ch.Owner, of.Patience, progress)
	if err := w.until(ctx, podsIn(objects, leaving), w.replaced(leaving, shrinks)); err != nil {
		return timedOut(ctx, err, w)
	}
	return masked(c.carryOut(ctx, objects, have, w), ch.Secrets)
}

// leavingPod is a Pod that goes.
type leavingPod struct {
	namespace, name string
	uid             types.UID
	workload        Workload
}

// leaving finds the Pods that the resources are. One that is not there any more was replaced already.
func (c *Cluster) leaving(ctx context.Context, r *record, resources []vim.Resource) (out []leavingPod, err error) {
	if len(resources) == 0 {
		return nil, nil
	}
	all, err := c.podsOf(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		uid := string(p.pod.UID)
		if slices.ContainsFunc(resources, func(res vim.Resource) bool { return res.ID == uid || res.Part == uid }) {
			out = append(out, leavingPod{p.pod.Namespace, p.pod.Name, p.pod.UID, p.workload})
		}
	}
	return out, nil
}

// smaller tells whether a workload gets fewer Pods than it had.
func smaller(w Workload, before []unstructured.Unstructured, after []prepared) bool {
	had, has := int64(0), int64(0)
	for _, o := range before {
		if o.GetKind() == w.Kind && o.GetName() == w.Name {
			had = replicasOf(&o)
		}
	}
	for _, o := range after {
		if o.GetKind() == w.Kind && o.GetName() == w.Name {
			has = replicasOf(&o.Unstructured)
		}
	}
	return has < had
}

// replicasOf is 1 where a manifest gives no number, as the API server takes it.
func replicasOf(o *unstructured.Unstructured) int64 {
	if n, ok, _ := unstructured.NestedInt64(o.Object, "spec", "replicas"); ok {
		return n
	}
	return 1
}

// letGoFirst makes a Pod the first that its controller removes.
func (c *Cluster) letGoFirst(ctx context.Context, p leavingPod) error {
	const cost = `{"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"-2147483647"}}}`
	_, err := c.typed.CoreV1().Pods(p.namespace).Patch(ctx, p.name, types.StrategicMergePatchType, []byte(cost),
		metav1.PatchOptions{FieldManager: fieldManager})
	if err != nil && !errors.IsNotFound(err) {
		return translate("choose the Pod "+p.name+" to go", err)
	}
	return nil
}

func (c *Cluster) deletePod(ctx context.Context, p leavingPod) error {
	err := c.typed.CoreV1().Pods(p.namespace).Delete(ctx, p.name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(p.uid)),
	})
	if err != nil && !errors.IsNotFound(err) && !errors.IsConflict(err) { // a conflict: it is another one already
		return translate("delete the Pod "+p.name, err)
	}
	return nil
}

// replaced is the condition that Pods which were deleted are gone: a bare one is made again only then.
func (w *waiting) replaced(leaving []leavingPod, shrinks func(leavingPod) bool) condition {
	return func(context.Context, []prepared) (bool, error) {
		for _, pod := range w.listed(pods) {
			if slices.ContainsFunc(leaving, func(p leavingPod) bool { return p.uid == pod.GetUID() && !shrinks(p) }) {
				return false, nil
			}
		}
		return true, nil
	}
}

// podsIn are the objects in whose namespaces Pods leave.
func podsIn(objects []prepared, leaving []leavingPod) (out []prepared) {
	for _, p := range objects {
		if slices.ContainsFunc(leaving, func(l leavingPod) bool { return l.namespace == p.GetNamespace() }) {
			out = append(out, p)
		}
	}
	return out
}

// Interrupt implements vim.VIM. Nothing goes on for Windlass on a cluster once nobody waits for it.
func (c *Cluster) Interrupt(context.Context, string, string, func(string)) error { return nil }

// Settle implements vim.VIM: controllers never end what they do.
func (c *Cluster) Settle(context.Context, string, string, func(string)) error { return nil }

func foreign(name, owner string) error {
	return lcm.Errorf(lcm.KindConflict, "The deployment %s belongs to %s.", name, owner)
}

func unprepared(objects []prepared) (out []unstructured.Unstructured) {
	for _, p := range objects {
		if p.remembered() {
			out = append(out, p.Unstructured)
		}
	}
	return out
}

// errTimeout ends a deployment's time.
var errTimeout = lcm.Errorf(lcm.KindBroken, "The time for the deployment is over.")

func limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, errTimeout)
}

// timedOut tells what was missing when the time was over.
func timedOut(ctx context.Context, err error, w *waiting) error {
	if err == nil || !goerrors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	var missing []string
	for _, what := range slices.Sorted(maps.Keys(w.told)) {
		if w.told[what] != "ready" {
			missing = append(missing, what+": "+w.told[what])
		}
	}
	return lcm.Errorf(lcm.KindBroken, "The time for the deployment is over, and this is not ready: %s",
		strings.Join(missing, "; "))
}

// masked takes secrets out of what the cluster has said.
func masked(err error, secrets []string) error {
	failed, ok := err.(*lcm.Error) //nolint:errorlint // only the error itself is shown
	if !ok {
		return err
	}
	clean := *failed
	clean.Problems = slices.Clone(failed.Problems)
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		clean.Detail = strings.ReplaceAll(clean.Detail, secret, "***")
		for i := range clean.Problems {
			clean.Problems[i].Detail = strings.ReplaceAll(clean.Problems[i].Detail, secret, "***")
		}
	}
	clean.Err = nil
	return &clean
}
