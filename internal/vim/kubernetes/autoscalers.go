package kubernetes

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// autoscaled returns the workloads that autoscalers of the deployment scale.
func autoscaled(objects []prepared) (out []Workload) {
	for _, o := range objects {
		if o.GetKind() == scalerKind {
			out = append(out, scaledBy(&o.Unstructured))
		}
	}
	return out
}

const scalerKind = "HorizontalPodAutoscaler"

// scaledBy returns the workload that an autoscaler scales.
func scaledBy(o *unstructured.Unstructured) Workload {
	kind, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "kind")
	name, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "name")
	return Workload{kind, name}
}

// leaveToOthers keeps the number of Pods of workloads that somebody else's autoscaler scales. It returns a Conflict
// when the operation wants to scale such a workload.
func (c *Connection) leaveToOthers(ctx context.Context, objects []prepared, of Definition, owner string) error {
	var problems []lcm.Problem
	scalers := map[string][]unstructured.Unstructured{} // by namespaces
	for _, p := range objects {
		if !scalable(p.GetKind()) || p.mapping == nil {
			continue
		}
		found, known := scalers[p.GetNamespace()]
		if !known {
			var err error
			if found, err = c.scalersOfOthers(ctx, p.GetNamespace(), owner); err != nil {
				return err
			}
			scalers[p.GetNamespace()] = found
		}
		w := Workload{p.GetKind(), p.GetName()}
		at := slices.IndexFunc(found, func(o unstructured.Unstructured) bool { return scaledBy(&o) == w })
		if at < 0 {
			continue
		}
		if err := c.keepReplicas(ctx, p); err != nil {
			return err
		}
		if slices.ContainsFunc(of.Scaled, func(vdu string) bool { return of.Workloads[vdu] == w }) {
			problems = append(problems, lcm.Problem{Path: title(&p.Unstructured), Detail: "is scaled by the " +
				title(&found[at]) + ", which does not belong to this VNF: delete it, or leave the scaling to it"})
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return c.refusal(lcm.KindConflict, problems)
}

// scalersOfOthers returns the autoscalers in a namespace that are not the owner's. Without the right to list them, it
// returns none.
func (c *Connection) scalersOfOthers(
	ctx context.Context, namespace, owner string,
) ([]unstructured.Unstructured, error) {
	kind := schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: scalerKind}
	mapping, _, err := c.kindOf(ctx, kind, time.Time{})
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, translate("list the kinds of its objects", err)
	}
	list, err := c.at(mapping, namespace).List(ctx, metav1.ListOptions{LabelSelector: ownerLabel + "!=" + owner})
	switch {
	case errors.IsForbidden(err), errors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, translate("list the autoscalers", err)
	}
	return list.Items, nil
}

// keepReplicas keeps the present number of Pods of an existing workload.
func (c *Connection) keepReplicas(ctx context.Context, p prepared) error {
	live, err := c.at(p.mapping, p.GetNamespace()).Get(ctx, p.GetName(), metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return nil
	case err != nil:
		return translate("read "+title(&p.Unstructured), err)
	}
	if has, said, _ := unstructured.NestedInt64(live.Object, "spec", "replicas"); said {
		_ = unstructured.SetNestedField(p.Object, has, "spec", "replicas")
	}
	return nil
}
