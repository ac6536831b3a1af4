package memory

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

func isReady(node *unstructured.Unstructured) bool {
	return slices.ContainsFunc(read(node, &corev1.Node{}).Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// taints returns the taints of a node, with the one that keeps Pods away while it is not ready.
func taints(node *unstructured.Unstructured) []corev1.Taint {
	others := slices.DeleteFunc(read(node, &corev1.Node{}).Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeNotReady
	})
	if isReady(node) {
		return others
	}
	return append(others, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule})
}

// watchNode updates a node's taints, so that clients see that the controller knows whether it is ready.
func (s *store) watchNode(node *unstructured.Unstructured) {
	spec := read(node, &corev1.Node{}).Spec
	if isReady(node) && len(spec.Taints) == 0 {
		return
	}
	spec.Taints = taints(node)
	node.Object["spec"] = plain(&spec)
	s.put(s.named("Node"), node)
}

// schedule assigns a Pod to a node, or writes why this is not possible.
func (s *store) schedule(o *unstructured.Unstructured) {
	pod := read(o, &corev1.Pod{})
	if pod.Spec.NodeName != "" || !slices.Contains([]string{"", corev1.DefaultSchedulerName}, pod.Spec.SchedulerName) {
		return
	}
	nodes := s.list(s.named("Node"), "")
	why := fmt.Sprintf("0/%d nodes are available", len(nodes))
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		claim := s.get(s.named("PersistentVolumeClaim"), pod.Namespace, v.PersistentVolumeClaim.ClaimName)
		if claim == nil || read(claim, &corev1.PersistentVolumeClaim{}).Status.Phase != corev1.ClaimBound {
			nodes, why = nil, fmt.Sprintf("persistentvolumeclaim %q is not bound", v.PersistentVolumeClaim.ClaimName)
		}
	}
	for _, node := range nodes {
		if isReady(node) && fits(pod, read(node, &corev1.Node{})) {
			s.assign(o, node.GetName())
			return
		}
	}
	s.scheduled(o, corev1.PodCondition{
		Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: why,
	})
}

// fits reports whether a node can run a Pod. It does not subtract the resources of other Pods on the node.
func fits(pod *corev1.Pod, node *corev1.Node) bool {
	for _, c := range pod.Spec.Containers {
		for name, want := range c.Resources.Requests {
			if has := node.Status.Allocatable[name]; has.Cmp(want) < 0 {
				return false
			}
		}
	}
	return !node.Spec.Unschedulable && labels.SelectorFromSet(pod.Spec.NodeSelector).Matches(labels.Set(node.Labels))
}

func (s *store) assign(o *unstructured.Unstructured, node string) {
	o = o.DeepCopy()
	_ = unstructured.SetNestedField(o.Object, node, "spec", "nodeName")
	s.scheduled(o, corev1.PodCondition{Status: corev1.ConditionTrue})
}

func (s *store) scheduled(o *unstructured.Unstructured, is corev1.PodCondition) {
	status := read(o, &corev1.Pod{}).Status
	is.Type = corev1.PodScheduled
	status.Conditions = append(slices.DeleteFunc(status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled
	}), is)
	s.say(o, &status)
}

// bind assigns a Pod to the node that a client has chosen.
func (s *Server) bind(q *request, binding *unstructured.Unstructured) (any, error) {
	k := s.named("Pod")
	pod := s.get(k, q.namespace, binding.GetName())
	if pod == nil {
		return nil, errors.NewNotFound(k.resource().GroupResource(), binding.GetName())
	}
	if node, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName"); node != "" {
		return nil, errors.NewConflict(k.resource().GroupResource(), pod.GetName(), fmt.Errorf("it is on node %s", node))
	}
	node, _, _ := unstructured.NestedString(binding.Object, "target", "name")
	if q.URL.Query().Get("dryRun") == "" {
		s.assign(pod, node)
	}
	return metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess}, nil
}

// claim binds a claim to a free volume.
func (s *store) claim(o *unstructured.Unstructured) {
	claim := read(o, &corev1.PersistentVolumeClaim{})
	if claim.Status.Phase == corev1.ClaimBound {
		return
	}
	for _, v := range s.list(s.named("PersistentVolume"), "") {
		volume := read(v, &corev1.PersistentVolume{})
		size, want := volume.Spec.Capacity[corev1.ResourceStorage], claim.Spec.Resources.Requests[corev1.ResourceStorage]
		if volume.Spec.ClaimRef != nil || size.Cmp(want) < 0 {
			continue
		}
		volume.Spec.ClaimRef = &corev1.ObjectReference{
			Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
		}
		v.Object["spec"] = plain(&volume.Spec)
		s.say(v, &corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound})
		_ = unstructured.SetNestedField(o.Object, volume.Name, "spec", "volumeName")
		s.say(o, &corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: volume.Spec.Capacity})
		return
	}
}
