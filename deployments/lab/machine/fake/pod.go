package fake

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Pod is a pod that a test has put onto a node; the model leaves out the system's own pods.
type Pod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Node is the pod's node; "" while the pod waits for one.
	Node string `json:"node"`
	// DaemonSet pods stay on their node.
	DaemonSet bool `json:"daemonSet,omitempty"`
	// Budget is a PodDisruptionBudget that blocks the pod's eviction; "" when none does.
	Budget string `json:"budget,omitempty"`
	// Volume is attached to the pod's node.
	Volume string `json:"volume,omitempty"`
	// Claim is the PersistentVolumeClaim, in its namespace, that the pod uses; "" for none.
	Claim string `json:"claim,omitempty"`
	// Stuck volumes are never detached.
	Stuck bool `json:"stuck,omitempty"`
}

func (p Pod) key() string { return cmp.Or(p.Namespace, "default") + "/" + p.Name }

// AddPod adds a pod to a cluster, or replaces the pod of that name.
func (h *Hypervisor) AddPod(cluster string, pod Pod) error {
	w := h.locked()
	defer w.mu.Unlock()
	c := w.clusters[cluster]
	if c == nil || pod.Node != "" && c.members[pod.Node] == nil {
		return lcm.Errorf(lcm.KindNotFound, "there is no node %s in a cluster %s", pod.Node, cluster)
	}
	pod.Namespace = cmp.Or(pod.Namespace, "default")
	c.pods[pod.key()] = &pod
	return nil
}

// ForgetViolations clears the violations, for tests that break the rules on purpose.
func (h *Hypervisor) ForgetViolations() {
	w := h.locked()
	defer w.mu.Unlock()
	for _, c := range w.clusters {
		c.violations = nil
	}
}

// podsOn returns the pods that must leave a node before its removal.
func (c *cluster) podsOn(node string) (pods []*Pod) {
	for _, name := range slices.Sorted(maps.Keys(c.pods)) {
		if pod := c.pods[name]; pod.Node == node && !pod.DaemonSet {
			pods = append(pods, pod)
		}
	}
	return pods
}

// reschedule moves a pod to a node that accepts pods, or makes it wait for one.
func (c *cluster) reschedule(pod *Pod) {
	pod.Node = ""
	for _, node := range slices.Sorted(maps.Keys(c.members)) {
		if m := c.members[node]; !m.cordoned && !m.controlPlane && c.ready(node) {
			pod.Node = node
			return
		}
	}
}

// describe names pods and the reasons why they stay, as drain-node does.
func describe(pods []*Pod) string {
	var all []string
	for _, pod := range pods {
		sentence := pod.key()
		if pod.Budget != "" {
			sentence += fmt.Sprintf(" (the PodDisruptionBudget %s lets no pod go)", pod.Budget)
		}
		all = append(all, sentence)
	}
	return strings.Join(all, ", ")
}
