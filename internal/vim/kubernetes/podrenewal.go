package kubernetes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

// templateKey is the annotation of a ReplicaSet's Pods that identifies their template. Windlass needs it because no
// controller compares the templates.
const templateKey = "windlass.nfv/template"

// markTemplates writes into the template of each ReplicaSet its own hash, as the annotation templateKey.
func markTemplates(objects []prepared) {
	for _, p := range objects {
		if p.GetKind() != "ReplicaSet" {
			continue
		}
		template, is, _ := unstructured.NestedMap(p.Object, "spec", "template") // a copy
		if !is {
			continue
		}
		unstructured.RemoveNestedField(template, "metadata", "annotations", templateKey)
		if left, _, _ := unstructured.NestedMap(template, "metadata", "annotations"); len(left) == 0 {
			unstructured.RemoveNestedField(template, "metadata", "annotations")
		}
		text, err := json.Marshal(template)
		if err != nil {
			continue // it was JSON
		}
		sum := sha256.Sum256(text)
		_ = unstructured.SetNestedField(p.Object, hex.EncodeToString(sum[:8]), "spec", "template", "metadata", "annotations",
			templateKey)
	}
}

// ofTemplate reports whether a Pod has the template of its ReplicaSet. A Pod without the annotation counts as having
// it.
func ofTemplate(pod metav1.Object, set *unstructured.Unstructured) bool {
	want, _, _ := unstructured.NestedString(set.Object, "spec", "template", "metadata", "annotations", templateKey)
	has := pod.GetAnnotations()[templateKey]
	return has == "" || want == "" || has == want
}

// settled is the condition ready for objects that were just applied. It deletes Pods of a former template that do not
// become ready: a StatefulSet waits for them before it replaces any (kubernetes#67250), and a ReplicaSet replaces none.
func (w *waiting) settled(ctx context.Context, objects []prepared) (bool, error) {
	for _, p := range objects {
		if p.mapping == nil {
			continue
		}
		for _, pod := range w.stuck(w.have(p)) {
			gone := leavingPod{namespace: pod.GetNamespace(), name: pod.GetName(), uid: pod.GetUID()}
			if err := w.cluster.deletePod(ctx, gone); err != nil {
				return false, err
			}
			w.tell(title(pod), false, "it has a former template and does not become ready: Windlass makes it anew")
		}
	}
	return w.ready(ctx, objects)
}

// stuck returns the Pods of a set that have a former template and block the change to the present template.
func (w *waiting) stuck(set *unstructured.Unstructured) (out []*unstructured.Unstructured) {
	if set == nil || set.GetKind() != "StatefulSet" && set.GetKind() != "ReplicaSet" {
		return nil
	}
	var of appsv1.StatefulSet
	if set.GetKind() == "StatefulSet" && (runtime.DefaultUnstructuredConverter.FromUnstructured(set.Object, &of) != nil ||
		of.Status.ObservedGeneration < of.Generation || of.Status.UpdateRevision == "") {
		return nil
	}
	for _, pod := range w.listed(pods) {
		if pod.GetNamespace() != set.GetNamespace() || !controls(set, pod) || pod.GetDeletionTimestamp() != nil {
			continue
		}
		former, abandoned := !ofTemplate(pod, set), false
		if set.GetKind() == "StatefulSet" {
			revision := pod.GetLabels()[appsv1.ControllerRevisionHashLabelKey]
			former = revision != of.Status.UpdateRevision && !keepsRevision(&of, pod.GetName())
			abandoned = revision != of.Status.CurrentRevision
		}
		if former && (inTrouble(pod) || abandoned && !isReady(pod)) {
			out = append(out, pod)
		}
	}
	return out
}

// keepsRevision reports whether the partition of a StatefulSet keeps a Pod at its revision.
func keepsRevision(of *appsv1.StatefulSet, pod string) bool {
	rolling := of.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil || rolling.Partition == nil {
		return false
	}
	number, err := strconv.Atoi(pod[strings.LastIndex(pod, "-")+1:])
	return err == nil && number < int(*rolling.Partition)
}

func inTrouble(pod *unstructured.Unstructured) (is bool) {
	podTroubles(pod, func(string, trouble) { is = true })
	return is
}

func isReady(pod *unstructured.Unstructured) bool {
	is, err := status.Compute(pod)
	return err == nil && is.Status == status.CurrentStatus
}

// renewSets replaces the Pods of ReplicaSets that have a former template or former networks, some at a time. No
// controller replaces them.
func (c *Connection) renewSets(ctx context.Context, r *record, objects []prepared, w *waiting) error {
	outdated, err := c.outdated(ctx, r, "ReplicaSet", objects, nil)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(outdated, max(1, len(outdated)/4)) {
		if err := c.letGo(ctx, some, w); err != nil {
			return err
		}
		if err := w.until(ctx, podsIn(objects, some), w.replaced(some)); err != nil {
			return timedOut(ctx, err, w)
		}
		if err := w.until(ctx, objects, w.ready); err != nil {
			return timedOut(ctx, err, w)
		}
	}
	return nil
}
