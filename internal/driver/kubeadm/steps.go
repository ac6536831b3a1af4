package kubeadm

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// listing makes the steps of a cluster in one operation.
type listing struct {
	cluster *Cluster
	facts   lifecycle.Facts
	plan    lcm.Plan
}

// Steps implements lifecycle.Driver. Servers of a cluster come before others leave it.
func (c *Cluster) Steps(at lifecycle.Hook, f lifecycle.Facts, p lcm.Plan) []lifecycle.Step {
	l := listing{cluster: c, facts: f, plan: p}
	switch at {
	case lifecycle.InstantiateEnd:
		return l.made()
	case lifecycle.TerminateStart:
		// First of all: a cluster that still carries other VNFs must not lose its servers.
		return []lifecycle.Step{{ID: "deregister-cluster", Title: "Deregister the cluster", Final: true}}
	case lifecycle.ScaleStart:
		return l.departure()
	case lifecycle.ScaleEnd:
		return l.arrival()
	case lifecycle.HealStart:
		return l.beforeHeal()
	case lifecycle.HealEnd:
		return l.afterHeal()
	case lifecycle.OperateStart:
		return l.stopping()
	case lifecycle.OperateEnd:
		return l.starting()
	case lifecycle.ModifyEnd:
		return l.registriesChanged()
	}
	return nil
}

// Instead implements lifecycle.Substitute: the nodes are asked how they are before what changes is decided, and leave
// the cluster before their servers are deleted.
func (c *Cluster) Instead(s lifecycle.Step, _ lifecycle.Facts, p lcm.Plan) ([]lifecycle.Step, bool) {
	switch s.ID {
	case lifecycle.Decide:
		s.ID = "decide-on-nodes"
		return []lifecycle.Step{s}, !p.Whole // nobody is asked when all of them go
	case lifecycle.RemoveServers:
		s.ID = "remove-nodes"
	case lifecycle.FindRemaining:
		s.ID, s.Title = "forget-removed-nodes", "Forget the nodes that have left"
	case lifecycle.ReplaceServers, lifecycle.ReplaceServersRevocably:
		s.ID, s.Undo, s.Final = "replace-nodes", "", true
	default:
		return nil, false
	}
	return []lifecycle.Step{s}, true
}

// beforeHeal takes what leaves out of use.
func (l listing) beforeHeal() (list []lifecycle.Step) {
	if l.replacesStorage() {
		list = append(list, l.storageLeaves()...)
	}
	if l.replacesNodes() {
		list = append(list, l.departure()...)
	}
	return list
}

// afterHeal makes use of what has come. The storage server is first: new nodes mount what it exports.
func (l listing) afterHeal() (list []lifecycle.Step) {
	if l.replacesStorage() {
		list = append(list, l.storageMade()...)
	}
	if l.replacesNodes() {
		list = append(list, l.arrival()...)
	}
	if l.replacesStorage() {
		list = append(list, l.storageUsed()...)
	}
	return append(list, lifecycle.Step{ID: "forget-replaced-nodes", Title: "Forget the nodes that have left"})
}

// made makes a Kubernetes cluster of servers. Only the first and the last step need an undo: what the others
// make is on the servers, and goes with them.
func (l listing) made() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{
			{
				ID: "wait-for-nodes", Title: "Wait until every node answers on SSH",
				Undo: "their host keys and the generated secrets are forgotten",
			},
			{ID: "check-nodes", Title: "Check every node"},
			{ID: "prepare-nodes", Title: "Prepare every node"},
		},
		l.connecting("Connect every node to the registries"),
		lifecycle.When(l.cluster.HighlyAvailable(l.facts, l.plan),
			lifecycle.Step{ID: "balance-all", Title: "Set up HAProxy and keepalived"}),
		[]lifecycle.Step{{ID: "init-control-plane", Title: "Initialise the first control plane"}},
		lifecycle.When(l.facts.PodNetwork || l.cluster.Params.CniManifestPath != "", lifecycle.Step{
			ID:    "apply-pod-network",
			Title: "Apply the pod network",
		}),
		[]lifecycle.Step{
			{ID: "join-nodes", Title: "Join the other nodes"},
			{ID: "finish-nodes", Title: "Label the nodes and wait until they are Ready"},
		},
		l.storageMade(),
		l.storageUsed(),
		[]lifecycle.Step{{ID: "register-cluster", Title: "Register the cluster as a VIM", Undo: "the VIM is deregistered"}},
	)
}

// arrival makes members of the cluster of new servers. Until a server is gone each step can be undone.
func (l listing) arrival() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{
			{ID: "wait-for-new-nodes", Title: "Wait until every new node answers on SSH", Undo: "their host keys are forgotten"},
			{ID: "check-nodes", Title: "Check every new node"},
			{ID: "prepare-nodes", Title: "Prepare every new node"},
			{ID: "tell-nodes", Title: "Make the nodes known to each other", Undo: "the others forget the new nodes"},
		},
		l.connecting("Connect every new node to the registries"),
		lifecycle.When(l.cluster.ControlPlanes(l.facts, l.plan) && l.cluster.HighlyAvailable(l.facts, l.plan), lifecycle.Step{
			ID: "balance-new", Title: "Set up HAProxy and keepalived",
			Undo: "only the former control planes share the load and the virtual IP",
		}),
		lifecycle.When(l.storage(), lifecycle.Step{ID: "mount-on-new-nodes", Title: "Let every new node mount the exports"}),
		[]lifecycle.Step{
			{
				ID: "join-new-nodes", Title: "Join the new nodes",
				Undo: "the new nodes are taken out of etcd and out of the cluster",
			},
			{ID: "finish-new-nodes", Title: "Label the new nodes and wait until they are Ready"},
		},
	)
}

// departure takes nodes out of a cluster until their servers can go. All of it can be undone.
func (l listing) departure() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{{ID: "drain-leaving", Title: "Drain the nodes that leave", Undo: "they take pods again"}},
		lifecycle.When(l.cluster.ControlPlanes(l.facts, l.plan), lifecycle.Step{
			ID: "retire-control-planes", Title: "Take the control planes out of the cluster",
			Undo: "they join again, and share the load and the virtual IP",
		}),
	)
}

// connecting lets new nodes pull from the registries of the request, before kubelet pulls anything.
func (l listing) connecting(title string) []lifecycle.Step {
	return lifecycle.When(len(l.cluster.Params.PrivateRegistries) > 0,
		lifecycle.Step{ID: "connect-registries", Title: title})
}

// registriesChanged gives all nodes of a cluster that is in use the registries of a modification. A node that is dead
// is found before any is changed: it would hold the step up when the others have the new registries.
func (l listing) registriesChanged() []lifecycle.Step {
	if !l.facts.ChangesRegistries {
		return nil
	}
	return []lifecycle.Step{
		{ID: "reach-nodes", Title: "See that every node answers"},
		{
			ID: "reconnect-registries", Title: "Connect every node to the registries",
			Undo: "every node gets its former registries",
		},
	}
}
