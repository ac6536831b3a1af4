package drift

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// cluster compares the node objects and the members of etcd with the nodes.
func (c *comparison) cluster() {
	seen := c.have.Cluster
	switch {
	case seen == nil:
		return
	case seen.QuorumLost != "":
		c.add(lcm.DriftEtcdQuorumLost, "", "", "%s", seen.QuorumLost)
		return
	case seen.Unreachable != "":
		c.add(lcm.DriftClusterUnreachable, "", "", "No control plane tells how the cluster is: %s", seen.Unreachable)
		return
	}
	for _, node := range c.want.running() {
		c.object(node)
	}
	for _, n := range seen.Nodes {
		if !slices.ContainsFunc(c.want.Nodes, func(w lcm.Node) bool { return w.Name == n.Name }) {
			c.add(lcm.DriftNodeObjectUnknown, "", n.Name, "Kubernetes has a node %s that is none of the VNF.", n.Name)
		}
	}
	for _, node := range c.want.running().With(lcm.ControlPlane) {
		c.member(node)
	}
	for _, m := range seen.Members {
		if !slices.ContainsFunc(c.want.Nodes.With(lcm.ControlPlane), m.on) {
			c.add(lcm.DriftEtcdMemberUnknown, "", m.Name, "etcd has a member %s at %s that is on none of the control planes.",
				orUnnamed(m.Name), m.Address)
		}
	}
}

// on reports whether the member is that of the node.
func (m EtcdMember) on(node lcm.Node) bool {
	return m.Name == node.Name || m.Name == "" && m.Address == node.Address
}

func orUnnamed(name string) string {
	if name == "" {
		return "without a name"
	}
	return name
}

func (c *comparison) object(node lcm.Node) {
	at := slices.IndexFunc(c.have.Cluster.Nodes, func(n Node) bool { return n.Name == node.Name })
	if at < 0 {
		c.about(node, lcm.DriftNodeObjectMissing, "is unknown to Kubernetes.")
		return
	}
	n := c.have.Cluster.Nodes[at]
	if !n.Ready {
		c.about(node, lcm.DriftNodeNotReady, "is not Ready (%s).", n.Reason)
	}
	if n.Cordoned {
		c.about(node, lcm.DriftNodeCordoned, "is cordoned: it takes no pods.")
	}
}

func (c *comparison) member(node lcm.Node) {
	at := slices.IndexFunc(c.have.Cluster.Members, func(m EtcdMember) bool { return m.on(node) })
	if at < 0 {
		c.about(node, lcm.DriftEtcdMemberMissing, "is no member of etcd.")
		return
	}
	switch m := c.have.Cluster.Members[at]; {
	case !m.Started:
		c.about(node, lcm.DriftEtcdMemberUnhealthy, "has a member of etcd that has not started.")
	case m.Learner:
		c.about(node, lcm.DriftEtcdMemberLearner, "is a learner of etcd: it has no vote.")
	case !m.Healthy:
		c.about(node, lcm.DriftEtcdMemberUnhealthy, "has a member of etcd that does not answer.")
	}
}
