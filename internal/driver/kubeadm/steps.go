package kubeadm

import (
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// listing makes the steps of a cluster in one operation.
type listing struct {
	cluster.Listing
	cluster *Installer
}

func (c *Installer) listing(f lifecycle.Facts, p lcm.Plan) listing {
	return listing{Listing: cluster.Listing{Cluster: c.Shared(), Facts: f, Plan: p}, cluster: c}
}

// Steps implements lifecycle.VnfDriver. New servers join a cluster before others leave it.
func (c *Installer) Steps(at lifecycle.Hook, f lifecycle.Facts, p lcm.Plan) []lifecycle.Step {
	l := c.listing(f, p)
	switch at {
	case lifecycle.InstantiateEnd:
		return l.made()
	case lifecycle.TerminateStart:
		return lifecycle.Join(l.Deregistered(), l.BalancerRemoved())
	case lifecycle.ScaleStart:
		return l.BeforeScaleIn(l.departure)
	case lifecycle.ScaleEnd:
		return l.AfterScaleOut(l.arrival)
	case lifecycle.HealStart:
		return l.BeforeHeal(l.departure)
	case lifecycle.HealEnd:
		return l.AfterHeal(l.arrival)
	case lifecycle.OperateStart:
		return l.Stopping()
	case lifecycle.OperateEnd:
		return l.Starting()
	case lifecycle.ModifyEnd:
		return l.RegistriesChanged()
	default:
		return nil
	}
}

// Instead implements lifecycle.Substitute. Before the plan is made, the nodes are asked for their health. Nodes leave
// the cluster before their servers are deleted.
func (c *Installer) Instead(s lifecycle.Step, f lifecycle.Facts, p lcm.Plan) ([]lifecycle.Step, bool) {
	if s.ID == lifecycle.StepDecide {
		s.ID = StepDecideOnNodes
		return []lifecycle.Step{s}, !p.Whole // nobody is asked when all nodes go
	}
	return c.listing(f, p).Listing.Instead(s)
}

// made makes servers a Kubernetes cluster. Only the first and the last step need an undo: the changes of the others are
// on the servers, and go with them.
func (l listing) made() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{
			{
				ID: cluster.StepWaitForNodes, Title: "Wait until every node answers on SSH",
				Undo: "their host keys and the generated secrets are forgotten",
			},
			{ID: StepCheckNodes, Title: "Check every node"},
			{ID: StepPrepareNodes, Title: "Prepare every node"},
		},
		l.Connecting("Connect every node to the registries"), // before kubelet pulls anything
		lifecycle.When(l.cluster.HighlyAvailable(l.Facts, l.Plan),
			lifecycle.Step{ID: StepBalanceAll, Title: "Set up HAProxy and keepalived"}),
		l.BalancerMade(), // nodes join through it
		[]lifecycle.Step{
			{ID: StepInitControlPlane, Title: "Initialise the first control plane"},
			// In every list: the step reads the operator's setting when it runs, so that a retry takes a new one.
			{ID: StepApplyPodNetwork, Title: "Apply the pod network"},
			{ID: StepJoinNodes, Title: "Join the other nodes"},
		},
		l.Finished(),
		l.Registered(),
	)
}

// arrival makes new servers members of the cluster. Each step can be undone until a server is gone.
func (l listing) arrival() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{
			{ID: cluster.StepWaitForNewNodes, Title: "Wait until every new node answers on SSH", Undo: "their host keys are forgotten"},
			{ID: StepCheckNodes, Title: "Check every new node"},
			{ID: StepPrepareNodes, Title: "Prepare every new node"},
			{ID: StepTellNodes, Title: "Make the nodes known to each other", Undo: "the others forget the new nodes"},
		},
		l.Connecting("Connect every new node to the registries"),
		lifecycle.When(l.cluster.ControlPlanes(l.Facts, l.Plan) && l.cluster.HighlyAvailable(l.Facts, l.Plan), lifecycle.Step{
			ID: StepBalanceNew, Title: "Set up HAProxy and keepalived",
			Undo: "only the former control planes share the load and the virtual IP",
		}),
		l.MountedOnNew(),
		[]lifecycle.Step{
			{
				ID: StepJoinNewNodes, Title: "Join the new nodes",
				Undo: "the new nodes are taken out of etcd and out of the cluster",
			},
			{ID: cluster.StepFinishNewNodes, Title: "Label the new nodes and wait until they are Ready"},
		},
		l.RoutedToNew(),
	)
}

// departure takes nodes out of a cluster until their servers can go. All of it can be undone.
func (l listing) departure() []lifecycle.Step {
	return lifecycle.Join(
		l.RoutedPastLeaving(),
		l.Drained(),
		lifecycle.When(l.cluster.ControlPlanes(l.Facts, l.Plan), lifecycle.Step{
			ID: StepRetireControlPlanes, Title: "Take the control planes out of the cluster",
			Undo: "they join again, and share the load and the virtual IP",
		}),
	)
}
