package kubernetes

import (
	"cmp"
	"context"
	goerrors "errors"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// gone is the condition that none of the objects exists any more. It reports what holds the objects that are being
// deleted.
func (w *waiting) gone(ctx context.Context, objects []prepared) (bool, error) {
	if !w.over.IsZero() && time.Now().After(w.over) {
		if err := w.endPods(ctx, w.leaving(ctx)); err != nil {
			return false, err
		}
	}
	w.left = map[string]string{}
	for _, p := range objects {
		if p.mapping == nil {
			continue
		}
		if have := w.have(p); have != nil {
			w.left[title(have)] = heldBy(have)
		}
	}
	if len(w.left) == 0 {
		return true, nil
	}
	for _, pod := range w.listed(pods) {
		if why := cmp.Or(heldBy(pod), w.whyLate(ctx, pod)); why != "" {
			w.left[title(pod)] = why
		}
	}
	for _, what := range slices.Sorted(maps.Keys(w.left)) {
		w.tell(what, false, w.left[what])
	}
	return false, nil
}

// heldBy says what holds a deleted object, "" for nothing in particular.
func heldBy(o *unstructured.Unstructured) string {
	if o.GetDeletionTimestamp() == nil {
		return ""
	}
	if o.GetKind() == "Namespace" {
		return namespaceHeldBy(o)
	}
	var names []string
	for _, name := range o.GetFinalizers() {
		switch name {
		case metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents: // its dependents go first
		case "kubernetes.io/pvc-protection":
			names = append(names, name+", because a Pod still uses it")
		default:
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0 && len(o.GetFinalizers()) > 0 && ofDefinition(o): // of these it learns late
		return "the cluster's garbage collector first removes its objects; it looks for new kinds twice a minute"
	case len(names) == 0:
		return ""
	}
	return "it waits for its finalizers: " + strings.Join(names, ", ")
}

// namespaceHeldBy returns the last message of the namespace's controller.
func namespaceHeldBy(o *unstructured.Unstructured) string {
	var says []string
	for _, name := range o.GetFinalizers() {
		says = append(says, "it waits for its finalizer "+name)
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		message, _ := c["message"].(string)
		if c["status"] == string(metav1.ConditionTrue) && message != "" {
			says = append(says, strings.TrimSuffix(message, "."))
		}
	}
	return strings.Join(says, "; ")
}

// overdue says what was left when the time for a removal was over.
func (w *waiting) overdue(ctx context.Context, err error) error {
	if err == nil || !goerrors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	var left []string
	for _, what := range slices.Sorted(maps.Keys(w.left)) {
		left = append(left, strings.TrimSuffix(what+": "+w.left[what], ": "))
	}
	return lcm.Errorf(lcm.KindBroken, "The time for the removal is over, and this still exists: %s. The owner of a "+
		"finalizer must remove it, or you remove it yourself; then retry.", strings.Join(left, "; "))
}

// leaving returns Pods that are ending. They may take long, or for ever.
func (w *waiting) leaving(ctx context.Context) (out []*unstructured.Unstructured) {
	for _, pod := range w.listed(pods) {
		grace, is, _ := unstructured.NestedInt64(pod.Object, "metadata", "deletionGracePeriodSeconds")
		if pod.GetDeletionTimestamp() != nil && (!is || grace > moment || w.isLost(ctx, pod)) {
			out = append(out, pod)
		}
	}
	return out
}
