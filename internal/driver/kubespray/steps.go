package kubespray

import (
	"slices"

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

// Steps implements lifecycle.VnfDriver.
func (c *Installer) Steps(at lifecycle.Hook, f lifecycle.Facts, p lcm.Plan) []lifecycle.Step {
	l := c.listing(f, p)
	switch at {
	case lifecycle.InstantiateStart:
		return []lifecycle.Step{checkAnsible}
	case lifecycle.InstantiateEnd:
		return l.made()
	case lifecycle.TerminateStart:
		return lifecycle.Join(l.Deregistered(), l.BalancerRemoved(), []lifecycle.Step{
			{ID: StepRemoveInventory, Title: "Remove the inventory from the Ansible server", Final: true},
		})
	case lifecycle.ScaleBegin:
		return lifecycle.When(!l.OnlyBalancers(), checkAnsible)
	case lifecycle.ScaleStart:
		return l.BeforeScaleIn(l.departure)
	case lifecycle.ScaleEnd:
		return l.AfterScaleOut(l.arrival)
	case lifecycle.HealStart:
		return lifecycle.Join(lifecycle.When(l.ReplacesNodes(), checkAnsible), l.BeforeHeal(l.departure))
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

// Instead implements lifecycle.Substitute. The decision first looks at the volumes of a leaving storage server. Leaving
// nodes are removed from the inventory.
func (c *Installer) Instead(s lifecycle.Step, f lifecycle.Facts, p lcm.Plan) ([]lifecycle.Step, bool) {
	if s.ID == lifecycle.StepDecide {
		s.ID = StepDecideOnCluster
		return []lifecycle.Step{s}, !p.Whole
	}
	steps, ok := c.listing(f, p).Listing.Instead(s)
	changes := c.changesControlPlanes(f, p)
	if changes {
		steps = etcdByKubespray(steps)
	}
	if s.ID == lifecycle.StepRemoveServers && !c.listing(f, p).OnlyBalancers() {
		steps = slices.Concat([]lifecycle.Step{{
			ID: StepSendRemaining, Title: "Send the inventory without the nodes that leave", Final: true,
		}}, lifecycle.When(changes, lifecycle.Step{
			ID: StepPlayClusterRemaining, Title: "Tell the nodes that stay (cluster.yml)", Final: true,
		}), c.listing(f, p).registeredElsewhere(), steps)
	}
	return steps, ok
}

// made makes servers a cluster. kubespray's changes are on the servers, and go with them.
func (l listing) made() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{
			{
				ID: cluster.StepWaitForNodes, Title: "Wait until every node answers on SSH",
				Undo: "their host keys and the generated secrets are forgotten",
			},
			{ID: StepSendInventory, Title: "Send the inventory to the Ansible server", Undo: "the inventory is removed"},
			{ID: StepPlayCluster, Title: "Install Kubernetes with kubespray (cluster.yml)"},
		},
		l.Connecting("Connect every node to the registries"),
		l.Finished(),
		l.BalancerMade(),
		l.Registered(),
	)
}

// checkAnsible comes before anything is made, changed or removed.
var checkAnsible = lifecycle.Step{ID: StepCheckAnsible, Title: "Check the Ansible server"}

// arrival makes new servers members of the cluster. Each step can be undone until a server is gone.
func (l listing) arrival() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{
			{ID: cluster.StepWaitForNewNodes, Title: "Wait until every new node answers on SSH", Undo: "their host keys are forgotten"},
			{
				ID: StepSendNewInventory, Title: "Send the inventory with the new nodes",
				Undo: "the former inventory is sent",
			},
			{ID: StepPlayFacts, Title: "Gather facts of all nodes (facts.yml)"},
		},
		l.joined(),
		l.Connecting("Connect every new node to the registries"),
		l.MountedOnNew(),
		[]lifecycle.Step{{ID: cluster.StepFinishNewNodes, Title: "Label the new nodes and wait until they are Ready"}},
		l.RoutedToNew(),
		l.registeredAgain(),
	)
}

// departure takes nodes out of a cluster until their servers can go.
func (l listing) departure() []lifecycle.Step {
	return lifecycle.Join(l.RoutedPastLeaving(), l.Drained(), l.left())
}
