package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// kubeadmWork makes a Kubernetes cluster of a VNF's servers.
type kubeadmWork struct {
	*vnf
	account activities.VimAccountOutput
	sick    []string // nodes that did not work when a change was decided
}

func (k *kubeadmWork) tables() tables {
	return tables{
		k.clusterMade(), k.arrival(), k.departure(), k.registries(), k.storageMade(), k.storageReplaced(),
		{
			"decide-on-nodes":       {do: k.decide},
			"remove-nodes":          {do: k.removeNodes},
			"replace-nodes":         {do: k.replaceNodes},
			"forget-removed-nodes":  {do: k.forgetRemoved},
			"forget-replaced-nodes": {do: k.forgetLeaving},
			"deregister-cluster":    {do: k.deregisterVim},
		},
	}
}

func (k *kubeadmWork) clusterMade() table {
	return table{
		"wait-for-nodes":     {do: k.waitForNodes, undo: k.forgetNodes},
		"check-nodes":        {do: k.checkNodes},
		"prepare-nodes":      {do: k.prepareNodes},
		"balance-all":        {do: k.setUpLoadBalancers},
		"init-control-plane": {do: k.initControlPlane},
		"apply-pod-network":  {do: k.applyPodNetwork},
		"join-nodes":         {do: k.joinNodes},
		"finish-nodes":       {do: k.finishNodes},
		"register-cluster":   {do: k.registerVim, undo: k.deregisterVim},
	}
}

func (k *kubeadmWork) controlPlanes() lcm.Nodes { return k.made.Nodes.With(lcm.ControlPlane) }

// fresh are the nodes that were not there before the operation: all of them in an instantiation.
func (k *kubeadmWork) fresh() lcm.Nodes { return k.made.Nodes.Without(k.what.Nodes) }

func (k *kubeadmWork) onCluster(ctx workflow.Context) activities.ClusterInput {
	return k.through(ctx, k.controlPlanes())
}

// through names the control planes that are asked, in their order.
func (k *kubeadmWork) through(ctx workflow.Context, controlPlanes lcm.Nodes) activities.ClusterInput {
	return activities.ClusterInput{Tracked: track(ctx, ""), OpOccID: k.in.OpOccID, ControlPlanes: controlPlanes}
}

func (k *kubeadmWork) waitForNodes(ctx workflow.Context) error {
	return inParallel(ctx, k.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), nodes.WaitForSSH, k.on(ctx, node))
		return err
	})
}

func (k *kubeadmWork) checkNodes(ctx workflow.Context) error {
	return inParallel(ctx, k.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), nodes.CheckNode, k.on(ctx, node))
		return err
	})
}

func (k *kubeadmWork) prepareNodes(ctx workflow.Context) error {
	hosts := activities.HostEntries(k.made.Nodes)
	return inParallel(ctx, k.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.PrepareNode, activities.PrepareNodeInput{
			NodeInput: k.on(ctx, node), Hosts: hosts, VirtualIP: k.made.VirtualIP,
		})
		return err
	})
}

func (k *kubeadmWork) setUpLoadBalancers(ctx workflow.Context) error {
	return k.balance(ctx, k.controlPlanes())
}

// balance lets these control planes, and no others, share the virtual IP and the load. Nobody uses the cluster yet, so
// that all are set up at once; where it is in use, rebalance does it.
func (k *kubeadmWork) balance(ctx workflow.Context, controlPlanes lcm.Nodes) error {
	err := inParallel(ctx, controlPlanes, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.ConfigureLoadBalancer, activities.LoadBalancerInput{
			NodeInput: k.on(ctx, node), ControlPlanes: controlPlanes, VirtualIP: k.made.VirtualIP,
			WasBroken: k.wasBroken(node),
		})
		return err
	})
	if err != nil {
		return err
	}
	_, err = call(onNode(ctx), nodes.WaitForVirtualIP, activities.VirtualIPInput{
		ClusterInput: k.through(ctx, k.withoutBroken(controlPlanes)), VirtualIP: k.made.VirtualIP,
	})
	return err
}

func (k *kubeadmWork) initControlPlane(ctx workflow.Context) error {
	_, err := call(onNode(ctx), cluster.InitControlPlane, activities.InitControlPlaneInput{
		NodeInput: k.on(ctx, k.controlPlanes()[0]), ControlPlanes: k.controlPlanes(),
		VirtualIP: k.made.VirtualIP, PublicAddress: k.made.PublicAddress, NodeCount: len(k.made.Nodes),
	})
	return err
}

func (k *kubeadmWork) applyPodNetwork(ctx workflow.Context) error {
	_, err := call(onNode(ctx), cluster.ApplyPodNetwork, k.onCluster(ctx))
	return err
}

