package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// clusterMade makes a Kubernetes cluster of servers. Only the first and the last step need an undo: what the others
// make is on the servers, and goes with them.
func (l listing) clusterMade() []Step {
	if !l.cluster {
		return nil
	}
	return join(
		[]Step{
			{
				ID: "wait-for-nodes", Title: "Wait until every node answers on SSH",
				Undo: "their host keys and the generated secrets are forgotten",
			},
			{ID: "check-nodes", Title: "Check every node"},
			{ID: "prepare-nodes", Title: "Prepare every node"},
		},
		l.connecting("Connect every node to the registries"),
		when(l.highlyAvailable, Step{ID: "balance-all", Title: "Set up HAProxy and keepalived"}),
		[]Step{{ID: "init-control-plane", Title: "Initialise the first control plane"}},
		when(l.facts.PodNetwork || l.facts.Cluster.CniManifestPath != "", Step{ID: "apply-pod-network", Title: "Apply the pod network"}),
		[]Step{
			{ID: "join-nodes", Title: "Join the other nodes"},
			{ID: "finish-nodes", Title: "Label the nodes and wait until they are Ready"},
		},
		l.storageMade(),
		l.storageUsed(),
		[]Step{{ID: "register-cluster", Title: "Register the cluster as a VIM", Undo: "the VIM is deregistered"}},
	)
}

// arrival makes members of the cluster of new servers. Until a server is gone each step can be undone.
func (l listing) arrival() []Step {
	if !l.cluster {
		return nil
	}
	return join(
		[]Step{
			{ID: "wait-for-new-nodes", Title: "Wait until every new node answers on SSH", Undo: "their host keys are forgotten"},
			{ID: "check-nodes", Title: "Check every new node"},
			{ID: "prepare-nodes", Title: "Prepare every new node"},
			{ID: "tell-nodes", Title: "Make the nodes known to each other", Undo: "the others forget the new nodes"},
		},
		l.connecting("Connect every new node to the registries"),
		when(l.controlPlanes && l.highlyAvailable, Step{
			ID: "balance-new", Title: "Set up HAProxy and keepalived",
			Undo: "only the former control planes share the load and the virtual IP",
		}),
		when(l.storage(), Step{ID: "mount-on-new-nodes", Title: "Let every new node mount the exports"}),
		[]Step{
			{
				ID: "join-new-nodes", Title: "Join the new nodes",
				Undo: "the new nodes are taken out of etcd and out of the cluster",
			},
			{ID: "finish-new-nodes", Title: "Label the new nodes and wait until they are Ready"},
		},
	)
}

// departure takes nodes out of a cluster until their servers can go. All of it can be undone.
func (l listing) departure() []Step {
	if !l.cluster {
		return nil
	}
	return join(
		[]Step{{ID: "drain-leaving", Title: "Drain the nodes that leave", Undo: "they take pods again"}},
		when(l.controlPlanes, Step{
			ID: "retire-control-planes", Title: "Take the control planes out of the cluster",
			Undo: "they join again, and share the load and the virtual IP",
		}),
	)
}

// connecting lets new nodes pull from the registries of the request, before kubelet pulls anything.
func (l listing) connecting(title string) []Step {
	return when(len(l.facts.Cluster.PrivateRegistries) > 0, Step{ID: "connect-registries", Title: title})
}

// registriesChanged gives all nodes of a cluster that is in use the registries of a modification. A node that is dead
// is found before any is changed: it would hold the step up when the others have the new registries.
func (l listing) registriesChanged() []Step {
	if !l.facts.ChangesRegistries {
		return nil
	}
	return []Step{
		{ID: "reach-nodes", Title: "See that every node answers"},
		{ID: "reconnect-registries", Title: "Connect every node to the registries", Undo: "every node gets its former registries"},
	}
}

// sizes are how many servers of each VDU there are, or will be once the VNF is instantiated.
func (f Facts) sizes(p lcm.Plan) map[string]int {
	out := map[string]int{}
	if f.Instance.Instantiated == nil {
		for _, g := range p.Groups {
			out[g.VduID] = g.To
		}
		return out
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		out[v.VduID]++
	}
	return out
}

// ControlPlanes reports whether control planes of a cluster come or go, start or stop, where p is carried out.
func (f Facts) ControlPlanes(p lcm.Plan) bool {
	if f.Cluster == nil || f.Instance.Instantiated == nil {
		return f.Cluster != nil
	}
	is := func(vdu string) bool {
		controlPlanes := f.Instance.Instantiated.Nodes.With(lcm.ControlPlane)
		return slices.ContainsFunc(controlPlanes, func(n lcm.Node) bool { return n.VduID == vdu })
	}
	return f.Switched(p).ControlPlanes ||
		slices.ContainsFunc(p.Groups, func(g lcm.GroupChange) bool { return is(g.VduID) }) ||
		slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return is(l.VduID) })
}

// HighlyAvailable tells whether a cluster has several control planes. A VNFD that does not tell how many servers the
// role has is believed when the request puts an address in front of a group of them.
func (f Facts) HighlyAvailable(p lcm.Plan) bool {
	if f.Cluster == nil {
		return false
	}
	master := f.Cluster.MasterNode
	vdus := f.Flavour.VdusOfNodes(master)
	if len(vdus) == 0 {
		return master.AspectID != "" && master.ClusterCpName != ""
	}
	sizes, n := f.sizes(p), 0
	for _, vdu := range vdus {
		n += sizes[vdu]
	}
	return n > 1
}
