package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Scaling and healing a cluster have this in common, however the cluster is installed: nodes come, and nodes leave.

// leaving are the nodes that go. staying are the former nodes that stay.
func (c *clusterWork) leaving() lcm.Nodes { return c.what.Nodes.On(c.change.LeavingServers()) }

func (c *clusterWork) staying() lcm.Nodes { return c.what.Nodes.Without(c.leaving()) }

// wasBroken tells whether a node did not work already before the operation, although the operation is not about it.
func (c *clusterWork) wasBroken(node lcm.Node) bool {
	return slices.Contains(c.sick, node.Name) && !c.leaving().HasServer(node.ServerID)
}

func (c *clusterWork) withoutBroken(list lcm.Nodes) lcm.Nodes {
	return slices.DeleteFunc(slices.Clone(list), c.wasBroken)
}

// expel takes nodes out of etcd and out of the cluster, through control planes that stay.
func (c *clusterWork) expel(ctx workflow.Context, list, through lcm.Nodes) error {
	if gone := list.With(lcm.ControlPlane); len(gone) > 0 {
		_, err := call(onNode(ctx), act.cluster.RemoveMember,
			kubecluster.RemoveMemberInput{ClusterInput: c.through(ctx, through), Leaving: gone})
		if err != nil {
			return err
		}
	}
	return c.deleteNodes(ctx, list, through)
}

// deleteNodes deletes nodes from the cluster, through control planes that stay.
func (c *clusterWork) deleteNodes(ctx workflow.Context, list, through lcm.Nodes) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		in := kubecluster.NodeOfClusterInput{ClusterInput: c.through(ctx, through), Leaving: node}
		in.Tracked = track(ctx, node.Name)
		_, err := call(onNode(ctx), act.cluster.DeleteNode, in)
		return err
	})
}

func (c *clusterWork) forgetArrivals(ctx workflow.Context) error {
	if err := c.known(ctx); err != nil {
		return err
	}
	return c.forget(ctx, c.fresh())
}

func (c *clusterWork) forgetLeaving(ctx workflow.Context) error {
	leaving := append(c.leaving(), c.leavingStorage()...)
	for _, server := range c.change.LeavingServers() { // load balancers are among them
		if !leaving.HasServer(server) {
			leaving = append(leaving, lcm.Node{ServerID: server})
		}
	}
	if err := c.forget(ctx, leaving); err != nil {
		return err
	}
	return c.forgetAsExposed(ctx)
}

// forget drops the host keys of nodes that are gone.
func (c *clusterWork) forget(ctx workflow.Context, list lcm.Nodes) error {
	in := kubecluster.ForgetNodesInput{Tracked: track(ctx, ""), VnfInstanceID: c.in.VnfInstanceID, KeepCluster: true}
	for _, node := range list {
		in.ServerIDs = append(in.ServerIDs, node.ServerID)
	}
	_, err := call(short(ctx), act.vims.ForgetNodes, in)
	return err
}

// tellAll makes the new nodes known to the nodes that stay. The new nodes know all others from their preparation.
func (c *clusterWork) tellAll(ctx workflow.Context) error {
	return c.tell(ctx, c.staying(), c.made.Nodes)
}

// tellRemaining lets all nodes forget those that have left. New nodes have known them, too.
func (c *clusterWork) tellRemaining(ctx workflow.Context) error {
	remaining := c.made.Nodes.Without(c.leaving())
	return c.tell(ctx, remaining, remaining)
}

func (c *clusterWork) tellFormer(ctx workflow.Context) error {
	return c.tell(ctx, c.what.Nodes, c.what.Nodes)
}

func (c *clusterWork) tell(ctx workflow.Context, whom, of lcm.Nodes) error {
	hosts := reach.HostEntries(of)
	return inParallel(ctx, whom, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.nodes.TellHosts, kubenode.TellHostsInput{
			NodeInput: c.on(ctx, node), Hosts: hosts, WasBroken: c.wasBroken(node),
		})
		return err
	})
}

func (c *clusterWork) drain(ctx workflow.Context) error {
	return inParallel(ctx, c.leaving(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), act.cluster.DrainNode,
			kubecluster.DrainNodeInput{ClusterInput: c.sparing(ctx, node), Leaving: node})
		return err
	})
}

func (c *clusterWork) uncordon(ctx workflow.Context) error {
	if err := c.known(ctx); err != nil {
		return err
	}
	return inParallel(ctx, c.leaving(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.cluster.UncordonNode,
			kubecluster.NodeOfClusterInput{ClusterInput: c.sparing(ctx, node), Leaving: node})
		return err
	})
}

// sparing asks control planes that stay first, and records progress under the node that leaves.
func (c *clusterWork) sparing(ctx workflow.Context, node lcm.Node) reach.ClusterInput {
	in := c.through(ctx, append(c.staying().With(lcm.ControlPlane),
		c.leaving().With(lcm.ControlPlane).Without(lcm.Nodes{node})...))
	in.Tracked = track(ctx, node.Name)
	return in
}
