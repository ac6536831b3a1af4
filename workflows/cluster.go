package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (b *build) clusterMade() table {
	return table{
		"wait-for-nodes":     {do: b.waitForNodes, undo: b.forgetNodes},
		"check-nodes":        {do: b.checkNodes},
		"prepare-nodes":      {do: b.prepareNodes},
		"balance-all":        {do: b.setUpLoadBalancers},
		"init-control-plane": {do: b.initControlPlane},
		"apply-pod-network":  {do: b.applyPodNetwork},
		"join-nodes":         {do: b.joinNodes},
		"finish-nodes":       {do: b.finishNodes},
		"register-cluster":   {do: b.registerVim, undo: b.deregisterVim},
	}
}

func (b *build) controlPlanes() lcm.Nodes { return b.made.Nodes.With(lcm.ControlPlane) }

// fresh are the nodes that were not there before the operation: all of them in an instantiation.
func (b *build) fresh() lcm.Nodes { return b.made.Nodes.Without(b.what.Nodes) }

func (b *build) onCluster(ctx workflow.Context) activities.ClusterInput {
	return b.through(ctx, b.controlPlanes())
}

// through names the control planes that are asked, in their order.
func (b *build) through(ctx workflow.Context, controlPlanes lcm.Nodes) activities.ClusterInput {
	return activities.ClusterInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID, ControlPlanes: controlPlanes}
}

func (b *build) on(ctx workflow.Context, node lcm.Node) activities.NodeInput {
	return activities.NodeInput{Tracked: track(ctx, node.Name), OpOccID: b.in.OpOccID, Node: node}
}

func (b *build) waitForNodes(ctx workflow.Context) error {
	return inParallel(ctx, b.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), nodes.WaitForSSH, b.on(ctx, node))
		return err
	})
}

func (b *build) forgetNodes(ctx workflow.Context) error {
	in := activities.ForgetNodesInput{Tracked: track(ctx, ""), VnfInstanceID: b.in.VnfInstanceID, ServerIDs: b.what.ServerIDs}
	for _, v := range b.made.Vnfcs {
		in.ServerIDs = append(in.ServerIDs, v.ServerID)
	}
	_, err := call(short(ctx), vims.ForgetNodes, in)
	return err
}

func (b *build) checkNodes(ctx workflow.Context) error {
	return inParallel(ctx, b.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), nodes.CheckNode, b.on(ctx, node))
		return err
	})
}

func (b *build) prepareNodes(ctx workflow.Context) error {
	hosts := activities.HostEntries(b.made.Nodes)
	return inParallel(ctx, b.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.PrepareNode, activities.PrepareNodeInput{
			NodeInput: b.on(ctx, node), Hosts: hosts, VirtualIP: b.made.VirtualIP,
		})
		return err
	})
}

func (b *build) setUpLoadBalancers(ctx workflow.Context) error {
	return b.balance(ctx, b.controlPlanes())
}

// balance lets these control planes, and no others, share the virtual IP and the load. Nobody uses the cluster yet, so
// that all are set up at once; where it is in use, rebalance does it.
func (b *build) balance(ctx workflow.Context, controlPlanes lcm.Nodes) error {
	err := inParallel(ctx, controlPlanes, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.ConfigureLoadBalancer, activities.LoadBalancerInput{
			NodeInput: b.on(ctx, node), ControlPlanes: controlPlanes, VirtualIP: b.made.VirtualIP,
			WasBroken: b.wasBroken(node),
		})
		return err
	})
	if err != nil {
		return err
	}
	_, err = call(onNode(ctx), nodes.WaitForVirtualIP, activities.VirtualIPInput{
		ClusterInput: b.through(ctx, b.withoutBroken(controlPlanes)), VirtualIP: b.made.VirtualIP,
	})
	return err
}

func (b *build) initControlPlane(ctx workflow.Context) error {
	_, err := call(onNode(ctx), cluster.InitControlPlane, activities.InitControlPlaneInput{
		NodeInput: b.on(ctx, b.controlPlanes()[0]), ControlPlanes: b.controlPlanes(),
		VirtualIP: b.made.VirtualIP, PublicAddress: b.made.PublicAddress, NodeCount: len(b.made.Nodes),
	})
	return err
}

func (b *build) applyPodNetwork(ctx workflow.Context) error {
	_, err := call(onNode(ctx), cluster.ApplyPodNetwork, b.onCluster(ctx))
	return err
}

