package kubernetes

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// nodeNews is how long Windlass uses a node's last known state.
const nodeNews = 3 * time.Second

// seenNode is the last known state of a node.
type seenNode struct {
	at   time.Time
	dead bool
}

// isLost reports whether a Pod is ending on a node that is not Ready: nothing reports the Pod's end there. It is false
// if the credentials may not read the node.
func (w *waiting) isLost(ctx context.Context, pod *unstructured.Unstructured) bool {
	name := nodeOf(pod)
	if name == "" || pod.GetDeletionTimestamp() == nil {
		return false
	}
	if seen, known := w.nodes[name]; known && time.Since(seen.at) < nodeNews {
		return seen.dead
	}
	node, err := w.cluster.core.Nodes().Get(ctx, name, metav1.GetOptions{})
	w.nodes[name] = seenNode{time.Now(), err == nil && !isAlive(node)}
	return w.nodes[name].dead
}

func isAlive(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return true
}

func nodeOf(pod *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
	return name
}

// leftBehind reports whether Windlass does not wait for the end of a Pod: it is lost, and its controller does not wait
// for it either. A StatefulSet waits, and so does Windlass for a Pod without a controller.
func (w *waiting) leftBehind(ctx context.Context, pod *unstructured.Unstructured) bool {
	of := metav1.GetControllerOf(pod)
	return of != nil && of.Kind != "StatefulSet" && w.isLost(ctx, pod)
}

// end returns the titles of the ending Pods to wait for. It reports late Pods with their nodes.
func (w *waiting) end(ctx context.Context, pods []*unstructured.Unstructured) (titles []string) {
	late := map[string]bool{}
	for _, pod := range pods {
		if pod.GetDeletionTimestamp() == nil || w.leftBehind(ctx, pod) {
			continue
		}
		titles = append(titles, title(pod))
		if why := w.whyLate(ctx, pod); why != "" {
			late[title(pod)] = true
			w.tell(title(pod), false, why)
		}
	}
	for what := range w.late {
		if !late[what] {
			delete(w.told, what)
		}
	}
	w.late = late
	return titles
}

// whyLate says why an ending Pod has not ended; "" while its grace period runs.
func (w *waiting) whyLate(ctx context.Context, pod *unstructured.Unstructured) string {
	until := pod.GetDeletionTimestamp()
	switch {
	case until == nil || nodeOf(pod) == "":
		return ""
	case w.isLost(ctx, pod):
		return fmt.Sprintf("it ends on the node %s, which is not Ready", nodeOf(pod))
	case time.Now().After(until.Time): // the end of the grace period
		return fmt.Sprintf("it should have ended on the node %s", nodeOf(pod))
	}
	return ""
}
