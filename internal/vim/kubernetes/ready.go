package kubernetes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ready is the condition that all objects are in their wanted state. Lasting trouble ends the wait.
func (w *waiting) ready(ctx context.Context, objects []prepared) (bool, error) {
	var missing []string
	for _, p := range objects {
		if p.mapping == nil || !p.remembered() || !slices.Contains(p.verbs, "watch") {
			continue
		}
		is, why, err := w.judge(p)
		if err != nil {
			return false, w.explain(ctx, p, err)
		}
		w.tell(title(&p.Unstructured), is, why)
		if !is {
			missing = append(missing, title(&p.Unstructured)+": "+why)
		}
	}
	w.tellUnhealthy()
	missing = append(missing, w.end(ctx, w.listed(pods))...)
	if len(missing) == 0 {
		return true, nil
	}
	if err := w.trouble(ctx, objects); err != nil {
		return false, err
	}
	return false, nil
}

// judge reports whether an object is ready, by the rules of kstatus, and why not.
func (w *waiting) judge(p prepared) (ready bool, why string, err error) {
	have := w.have(p)
	switch {
	case have == nil:
		return w.judgeGone(p)
	case rests(have):
		return true, "", nil
	case w.endsByItself(have):
		return w.judgeOnce(have)
	}
	result, err := status.Compute(have)
	switch {
	case err != nil:
		return false, "", lcm.Wrap(lcm.KindBroken, err, "%s has a status that cannot be read.", title(have))
	case result.Status == status.FailedStatus:
		return false, "", hasFailed(have, result.Message)
	}
	if result.Status != status.CurrentStatus {
		return w.waitsForPod(have), result.Message, nil
	}
	switch there, ready, want := w.podsOf(have); {
	case there != want:
		return false, fmt.Sprintf("%d Pods exist, and %d must exist", there, want), nil
	case ready < want:
		return false, fmt.Sprintf("%d of %d Pods are ready", ready, want), nil
	}
	return true, result.Message, nil
}

// podsOf returns three numbers of a workload: its Pods that neither ended nor are ending, the ready Pods among them,
// and the wanted Pods. All are 0 for objects without such a number. The status of a workload does not suffice: its
// controller writes it, and is out of date for a while after it lost the API server. Also, a workload may report a
// complete update before its last former Pod has ended.
func (w *waiting) podsOf(o *unstructured.Unstructured) (there, ready, want int) {
	if !scalable(o.GetKind()) || o.GroupVersionKind().Group != "apps" {
		return 0, 0, 0
	}
	replicas, is, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !is {
		replicas = 1
	}
	var spec struct {
		Selector metav1.LabelSelector `json:"selector"`
	}
	of, _, _ := unstructured.NestedMap(o.Object, "spec")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(of, &spec); err != nil {
		return 0, 0, 0 // cannot happen: the API server has accepted the spec
	}
	selector, err := metav1.LabelSelectorAsSelector(&spec.Selector)
	if err != nil {
		return 0, 0, 0
	}
	for _, pod := range w.listed(pods) {
		phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
		ended := phase == string(corev1.PodFailed) || phase == string(corev1.PodSucceeded)
		if pod.GetNamespace() == o.GetNamespace() && pod.GetDeletionTimestamp() == nil && !ended &&
			selector.Matches(labels.Set(pod.GetLabels())) && controls(o, pod) {
			there++
			if is, err := status.Compute(pod); err == nil && is.Status == status.CurrentStatus {
				ready++
			}
		}
	}
	return there, ready, int(replicas)
}

// controls reports whether a workload controls a Pod: another workload may have the same selector. A Deployment
// controls Pods through its ReplicaSets. The name of a ReplicaSet has the hash of its template.
func controls(o, pod *unstructured.Unstructured) bool {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return false
	}
	name := o.GetName()
	if o.GetKind() == "Deployment" {
		return owner.Kind == "ReplicaSet" && owner.Name == name+"-"+pod.GetLabels()["pod-template-hash"]
	}
	return owner.Kind == o.GetKind() && owner.Name == name
}

// tellUnhealthy shows what kubelets say about Pods that do not pass their checks. Only events tell it, so a Pod that is
// ready again ends it.
func (w *waiting) tellUnhealthy() {
	for _, o := range w.listed(pods) {
		is, err := status.Compute(o)
		if err != nil || is.Status == status.CurrentStatus {
			w.forget(title(o) + ", ")
			continue
		}
		for _, e := range w.warnings() {
			if e.Reason != "Unhealthy" || e.InvolvedObject.UID != o.GetUID() || !w.isNew(e) {
				continue
			}
			container := strings.TrimSuffix(strings.TrimPrefix(e.InvolvedObject.FieldPath, "spec.containers{"), "}")
			w.tell(title(o)+", container "+container, false, strings.TrimSpace(e.Message))
		}
	}
}

// forget drops what was told of parts of an object, so that it is not taken for missing.
func (w *waiting) forget(prefix string) {
	maps.DeleteFunc(w.told, func(what, _ string) bool { return strings.HasPrefix(what, prefix) })
}

// tell shows an object's state if it has changed.
func (w *waiting) tell(what string, ready bool, why string) {
	if ready {
		why = "ready"
	}
	if why != "" && w.told[what] != why {
		w.told[what] = why
		w.show(fmt.Sprintf("%s: %s", what, why))
	}
}
