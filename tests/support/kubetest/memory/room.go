package memory

import (
	"slices"

	authorization "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// cleanup is the finalizer that keeps the definition of a kind until all its objects are deleted.
const cleanup = "customresourcecleanup.apiextensions.k8s.io"

// welcome creates in each namespace the service account that Pods run as.
func (s *store) welcome() {
	s.each("Namespace", func(o *unstructured.Unstructured) {
		s.make("ServiceAccount", &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: o.GetName(), Name: "default"}})
	})
}

// establish starts to serve the kinds of new definitions.
func (s *store) establish() {
	s.each("CustomResourceDefinition", func(o *unstructured.Unstructured) {
		if o.Object["status"] != nil {
			return
		}
		var conditions []any
		for _, name := range []string{"NamesAccepted", "Established"} {
			conditions = append(conditions, map[string]any{"type": name, "status": "True"})
		}
		o.SetFinalizers(append(o.GetFinalizers(), cleanup))
		o.Object["status"] = map[string]any{"conditions": conditions}
		s.define(o, true)
		s.put(s.named(o.GetKind()), o)
	})
}

// vacate empties namespaces and removes kinds that are being deleted, and then removes their finalizers.
func (s *store) vacate() {
	for _, in := range s.list(s.named("Namespace"), "") {
		if in.GetDeletionTimestamp() != nil && s.clear(func(at place) bool { return at.namespace == in.GetName() }) {
			unstructured.RemoveNestedField(in.Object, "spec", "finalizers")
			s.put(s.named("Namespace"), in)
		}
	}
	for _, definition := range s.list(s.named("CustomResourceDefinition"), "") {
		group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
		plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
		of := func(at place) bool { return at.resource.Group == group && at.resource.Resource == plural }
		if slices.Contains(definition.GetFinalizers(), cleanup) && definition.GetDeletionTimestamp() != nil && s.clear(of) {
			s.define(definition, false)
			s.release(s.named("CustomResourceDefinition"), definition, cleanup)
		}
	}
}

// clear deletes all objects in the selected places, and reports whether none is left.
func (s *store) clear(in func(place) bool) bool {
	for at, o := range s.objects {
		if in(at) && o.GetDeletionTimestamp() == nil {
			_, _ = s.delete(s.kindOf(at.resource), o.DeepCopy(), metav1.DeleteOptions{})
		}
	}
	for at := range s.objects {
		if in(at) {
			return false
		}
	}
	return true
}

// review answers a request about permissions: every known client may do everything.
func review(o *unstructured.Unstructured) *unstructured.Unstructured {
	all := []string{"*"}
	o.Object["status"] = map[string]any{"allowed": true, "authenticated": false}
	if o.GetKind() == "SelfSubjectRulesReview" {
		o.Object["status"] = plain(&authorization.SubjectRulesReviewStatus{
			ResourceRules:    []authorization.ResourceRule{{Verbs: all, APIGroups: all, Resources: all}},
			NonResourceRules: []authorization.NonResourceRule{{Verbs: all, NonResourceURLs: all}},
		})
	}
	return o
}
