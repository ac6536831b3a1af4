package charts

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Pull adds a Secret to the imagePullSecrets of an object's Pods, and tells whether the object has Pods. It leaves an
// object with an invalid Pod template as it is: the cluster reports the error. It adds no duplicate.
func Pull(object map[string]any, secret string) bool {
	kind, _, _ := unstructured.NestedString(object, "kind")
	spec := PodSpec(kind)
	if spec == nil || secret == "" {
		return false
	}
	if _, ok, err := unstructured.NestedMap(object, spec...); !ok || err != nil {
		return false
	}
	at := append(slices.Clone(spec), "imagePullSecrets")
	have, _, err := unstructured.NestedSlice(object, at...)
	if err != nil {
		return false
	}
	if slices.ContainsFunc(have, func(s any) bool { of, _ := s.(map[string]any); return of["name"] == secret }) {
		return true
	}
	return unstructured.SetNestedSlice(object, append(have, map[string]any{"name": secret}), at...) == nil
}

// PodSpec is the path of the Pod spec in a kind of workload; nil for a kind without Pods.
func PodSpec(kind string) []string {
	switch kind {
	case "Pod":
		return []string{"spec"}
	case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController":
		return []string{"spec", "template", "spec"}
	case "CronJob":
		return []string{"spec", "jobTemplate", "spec", "template", "spec"}
	}
	return nil
}

// holds tells whether an object is in the release's namespace, which has the Secret.
func (r Release) holds(o map[string]any) bool {
	namespace, _, _ := unstructured.NestedString(o, "metadata", "namespace")
	return namespace == "" || namespace == r.Namespace
}
