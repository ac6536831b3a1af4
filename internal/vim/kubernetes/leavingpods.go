package kubernetes

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// leavingPod is a Pod that goes.
type leavingPod struct {
	namespace, name string
	uid             types.UID
	// chosen is set when its workload gets fewer Pods: the controller removes this Pod first, and nobody replaces it.
	chosen bool
	// rolls is set when its workload replaces its Pods one after the other if their template changes.
	rolls bool
}

// leaving finds the Pods for the resources. A missing Pod was replaced already.
func (c *Connection) leaving(
	ctx context.Context, r *record, resources []vim.Resource, objects []prepared,
) (out []leavingPod, err error) {
	if len(resources) == 0 {
		return nil, nil
	}
	all, err := c.podsOf(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		uid := string(p.pod.UID)
		if !slices.ContainsFunc(resources, func(res vim.Resource) bool { return res.ID == uid || res.Part == uid }) {
			continue
		}
		at := slices.IndexFunc(objects, p.isOf)
		if at < 0 {
			continue // it goes with its workload
		}
		l := leavingPod{namespace: p.pod.Namespace, name: p.pod.Name, uid: p.pod.UID}
		if l.chosen, err = c.shrinks(ctx, objects[at]); err != nil {
			return nil, err
		}
		l.rolls = scalable(objects[at].GetKind())
		out = append(out, l)
	}
	return out, nil
}

// leftToWorkloads are the Pods without those that their workloads replace by themselves when they get their former
// templates back.
func leftToWorkloads(leaving []leavingPod) []leavingPod {
	return slices.DeleteFunc(leaving, func(l leavingPod) bool { return l.rolls && !l.chosen })
}

// isOf tells whether an object is the workload of the Pod.
func (p workloadPod) isOf(o prepared) bool {
	return o.GetKind() == p.workload.Kind && o.GetName() == p.workload.Name && o.GetNamespace() == p.pod.Namespace
}

// shrinks reports whether a workload has more Pods on the cluster than it should have. For an autoscaled workload, the
// autoscaler sets the number.
func (c *Connection) shrinks(ctx context.Context, workload prepared) (bool, error) {
	want, said, _ := unstructured.NestedInt64(workload.Object, "spec", "replicas")
	if !said || !scalable(workload.GetKind()) || workload.mapping == nil {
		return false, nil
	}
	live, err := c.at(workload.mapping, workload.GetNamespace()).Get(ctx, workload.GetName(), metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, translate("read "+title(&workload.Unstructured), err)
	}
	has, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	return want < has, nil
}

// letGo deletes the Pods to replace, and marks the Pods that controllers should remove first.
func (c *Connection) letGo(ctx context.Context, leaving []leavingPod, w *waiting) error {
	for _, p := range leaving {
		if p.chosen {
			if err := c.letGoFirst(ctx, p); err != nil {
				return err
			}
			continue
		}
		if err := c.deletePod(ctx, p); err != nil {
			return err
		}
		w.show("The Pod " + p.name + " is made anew.")
	}
	return nil
}

// letGoFirst makes a Pod the first that its controller removes.
func (c *Connection) letGoFirst(ctx context.Context, p leavingPod) error {
	const cost = `{"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"-2147483647"}}}`
	_, err := c.core.Pods(p.namespace).Patch(ctx, p.name, types.StrategicMergePatchType, []byte(cost),
		metav1.PatchOptions{FieldManager: fieldManager})
	if err != nil && !errors.IsNotFound(err) {
		return translate("mark the Pod "+p.name+" for removal", err)
	}
	return nil
}

func (c *Connection) deletePod(ctx context.Context, p leavingPod) error {
	err := c.core.Pods(p.namespace).Delete(ctx, p.name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(p.uid)),
	})
	if gone(err) {
		return nil
	}
	return translate("delete the Pod "+p.name, err)
}

// gone reports whether the answer to a deletion means that the object goes. A conflict means that there is another
// object of that name already.
func gone(err error) bool { return err == nil || errors.IsNotFound(err) || errors.IsConflict(err) }

// replaced is the condition that the deleted Pods are gone: only then can a Pod without a controller be made again.
func (w *waiting) replaced(leaving []leavingPod) condition {
	return func(ctx context.Context, _ []prepared) (bool, error) {
		going := slices.DeleteFunc(w.listed(pods), func(pod *unstructured.Unstructured) bool {
			return !slices.ContainsFunc(leaving, func(p leavingPod) bool { return p.uid == pod.GetUID() && !p.chosen })
		})
		seen := slices.ContainsFunc(going, func(pod *unstructured.Unstructured) bool { return pod.GetDeletionTimestamp() == nil })
		return len(w.end(ctx, going)) == 0 && !seen, nil
	}
}

// podsIn returns the objects in the namespaces of leaving Pods.
func podsIn(objects []prepared, leaving []leavingPod) (out []prepared) {
	for _, p := range objects {
		if slices.ContainsFunc(leaving, func(l leavingPod) bool { return l.namespace == p.GetNamespace() }) {
			out = append(out, p)
		}
	}
	return out
}
