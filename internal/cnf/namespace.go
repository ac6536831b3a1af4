package cnf

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Place is where the objects of a VNF are.
type Place struct {
	// Namespace is that of objects that name none, "" for the VIM's; with Override it is that of all.
	Namespace string
	Override  bool
}

// PlaceOf is where the request wants the objects, else where their manifests agree to be, else where the VIM says.
func PlaceOf(p Params, manifests []unstructured.Unstructured) Place {
	if p.Namespace != "" {
		return Place{Namespace: p.Namespace, Override: true}
	}
	if named := namespaces(manifests); len(named) == 1 {
		return Place{Namespace: named[0]}
	}
	return Place{}
}

// Agreed wants the manifests to name one namespace at most where the request names none: /vnflcm/v2 has it so.
func Agreed(p Params, manifests []unstructured.Unstructured) []lcm.Problem {
	named := namespaces(manifests)
	if p.Namespace != "" || len(named) < 2 {
		return nil
	}
	return []lcm.Problem{{Path: namespacePath, Detail: fmt.Sprintf("is missing, and the manifests name the namespaces %q "+
		"and %q: name one for all, or let the manifests agree", named[0], named[1])}}
}

// namespaces are those that manifests name, in order.
func namespaces(manifests []unstructured.Unstructured) (out []string) {
	for _, o := range manifests {
		if n := o.GetNamespace(); n != "" && !ofCluster[o.GetKind()] && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// ofCluster are the well-known kinds whose objects are in no namespace, whatever their manifests say. Of others the
// cluster knows.
var ofCluster = map[string]bool{
	"APIService": true, "CSIDriver": true, "CSINode": true, "ClusterRole": true, "ClusterRoleBinding": true,
	"CustomResourceDefinition": true, "IngressClass": true, "MutatingWebhookConfiguration": true, "Namespace": true,
	"Node": true, "PersistentVolume": true, "PriorityClass": true, "RuntimeClass": true, "SelfSubjectAccessReview": true,
	"SelfSubjectReview": true, "SelfSubjectRulesReview": true, "StorageClass": true, "SubjectAccessReview": true,
	"TokenReview": true, "ValidatingWebhookConfiguration": true, "VolumeAttachment": true,
}
