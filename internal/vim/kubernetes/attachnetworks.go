package kubernetes

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// networkKind is the kind of Multus' networks.
var networkKind = schema.GroupVersionKind{
	Group: "k8s.cni.cncf.io", Version: "v1", Kind: "NetworkAttachmentDefinition",
}

// attach puts the Pods of VDUs on their networks. It removes attachments of an earlier definition that this one lacks.
// Networks that the manifests name stay.
//
// Errors: Invalid for networks that are neither on the cluster nor among the objects, with the paths of the request.
func (c *Connection) attach(ctx context.Context, of Definition, have *record, objects []prepared) error {
	if of.Attachments == nil {
		return nil
	}
	ours := slices.Concat(have.Attachments, of.Attachments)
	var problems []lcm.Problem
	for _, vdu := range vdusOf(ours) {
		at := workloadAt(objects, of.Workloads[vdu])
		if at < 0 {
			continue
		}
		told, err := c.attachVdu(ctx, objects, &objects[at], ofVdu(ours, vdu), ofVdu(of.Attachments, vdu))
		if err != nil {
			return err
		}
		problems = append(problems, told...)
	}
	if len(problems) > 0 {
		return c.refusal(lcm.KindInvalid, problems)
	}
	return nil
}

func (c *Connection) attachVdu(
	ctx context.Context, objects []prepared, to *prepared, ours, wanted []Attachment,
) (problems []lcm.Problem, err error) {
	var add []map[string]any
	fixed := false
	for _, a := range wanted {
		in, name := a.reference(to.GetNamespace())
		config, why, err := c.network(ctx, objects, in, name)
		if err != nil {
			return nil, err
		}
		if why != "" {
			problems = append(problems, lcm.Problem{Path: a.Path, Detail: fmt.Sprintf("the connection point %s cannot be on the "+
				"network %q: %s", a.Cpd, a.Network, why)})
		}
		add, fixed = append(add, a.selection(to.GetNamespace(), config)), fixed || a.fixed()
	}
	var interfaces []string
	for _, a := range ours {
		interfaces = append(interfaces, a.Interface())
	}
	if err := attachTo(to.Object, podAnnotations(to.GetKind()), interfaces, add); err != nil {
		problems = append(problems, lcm.Problem{Path: title(&to.Unstructured), Detail: err.Error()})
	}
	if fixed {
		oneByOne(to)
	}
	return problems, nil
}

// oneByOne makes a workload remove the old Pod before it starts a new one, as both would have the same address.
func oneByOne(to *prepared) {
	how, _, _ := unstructured.NestedString(to.Object, "spec", "strategy", "type")
	if to.GetKind() != "Deployment" || how == "Recreate" {
		return
	}
	_ = unstructured.SetNestedField(to.Object, "RollingUpdate", "spec", "strategy", "type")
	_ = unstructured.SetNestedField(to.Object, int64(0), "spec", "strategy", "rollingUpdate", "maxSurge")
	_ = unstructured.SetNestedField(to.Object, int64(1), "spec", "strategy", "rollingUpdate", "maxUnavailable")
}

// network reads the configuration of a network from the objects or from the cluster; why not completes a sentence.
func (c *Connection) network(
	ctx context.Context, objects []prepared, namespace, name string,
) (config, why string, err error) {
	for _, o := range objects {
		if o.GroupVersionKind().GroupKind() == networkKind.GroupKind() && o.GetNamespace() == namespace && o.GetName() == name {
			config, _, _ = unstructured.NestedString(o.Object, "spec", "config")
			return config, "", nil
		}
	}
	there, why, err := c.networkAt(ctx, namespace, name)
	if there != nil {
		config, _, _ = unstructured.NestedString(there.Object, "spec", "config")
	}
	return config, why, err
}

// networkAt reads a network of the cluster. If the credentials may not read it, it returns nil without a reason, and
// nobody judges the network.
func (c *Connection) networkAt(
	ctx context.Context, namespace, name string,
) (there *unstructured.Unstructured, why string, err error) {
	mapping, _, err := c.kindOf(ctx, networkKind, time.Now())
	switch {
	case meta.IsNoMatchError(err):
		return nil, "the cluster has no NetworkAttachmentDefinitions; install Multus", nil
	case err != nil:
		return nil, "", translate("list the kinds of its objects", err)
	}
	there, err = c.at(mapping, namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return nil, fmt.Sprintf("there is no NetworkAttachmentDefinition %s in the namespace %s, neither on the cluster nor in "+
			"the VNF package", name, namespace), nil
	case errors.IsForbidden(err):
		return nil, "", nil
	case err != nil:
		return nil, "", translate("read the NetworkAttachmentDefinition "+namespace+"/"+name, err)
	}
	return there, "", nil
}

// outdated adds Pods to the leaving ones: Pods of workloads of a kind that have another template or other networks than
// they should have.
func (c *Connection) outdated(
	ctx context.Context, r *record, kind string, objects []prepared, leaving []leavingPod,
) ([]leavingPod, error) {
	all, err := c.podsOf(ctx, r)
	for _, p := range all {
		at := workloadAt(objects, p.workload)
		known := slices.ContainsFunc(leaving, func(l leavingPod) bool { return l.uid == p.pod.UID })
		if at < 0 || known || p.workload.Kind != kind || p.pod.DeletionTimestamp != nil {
			continue
		}
		want, _, _ := unstructured.NestedStringMap(objects[at].Object, podAnnotations(kind)...)
		if p.pod.Annotations[networksKey] != want[networksKey] || !ofTemplate(&p.pod, &objects[at].Unstructured) {
			leaving = append(leaving, leavingPod{namespace: p.pod.Namespace, name: p.pod.Name, uid: p.pod.UID})
		}
	}
	return leaving, err
}

func workloadAt(objects []prepared, w Workload) int {
	return slices.IndexFunc(objects, func(p prepared) bool { return p.GetKind() == w.Kind && p.GetName() == w.Name })
}

func vdusOf(list []Attachment) (vdus []string) {
	for _, a := range list {
		if !slices.Contains(vdus, a.Vdu) {
			vdus = append(vdus, a.Vdu)
		}
	}
	return vdus
}

func ofVdu(list []Attachment, vdu string) (out []Attachment) {
	for _, a := range list {
		if a.Vdu == vdu {
			out = append(out, a)
		}
	}
	return out
}
