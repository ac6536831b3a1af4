package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// kubeadmWork makes a VNF's servers a Kubernetes cluster.
type kubeadmWork struct{ *clusterWork }

func (k *kubeadmWork) tables() tables {
	return tables{
		k.clusterMade(),
		{
			kubeadm.StepDecideOnNodes:       {do: k.decide},
			kubeadm.StepBalanceNew:          {do: k.balanceArrivals, undo: k.balanceFormer},
			kubeadm.StepJoinNewNodes:        {do: k.joinArrivals, undo: k.expelArrivals},
			kubeadm.StepRetireControlPlanes: {do: k.retire, undo: k.reinstate},
		},
	}
}

func (k *kubeadmWork) checkNodes(ctx workflow.Context) error {
	return inParallel(ctx, k.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), act.nodes.CheckNode, k.on(ctx, node))
		return err
	})
}

func (k *kubeadmWork) prepareNodes(ctx workflow.Context) error {
	hosts := reach.HostEntries(k.made.Nodes)
	return inParallel(ctx, k.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.nodes.PrepareNode, kubenode.PrepareNodeInput{
			NodeInput: k.on(ctx, node), Hosts: hosts, VirtualIP: k.made.VirtualIP,
		})
		return err
	})
}

func (k *kubeadmWork) setUpLoadBalancers(ctx workflow.Context) error {
	return k.balance(ctx, k.controlPlanes())
}

// balance lets these control planes, and no others, share the virtual IP and the load. Nobody uses the cluster yet, so
// it sets all of them up at once. In a cluster in use, rebalance does this.
func (k *kubeadmWork) balance(ctx workflow.Context, controlPlanes lcm.Nodes) error {
	err := inParallel(ctx, controlPlanes, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.balancers.ConfigureLoadBalancer, balancer.LoadBalancerInput{
			NodeInput: k.on(ctx, node), ControlPlanes: controlPlanes, VirtualIP: k.made.VirtualIP,
			WasBroken: k.wasBroken(node),
		})
		return err
	})
	if err != nil {
		return err
	}
	_, err = call(onNode(ctx), act.balancers.WaitForVirtualIP, balancer.VirtualIPInput{
		ClusterInput: k.through(ctx, k.withoutBroken(controlPlanes)), VirtualIP: k.made.VirtualIP,
	})
	return err
}

func (k *kubeadmWork) initControlPlane(ctx workflow.Context) error {
	_, err := call(onNode(ctx), act.cluster.InitControlPlane, kubecluster.InitControlPlaneInput{
		NodeInput: k.on(ctx, k.controlPlanes()[0]), ControlPlanes: k.controlPlanes(),
		VirtualIP: k.made.VirtualIP, PublicAddress: k.made.PublicAddress, NodeCount: len(k.made.Nodes),
	})
	return err
}

func (k *kubeadmWork) applyPodNetwork(ctx workflow.Context) error {
	_, err := call(onNode(ctx), act.cluster.ApplyPodNetwork, k.onCluster(ctx))
	return err
}

// joinNodes joins all nodes to the first control plane.
func (k *kubeadmWork) joinNodes(ctx workflow.Context) error {
	return k.join(ctx, k.controlPlanes()[1:], k.made.Nodes.With(lcm.Worker))
}

// join joins all workers at once, while control planes join one by one. etcd must have quorum before it takes the next
// member. A worker needs only the API, which answers already.
//
// The step makes the token and deletes it at its end, also when it fails. A retry days later gets a fresh token.
func (k *kubeadmWork) join(ctx workflow.Context, controlPlanes, workers lcm.Nodes) error {
	if len(controlPlanes)+len(workers) == 0 {
		return nil
	}
	join, err := call(onNode(ctx), act.cluster.MintJoin, kubecluster.MintJoinInput{
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
		_, err = call(onNode(ctx), act.cluster.RevokeJoin, k.onCluster(ctx))
		return err
	}
	free, _ := workflow.NewDisconnectedContext(ctx) // also when the step was cancelled
	if _, err := call(once(free), act.cluster.RevokeJoin, k.onCluster(ctx)); err != nil {
		workflow.GetLogger(ctx).Warn("Join token not deleted; it ends by itself.", "error", err)
	}
	return failure
}

func (k *kubeadmWork) joinControlPlanes(ctx workflow.Context, list lcm.Nodes, join kubecluster.JoinRefs) error {
	return inTurn(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.cluster.JoinControlPlane, kubecluster.JoinControlPlaneInput{
			NodeInput: k.on(ctx, node), ControlPlanes: k.controlPlanes(), VirtualIP: k.made.VirtualIP, Join: join,
		})
		return err
	})
}

func (k *kubeadmWork) joinWorkers(ctx workflow.Context, list lcm.Nodes, join kubecluster.JoinRefs) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.cluster.JoinWorker, kubecluster.JoinWorkerInput{
			NodeInput: k.on(ctx, node), VirtualIP: k.made.VirtualIP, ControlPlane: k.controlPlanes()[0].Address, Join: join,
		})
		return err
	})
}
