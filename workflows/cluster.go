package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// clusterWork does what the drivers of all clusters have in common, however they install a cluster.
type clusterWork struct {
	*vnf
	account kubecluster.VimAccountOutput
	sick    []string // nodes that did not work when a change was decided
}

func (c *clusterWork) tables() tables {
	return tables{
		c.registries(), c.storageReplaced(), c.balancedExternally(),
		{
			cluster.StepTerminateVnfs:       {do: c.terminateVnfs},
			cluster.StepDeregisterCluster:   {do: c.deregisterVim},
			cluster.StepWaitForNewNodes:     {do: c.waitForNodes, undo: c.forgetArrivals},
			kubeadm.StepTellNodes:           {do: c.tellAll, undo: c.tellFormer},
			cluster.StepMountOnNewNodes:     {do: c.mountOnArrivals},
			cluster.StepFinishNewNodes:      {do: c.welcomeNodes},
			cluster.StepDrainLeaving:        {do: c.drain, undo: c.uncordon},
			cluster.StepRemoveNodes:         {do: c.removeNodes},
			cluster.StepReplaceNodes:        {do: c.replaceNodes},
			cluster.StepForgetRemovedNodes:  {do: c.forgetRemoved},
			cluster.StepForgetReplacedNodes: {do: c.forgetLeaving},
		},
	}
}

func (c *clusterWork) controlPlanes() lcm.Nodes { return c.made.Nodes.With(lcm.ControlPlane) }

// fresh are the nodes that were not there before the operation: all of them in an instantiation.
func (c *clusterWork) fresh() lcm.Nodes { return c.made.Nodes.Without(c.what.Nodes) }

func (c *clusterWork) onCluster(ctx workflow.Context) reach.ClusterInput {
	return c.through(ctx, c.controlPlanes())
}

// through names the control planes to ask, in their order.
func (c *clusterWork) through(ctx workflow.Context, controlPlanes lcm.Nodes) reach.ClusterInput {
	return reach.ClusterInput{Tracked: track(ctx, ""), OpOccID: c.in.OpOccID, ControlPlanes: controlPlanes}
}

func (c *clusterWork) waitForNodes(ctx workflow.Context) error {
	return inParallel(ctx, c.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), act.nodes.WaitForSSH, c.on(ctx, node))
		return err
	})
}

// finishNodes does the work that needs every node to be a member. Its parts do not wait for each other.
func (c *clusterWork) finishNodes(ctx workflow.Context) error {
	return together(ctx, c.labelNodes, c.waitUntilReady, c.createAccount)
}

// welcomeNodes does the part of finishNodes that later nodes need.
func (c *clusterWork) welcomeNodes(ctx workflow.Context) error {
	return together(ctx, c.labelNodes, c.waitUntilReady)
}

func (c *clusterWork) labelNodes(ctx workflow.Context) error {
	labels := kubecluster.NodeLabels(c.fresh())
	if len(labels) == 0 {
		return nil
	}
	_, err := call(onNode(ctx), act.cluster.LabelNodes,
		kubecluster.LabelNodesInput{ClusterInput: c.onCluster(ctx), Labels: labels})
	return err
}

func (c *clusterWork) waitUntilReady(ctx workflow.Context) error {
	in := kubecluster.WaitForNodesInput{ClusterInput: c.onCluster(ctx)}
	for _, node := range c.fresh() {
		in.Nodes = append(in.Nodes, node.Name)
	}
	_, err := call(onlyWaits(onNode(ctx)), act.cluster.WaitForNodes, in)
	return err
}

// createAccount makes the account that the cluster is registered with.
func (c *clusterWork) createAccount(ctx workflow.Context) (err error) {
	c.account, err = call(onNode(ctx), act.cluster.CreateVimAccount, kubecluster.VimAccountInput{
		ClusterInput: c.onCluster(ctx), VirtualIP: c.made.VirtualIP, PublicAddress: c.made.PublicAddress,
	})
	return err
}

func (c *clusterWork) registerVim(ctx workflow.Context) error {
	out, err := call(short(ctx), act.vims.RegisterVim, kubecluster.RegisterVimInput{
		Tracked: track(ctx, ""), OpOccID: c.in.OpOccID, Account: c.account,
	})
	c.vim = out.VimID
	return err
}

// terminateVnfs ends what is on the cluster.
func (c *clusterWork) terminateVnfs(ctx workflow.Context) error {
	_, err := call(polling(ctx), act.clusterVnfs.TerminateVnfs, kubecluster.TerminateVnfsInput{
		Tracked: track(ctx, ""), OpOccID: c.in.OpOccID, VnfInstanceID: c.in.VnfInstanceID,
	})
	return err
}

func (c *clusterWork) deregisterVim(ctx workflow.Context) error {
	_, err := call(short(ctx), act.vims.DeregisterVim,
		kubecluster.DeregisterVimInput{Tracked: track(ctx, ""), VnfInstanceID: c.in.VnfInstanceID})
	return err
}
