package memory

import (
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// order creates a StatefulSet's Pods one after another, and deletes superfluous ones beginning with the last.
func (s *store) order(o *unstructured.Unstructured) {
	set := read(o, &appsv1.StatefulSet{})
	want, revision := int(*set.Spec.Replicas), set.Name+"-"+hashOf(set.Spec.Template)
	there := map[int]*corev1.Pod{}
	for _, pod := range s.pods(o) {
		n, _ := strconv.Atoi(pod.Labels[appsv1.PodIndexLabel])
		there[n] = pod
	}
	s.step(o, set, revision, there)
	var status appsv1.StatefulSetStatus
	for _, pod := range s.pods(o) {
		if !active(pod) {
			continue
		}
		status.Replicas++
		if pod.Labels[appsv1.StatefulSetRevisionLabel] == revision {
			status.UpdatedReplicas++
		}
		if ready(pod) {
			status.ReadyReplicas++
		}
	}
	status.ObservedGeneration, status.AvailableReplicas = set.Generation, status.ReadyReplicas
	status.CurrentRevision, status.UpdateRevision = set.Status.CurrentRevision, revision
	if status.CurrentRevision == "" || int(status.UpdatedReplicas) == want && status.ReadyReplicas == status.UpdatedReplicas {
		status.CurrentRevision = revision
	}
	status.CurrentReplicas = status.Replicas - status.UpdatedReplicas
	if status.CurrentRevision == revision {
		status.CurrentReplicas = status.UpdatedReplicas
	}
	s.say(o, &status)
}

// step does the next possible step: first it creates missing Pods, then it deletes Pods that are superfluous or have a
// former template.
func (s *store) step(o *unstructured.Unstructured, set *appsv1.StatefulSet, revision string, there map[int]*corev1.Pod) {
	want, sideBySide := int(*set.Spec.Replicas), set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
	for n := range want {
		switch pod := there[n]; {
		case pod == nil:
			s.makeMember(o, set, revision, n)
		case pod.DeletionTimestamp == nil && !active(pod):
			s.end(pod)
		}
		if !sideBySide && (there[n] == nil || !ready(there[n])) {
			return
		}
	}
	last := want
	for n := range there {
		last = max(last, n+1)
	}
	for n := last - 1; n >= 0; n-- {
		pod := there[n]
		switch outdated := pod != nil && pod.Labels[appsv1.StatefulSetRevisionLabel] != revision; {
		case pod == nil:
		case n >= want, outdated && set.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType:
			if pod.DeletionTimestamp == nil {
				s.end(pod)
			}
			if !sideBySide || n < want {
				return
			}
		case !ready(pod):
			return
		}
	}
}

func (s *store) makeMember(o *unstructured.Unstructured, set *appsv1.StatefulSet, revision string, n int) {
	name := fmt.Sprintf("%s-%d", set.Name, n)
	var volumes []corev1.Volume
	for _, template := range set.Spec.VolumeClaimTemplates {
		claim := template.DeepCopy()
		claim.Name, claim.Namespace = template.Name+"-"+name, set.Namespace
		for key, value := range set.Spec.Selector.MatchLabels {
			claim.Labels = with(claim.Labels, key, value)
		}
		if policy := set.Spec.PersistentVolumeClaimRetentionPolicy; policy != nil &&
			policy.WhenDeleted == appsv1.DeletePersistentVolumeClaimRetentionPolicyType {
			claim.OwnerReferences = ownerOf(o)
		}
		s.make("PersistentVolumeClaim", claim)
		volume := corev1.Volume{Name: template.Name}
		volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}
		volumes = append(volumes, volume)
	}
	s.makePod(o, set.Spec.Template, name, map[string]string{
		appsv1.StatefulSetPodNameLabel: name, appsv1.PodIndexLabel: strconv.Itoa(n), appsv1.StatefulSetRevisionLabel: revision,
	}, func(pod *corev1.Pod) { pod.Spec.Volumes = append(volumes, pod.Spec.Volumes...) })
}

// spread gives a DaemonSet a Pod on every node.
func (s *store) spread(o *unstructured.Unstructured) {
	set := read(o, &appsv1.DaemonSet{})
	revision := hashOf(set.Spec.Template)
	on, leaving := map[string]bool{}, false
	pods := s.pods(o)
	for _, pod := range pods {
		on[pod.Spec.NodeName] = true
		leaving = leaving || !ready(pod)
	}
	for _, pod := range pods { // one Pod at a time
		if pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] != revision && active(pod) && !leaving {
			s.end(pod)
			leaving = true
		}
	}
	status := appsv1.DaemonSetStatus{ObservedGeneration: set.Generation}
	for _, node := range s.list(s.named("Node"), "") {
		if !isReady(node) {
			continue
		}
		status.DesiredNumberScheduled++
		if !on[node.GetName()] {
			s.makePod(o, set.Spec.Template, anyName(o), map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: revision},
				func(pod *corev1.Pod) { pod.Spec.NodeName = node.GetName() })
		}
	}
	pods = s.pods(o)
	status.CurrentNumberScheduled, status.NumberReady = count(pods, active), count(pods, ready)
	status.NumberAvailable, status.NumberUnavailable = status.NumberReady, status.DesiredNumberScheduled-status.NumberReady
	status.UpdatedNumberScheduled = count(pods, func(pod *corev1.Pod) bool {
		return active(pod) && pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == revision
	})
	s.say(o, &status)
}

// run creates the Pods of a Job, and at once another one when one fails.
func (s *store) run(o *unstructured.Unstructured) {
	job := read(o, &batchv1.Job{})
	of := func(value *int32, usual int32) int32 {
		if value == nil {
			return usual
		}
		return *value
	}
	pods, status := s.pods(o), job.Status
	status.Active = count(pods, active)
	status.Succeeded = count(pods, func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodSucceeded })
	status.Failed = count(pods, func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodFailed })
	if status.StartTime == nil {
		now := metav1.Now()
		status.StartTime = &now
	}
	become := func(what batchv1.JobConditionType, reason string) {
		status.Conditions = []batchv1.JobCondition{{Type: what, Status: corev1.ConditionTrue, Reason: reason, Message: reason}}
	}
	wanted := of(job.Spec.Completions, 1)
	switch {
	case len(status.Conditions) > 0: // the Job has ended
	case status.Succeeded >= wanted:
		become(batchv1.JobComplete, "CompletionsReached")
		status.CompletionTime = status.StartTime
	case status.Failed > of(job.Spec.BackoffLimit, 6):
		become(batchv1.JobFailed, "BackoffLimitExceeded")
	default:
		for n := status.Active; n < min(of(job.Spec.Parallelism, 1), wanted-status.Succeeded); n++ {
			s.makePod(o, job.Spec.Template, anyName(o), map[string]string{batchv1.JobNameLabel: job.Name}, nil)
		}
	}
	s.say(o, &status)
}
