package kubernetes

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Keeping adds to a definition what only a former definition of the deployment has, so that a change to it removes
// nothing. The error is a Conflict if the deployment would move to another namespace: its objects cannot.
func (d Definition) Keeping(former Definition) (Definition, error) {
	if d.Namespace != former.Namespace || d.Override != former.Override {
		return d, lcm.Errorf(lcm.KindConflict, "The objects of the VNF would move from the namespace %q to %q, and objects of "+
			"Kubernetes cannot move. Keep the namespace, or terminate and instantiate the VNF.", former.Namespace, d.Namespace)
	}
	d.Objects = with(d.Objects, former.Objects, func(a, b unstructured.Unstructured) bool {
		return a.GroupVersionKind().GroupKind() == b.GroupVersionKind().GroupKind() && a.GetName() == b.GetName() &&
			(d.Override || a.GetNamespace() == b.GetNamespace())
	})
	d.Charts = with(d.Charts, former.Charts, func(a, b charts.Release) bool {
		return a.Name == b.Name && a.Namespace == b.Namespace
	})
	stays := func(vdu string) bool { _, is := d.Workloads[vdu]; return is }
	for _, a := range former.Attachments {
		if !stays(a.Vdu) {
			d.Attachments = append(slices.Clip(d.Attachments), a)
		}
	}
	for _, c := range former.Choices {
		if !stays(c.Vdu) {
			d.Choices = append(slices.Clip(d.Choices), c)
		}
	}
	workloads, replicas := map[string]Workload{}, map[string]int{}
	maps.Copy(replicas, d.Replicas)
	for vdu, n := range former.Replicas {
		if !stays(vdu) {
			replicas[vdu] = n
		}
	}
	maps.Copy(workloads, former.Workloads)
	maps.Copy(workloads, d.Workloads)
	d.Workloads, d.Replicas = workloads, replicas
	return d, nil
}

// with adds to a list the items of another list that are like none of it.
func with[T any](list, more []T, like func(a, b T) bool) []T {
	out := slices.Clone(list)
	for _, item := range more {
		if !slices.ContainsFunc(list, func(have T) bool { return like(have, item) }) {
			out = append(out, item)
		}
	}
	return out
}
