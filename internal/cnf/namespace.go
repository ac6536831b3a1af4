package cnf

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Place is the namespace of a VNF's objects.
type Place struct {
	// Namespace is for objects that name no namespace; "" means the VIM's. With Override it is for all objects.
	Namespace string
	Override  bool
}

// PlaceOf is the namespace of the request, else the namespace on which the manifests agree, else the VIM's.
func PlaceOf(p Params, manifests []unstructured.Unstructured) Place {
	if p.Namespace != "" {
		return Place{Namespace: p.Namespace, Override: true}
	}
	if named := namespaces(manifests); len(named) == 1 {
		return Place{Namespace: named[0]}
	}
	return Place{}
}

// Agreed requires the manifests to name at most one namespace if the request names none, as in Tacker's /vnflcm/v2.
func Agreed(p Params, manifests []unstructured.Unstructured) []lcm.Problem {
	named := namespaces(manifests)
	if p.Namespace != "" || len(named) < 2 {
		return nil
	}
	return []lcm.Problem{{Path: namespacePath, Detail: fmt.Sprintf("is missing, and the manifests name the namespaces %q "+
		"and %q: name one for all, or let the manifests agree", named[0], named[1])}}
}

// namespaces are the namespaces in the manifests, in order.
func namespaces(manifests []unstructured.Unstructured) (out []string) {
	for _, o := range manifests {
		if n := o.GetNamespace(); n != "" && !ofCluster[o.GetKind()] && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// OfCluster tells whether a well-known kind has no namespace.
func OfCluster(kind string) bool { return ofCluster[kind] }

// ofCluster are the well-known kinds without a namespace, whatever their manifests say. For other kinds the cluster has
// to be asked.
var ofCluster = map[string]bool{
	"APIService": true, "CSIDriver": true, "CSINode": true, "ClusterRole": true, "ClusterRoleBinding": true,
	"CustomResourceDefinition": true, "IngressClass": true, "MutatingWebhookConfiguration": true, "Namespace": true,
	"Node": true, "PersistentVolume": true, "PriorityClass": true, "RuntimeClass": true, "SelfSubjectAccessReview": true,
	"SelfSubjectReview": true, "SelfSubjectRulesReview": true, "StorageClass": true, "SubjectAccessReview": true,
	"TokenReview": true, "ValidatingWebhookConfiguration": true, "VolumeAttachment": true,
}
