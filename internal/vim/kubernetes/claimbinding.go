package kubernetes

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Reasons of the volume controller's events about a claim. Neither event is a warning.
const (
	failedBinding = "FailedBinding"
	waitsForUser  = "WaitForFirstConsumer"
)

// lostClaims finds claims whose volumes are gone. Kubernetes never binds such a claim again.
func (w *waiting) lostClaims(note func(cause string, t trouble)) {
	for _, claim := range w.listed(claims) {
		if claimPhase(claim) == corev1.ClaimLost {
			note("lost", trouble{
				object: title(claim), namespace: claim.GetNamespace(), reason: string(corev1.ClaimLost),
				message: "the volume that it was bound to is gone",
			})
		}
	}
}

func claimPhase(o *unstructured.Unstructured) corev1.PersistentVolumeClaimPhase {
	phase, _, _ := unstructured.NestedString(o.Object, "status", "phase")
	return corev1.PersistentVolumeClaimPhase(phase)
}

// causeOf returns the trouble of a claim that a Pod waits for. The scheduler's message about the Pod does not say which
// claim has no volume and why; the claim's own events do. It is nil when no claim of the Pod is in trouble.
func (w *waiting) causeOf(t trouble) *trouble {
	if t.reason != corev1.PodReasonUnschedulable {
		return nil
	}
	for _, o := range w.listed(pods) {
		var pod corev1.Pod
		if o.GetNamespace() != t.namespace || o.GetName() != t.pod ||
			runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &pod) != nil {
			continue
		}
		for _, v := range pod.Spec.Volumes {
			if v.PersistentVolumeClaim == nil {
				continue
			}
			claim := claimKind + " " + t.namespace + "/" + v.PersistentVolumeClaim.ClaimName
			for _, known := range w.troubles {
				if known.object == claim {
					return known
				}
			}
		}
	}
	return nil
}

// volumesCome reports whether a Pod has no node only because volumes for its claims are being made. Some provisioners
// need half a minute for that. If something prevents a volume, that is the claim's own trouble.
func (w *waiting) volumesCome(o *unstructured.Unstructured, t trouble) bool {
	var pod corev1.Pod
	if !strings.Contains(t.message, "unbound immediate PersistentVolumeClaims") ||
		runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &pod) != nil {
		return false
	}
	known := w.listed(claims)
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim == nil && v.Ephemeral == nil {
			continue
		}
		comes := v.PersistentVolumeClaim != nil && slices.ContainsFunc(known, func(claim *unstructured.Unstructured) bool {
			return claim.GetNamespace() == pod.Namespace && claim.GetName() == v.PersistentVolumeClaim.ClaimName &&
				claimPhase(claim) != corev1.ClaimLost
		})
		if !comes {
			return false // Windlass sees no trouble of others' claims
		}
	}
	return true
}

// waitsForPod reports whether a claim is fine although it has no volume: it gets one with the first Pod that uses it.
func (w *waiting) waitsForPod(o *unstructured.Unstructured) bool {
	if o.GetKind() != claimKind || claimPhase(o) != corev1.ClaimPending {
		return false
	}
	last := ""
	for _, e := range w.said() {
		if e.InvolvedObject.UID == o.GetUID() {
			last = e.Reason
		}
	}
	return last == waitsForUser
}

// ours reports whether an event is about an object of the deployment, or about one of its claims, that is not ready
// yet.
func (w *waiting) ours(e corev1.Event, objects []prepared) bool {
	of := e.InvolvedObject
	is := func(o *unstructured.Unstructured) bool {
		return o.GetKind() == of.Kind && o.GetName() == of.Name && o.GetNamespace() == of.Namespace
	}
	if slices.ContainsFunc(w.listed(claims), func(o *unstructured.Unstructured) bool {
		return is(o) && claimPhase(o) != corev1.ClaimBound && !w.waitsForPod(o)
	}) {
		return true
	}
	return slices.ContainsFunc(objects, func(p prepared) bool {
		if p.mapping == nil || !is(&p.Unstructured) {
			return false
		}
		ready, _, err := w.judge(p)
		return err == nil && !ready
	})
}

// said returns the events, the latest at the end.
func (w *waiting) said() (out []corev1.Event) {
	for _, o := range w.listed(events) {
		var e corev1.Event
		if runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &e) == nil {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b corev1.Event) int { return lastSeen(a).Compare(lastSeen(b)) })
	return out
}

// warnings are the events that tell of trouble.
func (w *waiting) warnings() []corev1.Event {
	return slices.DeleteFunc(w.said(), func(e corev1.Event) bool {
		return e.Type != corev1.EventTypeWarning && e.Reason != failedBinding
	})
}

func lastSeen(e corev1.Event) time.Time {
	switch {
	case e.Series != nil && !e.Series.LastObservedTime.IsZero():
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	}
	return e.CreationTimestamp.Time
}
