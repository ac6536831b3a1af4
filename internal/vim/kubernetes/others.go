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
)

// inUse says why a namespace, a CustomResourceDefinition or a PersistentVolume must stay: objects of others depend on it,
// or the credentials may not look. "" means that Windlass can remove it. Everybody's objects go with it, so an API server
// that does not answer is an error.
func (c *Connection) inUse(ctx context.Context, p prepared, w *waiting) (why string, err error) {
	switch p.GetKind() {
	case volumeKind:
		if why, err = c.claimOf(ctx, p); why != "" {
			w.claimed = append(w.claimed, p.Unstructured)
		}
		return why, err
	case "CustomResourceDefinition":
		return c.othersOfKind(ctx, p, w.owner)
	case "Namespace":
		if kept := w.inhabited[p.GetName()]; kept != "" {
			return kept + " is in it.", nil
		}
		return c.othersInNamespace(ctx, p.GetName(), w.owner)
	}
	return "", nil
}

// claimOf says which claim holds a PersistentVolume: Kubernetes would not delete it before the claim.
func (c *Connection) claimOf(ctx context.Context, p prepared) (why string, err error) {
	volume, err := c.core.PersistentVolumes().Get(ctx, p.GetName(), metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", translate("read "+title(&p.Unstructured), err)
	case volume.Spec.ClaimRef == nil:
		return "", nil
	}
	of := volume.Spec.ClaimRef
	why = fmt.Sprintf("the claim %s/%s holds it.", of.Namespace, of.Name)
	claim, err := c.core.PersistentVolumeClaims(of.Namespace).Get(ctx, of.Name, metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return "", nil
	case errors.IsForbidden(err):
		return why, nil
	case err != nil:
		return "", translate(fmt.Sprintf("read the claim %s/%s", of.Namespace, of.Name), err)
	case of.UID != "" && claim.UID != of.UID || claim.Spec.VolumeName != "" && claim.Spec.VolumeName != volume.Name:
		return "", nil // another claim of that name
	}
	return why, nil
}

// othersOfKind looks for objects of a CustomResourceDefinition.
func (c *Connection) othersOfKind(ctx context.Context, p prepared, owner string) (why string, err error) {
	group, _, _ := unstructured.NestedString(p.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(p.Object, "spec", "names", "kind")
	mapping, _, err := c.kindOf(ctx, schema.GroupVersionKind{Group: group, Kind: kind}, time.Now())
	if meta.IsNoMatchError(err) {
		return "", nil // a kind that is not served has no objects
	}
	if err != nil {
		return "", translate("list the kinds of its objects", err)
	}
	list, err := c.objects.Resource(mapping.Resource).List(ctx, metav1.ListOptions{LabelSelector: notOf(owner), Limit: 1})
	switch {
	case errors.IsForbidden(err):
		return fmt.Sprintf("the credentials of the VIM may not list all objects of the kind %s.", kind), nil
	case err != nil && !errors.IsNotFound(err):
		return "", translate("list the objects of the kind "+kind, err)
	case err == nil && len(list.Items) > 0:
		return "there are objects of this kind that do not belong to this VNF.", nil
	}
	return "", nil
}

// notOf selects the objects that do not belong to a deployment.
func notOf(owner string) string { return ownerLabel + "!=" + owner }

// ofItself reports whether the cluster itself made an object, and it keeps no namespace in place.
func ofItself(o *unstructured.Unstructured) bool {
	switch o.GetKind() {
	case "Event", "Lease", "EndpointSlice", "Endpoints", "PodMetrics":
		return true
	case "ServiceAccount":
		return o.GetName() == "default"
	case "ConfigMap":
		return o.GetName() == "kube-root-ca.crt"
	}
	return len(o.GetOwnerReferences()) > 0 // it goes with its owner
}

func (c *Connection) othersInNamespace(ctx context.Context, namespace, owner string) (why string, err error) {
	lists, err := c.namespaced(ctx)
	if err != nil {
		return "", err
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return "", translate("list the kinds of its objects", err)
		}
		for _, r := range list.APIResources {
			if !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "delete") {
				continue
			}
			why, err := c.othersAmong(ctx, version.WithResource(r.Name), namespace, owner)
			if why != "" || err != nil {
				return why, err
			}
		}
	}
	return "", nil
}

// othersAmong looks for objects of one resource in a namespace.
func (c *Connection) othersAmong(
	ctx context.Context, resource schema.GroupVersionResource, namespace, owner string,
) (why string, err error) {
	page := metav1.ListOptions{LabelSelector: notOf(owner), Limit: objectsAtOnce}
	err = eachPage(ctx, page, func(ctx context.Context, page metav1.ListOptions) (string, error) {
		found, err := c.objects.Resource(resource).Namespace(namespace).List(ctx, page)
		switch {
		case errors.IsNotFound(err), errors.IsMethodNotSupported(err):
			return "", nil // the kind has gone meanwhile, or its objects cannot be listed: they are no objects in a store
		case errors.IsForbidden(err):
			why = fmt.Sprintf("the credentials of the VIM may not list its %s, so there may be some of others.",
				resource.GroupResource())
			return "", nil
		case err != nil:
			return "", translate(fmt.Sprintf("list the %s in the namespace %s", resource.GroupResource(), namespace), err)
		}
		for _, o := range found.Items {
			if !ofItself(&o) {
				why = title(&o) + " is in it and does not belong to this VNF."
				return "", nil
			}
		}
		return found.GetContinue(), nil
	})
	return why, err
}