// joinNodes joins all nodes to the first control plane.
func (b *build) joinNodes(ctx workflow.Context) error {
	return b.join(ctx, b.controlPlanes()[1:], b.made.Nodes.With(lcm.Worker))
}

// join joins workers all at once while control planes join one by one: etcd must have quorum before it takes
// the next member, and a worker needs no more than the API that answers already.
//
// The token is minted for the step and deleted after it, whether the step succeeds or not: a step that is
// retried days later has a fresh one.
func (b *build) join(ctx workflow.Context, controlPlanes, workers lcm.Nodes) error {
	if len(controlPlanes)+len(workers) == 0 {
		return nil
	}
	join, err := call(onNode(ctx), cluster.MintJoin, activities.MintJoinInput{
		ClusterInput: b.onCluster(ctx), ForControlPlanes: len(controlPlanes) > 0,
	})
	if err != nil {
		return err
	}
	failure := together(ctx,
		func(ctx workflow.Context) error { return b.joinControlPlanes(ctx, controlPlanes, join) },
		func(ctx workflow.Context) error { return b.joinWorkers(ctx, workers, join) },
	)
	if failure == nil {
		_, err = call(onNode(ctx), cluster.RevokeJoin, b.onCluster(ctx))
		return err
	}
	free, _ := workflow.NewDisconnectedContext(ctx) // also when the step was cancelled
	if _, err := call(once(free), cluster.RevokeJoin, b.onCluster(ctx)); err != nil {
		workflow.GetLogger(ctx).Warn("Join token not deleted; it ends by itself.", "error", err)
	}
	return failure
}

func (b *build) joinControlPlanes(ctx workflow.Context, list lcm.Nodes, join activities.JoinRefs) error {
	return inTurn(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.JoinControlPlane, activities.JoinControlPlaneInput{
			NodeInput: b.on(ctx, node), ControlPlanes: b.controlPlanes(), VirtualIP: b.made.VirtualIP, Join: join,
		})
		return err
	})
}

func (b *build) joinWorkers(ctx workflow.Context, list lcm.Nodes, join activities.JoinRefs) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.JoinWorker, activities.JoinWorkerInput{
			NodeInput: b.on(ctx, node), VirtualIP: b.made.VirtualIP, ControlPlane: b.controlPlanes()[0].Address, Join: join,
		})
		return err
	})
}

// finishNodes does what needs every node to be a member; none of it waits for another.
func (b *build) finishNodes(ctx workflow.Context) error {
	return together(ctx, b.labelNodes, b.waitUntilReady, b.createAccount)
}

// welcomeNodes is what of it nodes need that come later.
func (b *build) welcomeNodes(ctx workflow.Context) error {
	return together(ctx, b.labelNodes, b.waitUntilReady)
}

func (b *build) labelNodes(ctx workflow.Context) error {
	labels := activities.NodeLabels(b.fresh())
	if len(labels) == 0 {
		return nil
	}
	_, err := call(onNode(ctx), cluster.LabelNodes, activities.LabelNodesInput{ClusterInput: b.onCluster(ctx), Labels: labels})
	return err
}

func (b *build) waitUntilReady(ctx workflow.Context) error {
	in := activities.WaitForNodesInput{ClusterInput: b.onCluster(ctx)}
	for _, node := range b.fresh() {
		in.Nodes = append(in.Nodes, node.Name)
	}
	_, err := call(onlyWaits(onNode(ctx)), cluster.WaitForNodes, in)
	return err
}

// createAccount makes the account that the cluster is registered with.
func (b *build) createAccount(ctx workflow.Context) (err error) {
	b.account, err = call(onNode(ctx), cluster.CreateVimAccount, activities.VimAccountInput{
		ClusterInput: b.onCluster(ctx), VirtualIP: b.made.VirtualIP, PublicAddress: b.made.PublicAddress,
	})
	return err
}

func (b *build) registerVim(ctx workflow.Context) error {
	out, err := call(short(ctx), vims.RegisterVim, activities.RegisterVimInput{
		Tracked: track(ctx, ""), OpOccID: b.in.OpOccID, Account: b.account,
	})
	b.vim = out.VimID
	return err
}

func (b *build) deregisterVim(ctx workflow.Context) error {
	_, err := call(short(ctx), vims.DeregisterVim, activities.DeregisterVimInput{Tracked: track(ctx, ""), VnfInstanceID: b.in.VnfInstanceID})
	return err
}
