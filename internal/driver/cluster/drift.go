package cluster

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Told is the answer of a control plane about its cluster.
type Told struct {
	// Unreachable says, as a sentence, why no control plane answers.
	Unreachable string
	// QuorumLost says, as a sentence, that etcd has lost its quorum; then nothing else is known.
	QuorumLost string
	Nodes      []NodeObject
	Members    []EtcdMember
}

// NodeObject is a node as Kubernetes knows it.
type NodeObject struct {
	Name     string
	Ready    bool
	Cordoned bool
	Reason   string // of a node that is not Ready
}

// EtcdMember is a member of etcd. Its name is "" until it has started.
type EtcdMember struct {
	Name, Address             string
	Started, Healthy, Learner bool
}

// Compare compares the node objects and the members of etcd with the nodes. It says nothing about a cluster that was
// not asked (nil).
func (t *Told) Compare(c *drift.Comparison) {
	switch {
	case t == nil:
		return
	case t.QuorumLost != "":
		c.Add(lcm.DriftEtcdQuorumLost, "", "", "%s", t.QuorumLost)
		return
	case t.Unreachable != "":
		c.Add(lcm.DriftClusterUnreachable, "", "", "No control plane reports the state of the cluster: %s",
			t.Unreachable)
		return
	}
	for _, node := range c.Running() {
		t.object(c, node)
	}
	for _, n := range t.Nodes {
		if !slices.ContainsFunc(c.Nodes, func(w lcm.Node) bool { return w.Name == n.Name }) {
			c.Add(lcm.DriftNodeObjectUnknown, "", n.Name, "Kubernetes has a node %s that does not belong to the VNF.",
				n.Name)
		}
	}
	for _, node := range c.Running().With(lcm.ControlPlane) {
		t.member(c, node)
	}
	for _, m := range t.Members {
		if !slices.ContainsFunc(c.Nodes.With(lcm.ControlPlane), m.on) {
			c.Add(lcm.DriftEtcdMemberUnknown, "", m.Name, "etcd has a member %s at %s that is not on a control plane.",
				orUnnamed(m.Name), m.Address)
		}
	}
}

// on reports whether the member belongs to the node.
func (m EtcdMember) on(node lcm.Node) bool {
	return m.Name == node.Name || m.Name == "" && m.Address == node.Address
}

func orUnnamed(name string) string {
	if name == "" {
		return "without a name"
	}
	return name
}

func (t *Told) object(c *drift.Comparison, node lcm.Node) {
	at := slices.IndexFunc(t.Nodes, func(n NodeObject) bool { return n.Name == node.Name })
	if at < 0 {
		c.About(node, lcm.DriftNodeObjectMissing, "is unknown to Kubernetes.")
		return
	}
	n := t.Nodes[at]
	if !n.Ready {
		c.About(node, lcm.DriftNodeNotReady, "is not Ready (%s).", n.Reason)
	}
	if n.Cordoned {
		c.About(node, lcm.DriftNodeCordoned, "is cordoned: it accepts no new pods.")
	}
}

func (t *Told) member(c *drift.Comparison, node lcm.Node) {
	at := slices.IndexFunc(t.Members, func(m EtcdMember) bool { return m.on(node) })
	if at < 0 {
		c.About(node, lcm.DriftEtcdMemberMissing, "is no member of etcd.")
		return
	}
	switch m := t.Members[at]; {
	case !m.Started:
		c.About(node, lcm.DriftEtcdMemberUnhealthy, "has a member of etcd that has not started.")
	case m.Learner:
		c.About(node, lcm.DriftEtcdMemberLearner, "is a learner of etcd: it has no vote.")
	case !m.Healthy:
		c.About(node, lcm.DriftEtcdMemberUnhealthy, "has a member of etcd that does not answer.")
	}
}
