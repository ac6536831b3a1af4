package kubernetes

import (
	"context"
	goerrors "errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// bindingKind is the kind of objects that assign Pods to nodes.
const bindingKind = "Binding"

// binds tells whether an object puts one of the Pods among the objects onto a node: it has the Pod's name.
func (p prepared) binds(objects []prepared) bool {
	return p.GetKind() == bindingKind && slices.ContainsFunc(objects, func(o prepared) bool {
		return o.GetKind() == "Pod" && o.GetName() == p.GetName() && o.GetNamespace() == p.GetNamespace()
	})
}

// asked returns the object for a create, where the kind has no apply. Access reviews must have no name and no labels:
// they are questions, and the cluster does not store them.
func (p prepared) asked() *unstructured.Unstructured {
	if p.remembered() || p.GroupVersionKind().Group != "authorization.k8s.io" {
		return &p.Unstructured
	}
	o := p.DeepCopy()
	unstructured.RemoveNestedField(o.Object, "metadata")
	if p.GetNamespace() != "" {
		o.SetNamespace(p.GetNamespace())
	}
	return o
}

// standIn is the name under which objects are rehearsed whose namespaces are not there yet.
const standIn = "windlass-rehearsal"

// rehearseElsewhere rehearses an object in the VIM's own namespace, because the object's namespace does not exist yet.
// It reports only mistakes of the object itself: quotas and webhooks may differ between namespaces. It skips custom
// resources, which may be invalid under another name.
func (c *Connection) rehearseElsewhere(ctx context.Context, p prepared) error {
	if ofDefinition(&p.Unstructured) || !slices.Contains(p.verbs, "patch") {
		return nil
	}
	o := p.DeepCopy()
	o.SetNamespace(c.namespace)
	o.SetName(standIn)
	_, err := c.at(p.mapping, c.namespace).Apply(ctx, standIn, o, metav1.ApplyOptions{
		FieldManager: fieldManager, Force: true, DryRun: []string{metav1.DryRunAll},
	})
	if !errors.IsInvalid(err) && !errors.IsBadRequest(err) {
		return nil // it could not be looked at, or it is as it should be
	}
	err = refused(p, err)
	if failed, ok := goerrors.AsType[*lcm.Error](err); ok {
		failed.Detail = strings.ReplaceAll(failed.Detail, standIn, p.GetName())
	}
	return err
}
