package kubernetes

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// weights is the order of creation: objects of a smaller weight come first. A kind that is not listed, such as a custom
// resource, has middleWeight: after the objects that workloads need, and before workloads.
var weights = map[string]int{
	"Namespace": 1, "CustomResourceDefinition": 1, "PriorityClass": 1, "StorageClass": 1, "PersistentVolume": 2,
	"ResourceQuota": 2, "LimitRange": 2, "ServiceAccount": 2, "ClusterRole": 2, "Role": 2, "ConfigMap": 3, "Secret": 3,
	"ClusterRoleBinding": 3, "RoleBinding": 3, "PersistentVolumeClaim": 3, "NetworkPolicy": 3,
	"NetworkAttachmentDefinition": 3, "Service": 4, "Endpoints": 4, "Pod": 6, "ReplicaSet": 6, "Deployment": 6,
	"StatefulSet": 6, "DaemonSet": 6, "Job": 6, "CronJob": 6, "Binding": 7, "HorizontalPodAutoscaler": 7,
	"PodDisruptionBudget": 7, "APIService": 7, "ValidatingWebhookConfiguration": 8, "MutatingWebhookConfiguration": 8,
}

const middleWeight = 5

func weight(kind string) int {
	if w, ok := weights[kind]; ok {
		return w
	}
	return middleWeight
}

// layers groups objects by weight, in the order of creation. Within a layer, they stay in the package's order.
func layers(objects []unstructured.Unstructured) (out [][]unstructured.Unstructured) {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b unstructured.Unstructured) int {
		return weight(a.GetKind()) - weight(b.GetKind())
	})
	for i, o := range sorted {
		if i == 0 || weight(o.GetKind()) != weight(sorted[i-1].GetKind()) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], o)
	}
	return out
}
