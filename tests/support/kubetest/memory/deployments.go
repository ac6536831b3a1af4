package memory

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/rand"
)

// hashOf returns a hash by which different templates of Pods differ.
func hashOf(template corev1.PodTemplateSpec) string {
	text, _ := json.Marshal(template)
	h := fnv.New32a()
	_, _ = h.Write(text)
	return rand.SafeEncodeString(strconv.FormatUint(uint64(h.Sum32()), 10))
}

// deploy moves a Deployment's Pods from the ReplicaSets of its former templates to the one of its current template.
func (s *store) deploy(o *unstructured.Unstructured) {
	d := read(o, &appsv1.Deployment{})
	hash := hashOf(d.Spec.Template)
	template := *d.Spec.Template.DeepCopy()
	template.Labels = with(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	selector := d.Spec.Selector.DeepCopy()
	selector.MatchLabels = with(selector.MatchLabels, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	none := int32(0)
	s.make("ReplicaSet", &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: d.Name + "-" + hash, Namespace: d.Namespace, Labels: template.Labels, OwnerReferences: ownerOf(o),
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: &none, Selector: selector, Template: template},
	})
	var now *appsv1.ReplicaSet
	var former []*appsv1.ReplicaSet
	var planned, total, available int32
	for _, of := range s.belonging("ReplicaSet", o) {
		set := read(of, &appsv1.ReplicaSet{})
		total += set.Status.Replicas
		available += set.Status.AvailableReplicas
		planned += *set.Spec.Replicas
		if set.Name == d.Name+"-"+hash {
			now = set
		} else {
			former = append(former, set)
		}
	}
	if now == nil {
		return // an object with that name belongs to another owner
	}
	want := *d.Spec.Replicas
	surge, missing := leeway(d)
	s.resize(now, min(want, max(*now.Spec.Replicas, want+surge-(planned-*now.Spec.Replicas))))
	room := planned - (want - missing) - (*now.Spec.Replicas - now.Status.AvailableReplicas)
	for _, set := range former {
		gone := max(0, min(*set.Spec.Replicas, room))
		room -= gone
		s.resize(set, *set.Spec.Replicas-gone)
	}
	status := &appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: total, UpdatedReplicas: now.Status.Replicas,
		ReadyReplicas: available, AvailableReplicas: available, UnavailableReplicas: max(0, want-available),
	}
	is, reason := corev1.ConditionFalse, "ReplicaSetUpdated"
	if available >= want-missing {
		is = corev1.ConditionTrue
	}
	if now.Status.AvailableReplicas == want && total == want {
		reason = "NewReplicaSetAvailable"
	}
	status.Conditions = []appsv1.DeploymentCondition{
		{Type: appsv1.DeploymentAvailable, Status: is, Reason: "MinimumReplicas"},
		{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: reason},
	}
	s.say(s.get(s.named("Deployment"), d.Namespace, d.Name), status)
}

// leeway returns how many Pods a Deployment may have more, and how many fewer, during an update.
func leeway(d *appsv1.Deployment) (more, fewer int32) {
	want := *d.Spec.Replicas
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return 0, want
	}
	of := func(value *intstr.IntOrString, round func(float64) float64) int32 {
		if value == nil {
			return int32(round(float64(want) / 4))
		}
		n, _ := intstr.GetScaledValueFromIntOrPercent(value, int(want), round(0.5) > 0)
		return int32(n)
	}
	rolling := d.Spec.Strategy.RollingUpdate
	if rolling == nil {
		rolling = &appsv1.RollingUpdateDeployment{}
	}
	more, fewer = of(rolling.MaxSurge, math.Ceil), of(rolling.MaxUnavailable, math.Floor)
	if more == 0 && fewer == 0 {
		fewer = 1
	}
	return more, fewer
}

func (s *store) resize(set *appsv1.ReplicaSet, n int32) {
	if o := s.get(s.named("ReplicaSet"), set.Namespace, set.Name); o != nil {
		s.set(o, int64(n), "spec", "replicas")
	}
}

// replicate gives a ReplicaSet the number of Pods that it requires.
func (s *store) replicate(o *unstructured.Unstructured) {
	set := read(o, &appsv1.ReplicaSet{})
	pods := slices.DeleteFunc(s.pods(o), func(pod *corev1.Pod) bool { return !active(pod) })
	for n := int32(len(pods)); n < *set.Spec.Replicas; n++ {
		s.makePod(o, set.Spec.Template, anyName(o), nil, nil)
	}
	slices.SortStableFunc(pods, leavesFirst)
	for _, pod := range pods[:max(0, len(pods)-int(*set.Spec.Replicas))] {
		s.end(pod)
	}
	pods = s.pods(o)
	s.say(o, &appsv1.ReplicaSetStatus{
		ObservedGeneration: set.Generation, Replicas: count(pods, active), FullyLabeledReplicas: count(pods, active),
		ReadyReplicas: count(pods, ready), AvailableReplicas: count(pods, ready),
	})
}

// leavesFirst sorts superfluous Pods: first those on no node or not ready, then those whose deletion costs least.
func leavesFirst(a, b *corev1.Pod) int {
	use := func(pod *corev1.Pod) (n int) {
		if pod.Spec.NodeName != "" {
			n++
		}
		if ready(pod) {
			n++
		}
		return n
	}
	cost := func(pod *corev1.Pod) int {
		n, _ := strconv.Atoi(pod.Annotations[corev1.PodDeletionCost])
		return n
	}
	return cmp.Or(cmp.Compare(use(a), use(b)), cmp.Compare(cost(a), cost(b)),
		b.CreationTimestamp.Compare(a.CreationTimestamp.Time))
}

// autoscale keeps the replicas of each autoscaled workload within the limits; it measures nothing.
func (s *store) autoscale() {
	s.each("HorizontalPodAutoscaler", func(o *unstructured.Unstructured) {
		a := read(o, &autoscaling.HorizontalPodAutoscaler{})
		if at := a.Spec.ScaleTargetRef.Kind; at != "Deployment" && at != "StatefulSet" && at != "ReplicaSet" {
			return
		}
		of := s.get(s.named(a.Spec.ScaleTargetRef.Kind), a.Namespace, a.Spec.ScaleTargetRef.Name)
		if of == nil || of.GetDeletionTimestamp() != nil {
			return
		}
		least := int32(1)
		if a.Spec.MinReplicas != nil {
			least = *a.Spec.MinReplicas
		}
		// With 0 replicas, autoscaling is off.
		if n, _, _ := unstructured.NestedInt64(of.Object, "spec", "replicas"); n > 0 {
			s.set(of, min(max(n, int64(least)), int64(a.Spec.MaxReplicas)), "spec", "replicas")
		}
	})
}
