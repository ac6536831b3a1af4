package kubernetes

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// prepared is an object as it is to be on the cluster.
type prepared struct {
	unstructured.Unstructured
	// mapping is nil for a custom resource whose definition is made together with it.
	mapping *meta.RESTMapping
	// verbs are the API verbs that the kind supports.
	verbs []string
}

// title is an object's name in messages: kind, namespace and name.
func title(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetKind() + " " + o.GetName()
	}
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}

// remembered reports whether the cluster stores objects of the kind. It only answers some, such as a TokenReview.
func (p prepared) remembered() bool { return p.mapping == nil || slices.Contains(p.verbs, "get") }

// prepare puts the deployment's objects into their namespaces, labels them with its owner and sets the numbers of Pods.
// The error names each object whose kind the cluster does not have.
func (c *Connection) prepare(
	ctx context.Context, d Definition, owner string, workloads map[string]Workload,
) (out []prepared, err error) {
	began := time.Now()
	brought := customKinds(d.Objects)
	if len(brought) > 0 {
		c.kinds.notBefore(began) // the cached kind may have gone with another VNF
	}
	var problems []lcm.Problem
	for _, given := range d.Objects {
		p := prepared{Unstructured: *given.DeepCopy()}
		kind := p.GroupVersionKind()
		scoped, known := brought[kind.GroupKind()]
		if p.mapping, p.verbs, err = c.kindOf(ctx, kind, began); err == nil {
			scoped, known = p.mapping.Scope.Name() == meta.RESTScopeNameNamespace, true
		} else if !meta.IsNoMatchError(err) {
			return nil, translate("list the kinds of its objects", err)
		}
		if !known {
			problems = append(problems, lcm.Problem{
				Path:   title(&given),
				Detail: "is of a kind that the cluster does not have: " + kind.GroupVersion().String() + " " + kind.Kind,
			})
			continue
		}
		p.place(d, scoped, c.namespace)
		own(p.Object, owner)
		out = append(out, p)
	}
	scaled := autoscaled(out)
	for vdu, replicas := range d.Replicas {
		if w := workloads[vdu]; !slices.Contains(scaled, w) {
			setReplicas(out, w, replicas)
		}
	}
	for _, p := range out {
		if slices.Contains(scaled, Workload{p.GetKind(), p.GetName()}) {
			unstructured.RemoveNestedField(p.Object, "spec", "replicas") // else an apply resets the autoscaler's number
		}
	}
	return out, lcm.InvalidAll("The manifests cannot be applied to the VIM "+c.name+".", problems)
}

func (p *prepared) place(d Definition, scoped bool, usual string) {
	switch {
	case !scoped:
		p.SetNamespace("")
	case d.Override && d.Namespace != "" && !ofChart(&p.Unstructured): // a chart chooses the namespaces of its objects
		p.SetNamespace(d.Namespace)
	default:
		p.SetNamespace(cmp.Or(p.GetNamespace(), d.Namespace, usual))
	}
}

func ofChart(o *unstructured.Unstructured) bool { name, _ := charts.Of(o); return name != "" }

// customKinds returns the kinds that the CustomResourceDefinitions among the objects define. The value is true for a
// namespaced kind.
func customKinds(objects []unstructured.Unstructured) map[schema.GroupKind]bool {
	out := map[schema.GroupKind]bool{}
	for _, o := range objects {
		if o.GetKind() != "CustomResourceDefinition" {
			continue
		}
		group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
		scope, _, _ := unstructured.NestedString(o.Object, "spec", "scope")
		out[schema.GroupKind{Group: group, Kind: kind}] = scope == "Namespaced"
	}
	return out
}

// ofDefinition reports whether an object is a custom resource. It goes by the API group: Kubernetes' own groups have no
// dot or end in .k8s.io.
func ofDefinition(o *unstructured.Unstructured) bool {
	group := o.GroupVersionKind().Group
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// own labels an object, and the templates of Pods and claims in it, with the owner.
func own(o map[string]any, owner string) {
	label(o, owner)
	for _, path := range [][]string{
		{"spec", "template"},
		{"spec", "jobTemplate", "spec", "template"},
	} {
		if template, ok, _ := unstructured.NestedMap(o, path...); ok {
			label(template, owner)
			_ = unstructured.SetNestedMap(o, template, path...)
		}
	}
	claims, ok, _ := unstructured.NestedSlice(o, "spec", "volumeClaimTemplates")
	if !ok {
		return
	}
	for _, claim := range claims {
		if claim, ok := claim.(map[string]any); ok {
			label(claim, owner)
		}
	}
	_ = unstructured.SetNestedSlice(o, claims, "spec", "volumeClaimTemplates")
}

func label(o map[string]any, owner string) {
	labels, _, _ := unstructured.NestedStringMap(o, "metadata", "labels")
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[ownerLabel] = owner
	_ = unstructured.SetNestedStringMap(o, labels, "metadata", "labels")
}

func setReplicas(objects []prepared, of Workload, replicas int) {
	for _, o := range objects {
		if o.GetKind() == of.Kind && o.GetName() == of.Name && scalable(of.Kind) {
			_ = unstructured.SetNestedField(o.Object, int64(replicas), "spec", "replicas")
		}
	}
}

// scalable reports whether Windlass can set the number of Pods of a kind.
func scalable(kind string) bool {
	return kind == "Deployment" || kind == "ReplicaSet" || kind == "StatefulSet"
}