// joinNodes joins all nodes to the first control plane.
func (k *kubeadmWork) joinNodes(ctx workflow.Context) error {
	return k.join(ctx, k.controlPlanes()[1:], k.made.Nodes.With(lcm.Worker))
}

// join joins workers all at once while control planes join one by one: etcd must have quorum before it takes
// the next member, and a worker needs no more than the API that answers already.
//
// The token is minted for the step and deleted after it, whether the step succeeds or not: a step that is
// retried days later has a fresh one.
func (k *kubeadmWork) join(ctx workflow.Context, controlPlanes, workers lcm.Nodes) error {
	if len(controlPlanes)+len(workers) == 0 {
		return nil
	}
	join, err := call(onNode(ctx), cluster.MintJoin, activities.MintJoinInput{
		ClusterInput: k.onCluster(ctx), ForControlPlanes: len(controlPlanes) > 0,
	})
	if err != nil {
		return err
	}
	failure := together(ctx,
		func(ctx workflow.Context) error { return k.joinControlPlanes(ctx, controlPlanes, join) },
		func(ctx workflow.Context) error { return k.joinWorkers(ctx, workers, join) },
	)
	if failure == nil {
		_, err = call(onNode(ctx), cluster.RevokeJoin, k.onCluster(ctx))
		return err
	}
	free, _ := workflow.NewDisconnectedContext(ctx) // also when the step was cancelled
	if _, err := call(once(free), cluster.RevokeJoin, k.onCluster(ctx)); err != nil {
		workflow.GetLogger(ctx).Warn("Join token not deleted; it ends by itself.", "error", err)
	}
	return failure
}

func (k *kubeadmWork) joinControlPlanes(ctx workflow.Context, list lcm.Nodes, join activities.JoinRefs) error {
	return inTurn(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.JoinControlPlane, activities.JoinControlPlaneInput{
			NodeInput: k.on(ctx, node), ControlPlanes: k.controlPlanes(), VirtualIP: k.made.VirtualIP, Join: join,
		})
		return err
	})
}

func (k *kubeadmWork) joinWorkers(ctx workflow.Context, list lcm.Nodes, join activities.JoinRefs) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.JoinWorker, activities.JoinWorkerInput{
			NodeInput: k.on(ctx, node), VirtualIP: k.made.VirtualIP, ControlPlane: k.controlPlanes()[0].Address, Join: join,
		})
		return err
	})
}

// finishNodes does what needs every node to be a member; none of it waits for another.
func (k *kubeadmWork) finishNodes(ctx workflow.Context) error {
	return together(ctx, k.labelNodes, k.waitUntilReady, k.createAccount)
}

// welcomeNodes is what of it nodes need that come later.
func (k *kubeadmWork) welcomeNodes(ctx workflow.Context) error {
	return together(ctx, k.labelNodes, k.waitUntilReady)
}

func (k *kubeadmWork) labelNodes(ctx workflow.Context) error {
	labels := activities.NodeLabels(k.fresh())
	if len(labels) == 0 {
		return nil
	}
	_, err := call(onNode(ctx), cluster.LabelNodes,
		activities.LabelNodesInput{ClusterInput: k.onCluster(ctx), Labels: labels})
	return err
}

func (k *kubeadmWork) waitUntilReady(ctx workflow.Context) error {
	in := activities.WaitForNodesInput{ClusterInput: k.onCluster(ctx)}
	for _, node := range k.fresh() {
		in.Nodes = append(in.Nodes, node.Name)
	}
	_, err := call(onlyWaits(onNode(ctx)), cluster.WaitForNodes, in)
	return err
}

// createAccount makes the account that the cluster is registered with.
func (k *kubeadmWork) createAccount(ctx workflow.Context) (err error) {
	k.account, err = call(onNode(ctx), cluster.CreateVimAccount, activities.VimAccountInput{
		ClusterInput: k.onCluster(ctx), VirtualIP: k.made.VirtualIP, PublicAddress: k.made.PublicAddress,
	})
	return err
}

func (k *kubeadmWork) registerVim(ctx workflow.Context) error {
	out, err := call(short(ctx), vims.RegisterVim, activities.RegisterVimInput{
		Tracked: track(ctx, ""), OpOccID: k.in.OpOccID, Account: k.account,
	})
	k.vim = out.VimID
	return err
}

func (k *kubeadmWork) deregisterVim(ctx workflow.Context) error {
	_, err := call(short(ctx), vims.DeregisterVim,
		activities.DeregisterVimInput{Tracked: track(ctx, ""), VnfInstanceID: k.in.VnfInstanceID})
	return err
}
