package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// What scaling and healing have in common: a VNF that is there, a plan of what changes, nodes that
// come and nodes that leave.

// decide makes the plan knowing which nodes work, before anything is touched.
func (k *kubeadmWork) decide(ctx workflow.Context) error {
	health, err := call(onlyWaits(onNode(ctx)), cluster.ClusterHealth, k.through(ctx, k.what.Nodes.With(lcm.ControlPlane)))
	if err != nil {
		return err
	}
	in := activities.PlanInput{Tracked: track(ctx, ""), OpOccID: k.in.OpOccID}
	in.Unhealthy = append(health.Unhealthy(), health.Absent(k.what.Nodes)...)
	for _, node := range in.Unhealthy {
		k.sick = append(k.sick, node.Node)
	}
	if k.change, err = call(short(ctx), opOccs.PlanOperation, in); err != nil {
		return err
	}
	if !k.what.ControlPlanes {
		return k.checkVolumes(ctx)
	}
	if why := health.Refusal(k.leaving().With(lcm.ControlPlane)); why != "" {
		return lcm.Errorf(lcm.KindConflict, "%s", why)
	}
	if why := health.Obstacle(k.leaving()); why != "" && k.welcomesControlPlanes() {
		return lcm.Errorf(lcm.KindConflict, "%s", why)
	}
	return k.checkVolumes(ctx)
}

// welcomesControlPlanes tells whether control planes will join: in every healing of some, and where there are to be
// more.
func (k *kubeadmWork) welcomesControlPlanes() bool {
	return k.in.Operation == lcm.OpHeal || k.change.Grows() && len(k.leaving().With(lcm.ControlPlane)) == 0
}

// wasBroken tells whether a node did not work before the operation, which is not about it.
func (k *kubeadmWork) wasBroken(node lcm.Node) bool {
	return slices.Contains(k.sick, node.Name) && !k.leaving().HasServer(node.ServerID)
}

func (k *kubeadmWork) withoutBroken(list lcm.Nodes) lcm.Nodes {
	return slices.DeleteFunc(slices.Clone(list), k.wasBroken)
}

// leaving are the nodes that go, staying those that were there and stay.
func (k *kubeadmWork) leaving() lcm.Nodes { return k.what.Nodes.On(k.change.LeavingServers()) }
func (k *kubeadmWork) staying() lcm.Nodes { return k.what.Nodes.Without(k.leaving()) }

func (k *kubeadmWork) arrival() table {
	return table{
		"wait-for-new-nodes": {do: k.waitForNodes, undo: k.forgetArrivals},
		"tell-nodes":         {do: k.tellAll, undo: k.tellFormer},
		"balance-new":        {do: k.balanceArrivals, undo: k.balanceFormer},
		"mount-on-new-nodes": {do: k.mountOnArrivals},
		"join-new-nodes":     {do: k.joinArrivals, undo: k.expelArrivals},
		"finish-new-nodes":   {do: k.welcomeNodes},
	}
}

func (k *kubeadmWork) joinArrivals(ctx workflow.Context) error {
	return k.join(ctx, k.fresh().With(lcm.ControlPlane), k.fresh().With(lcm.Worker))
}

// expelArrivals takes out of the cluster what the step has joined. Pods that have come meanwhile move first, but
// cannot hold a rollback up.
func (k *kubeadmWork) expelArrivals(ctx workflow.Context) error {
	if err := k.known(ctx); err != nil {
		return err
	}
	former := k.what.Nodes.With(lcm.ControlPlane)
	err := inParallel(ctx, k.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		in := activities.DrainNodeInput{ClusterInput: k.through(ctx, former), Leaving: node, Force: true}
		in.Tracked = track(ctx, node.Name)
		_, err := call(onlyWaits(onNode(ctx)), cluster.DrainNode, in)
		return err
	})
	if err != nil {
		return err
	}
	return k.expel(ctx, k.fresh(), former)
}

// expel takes nodes out of etcd and out of the cluster, through control planes that stay.
func (k *kubeadmWork) expel(ctx workflow.Context, list, through lcm.Nodes) error {
	if gone := list.With(lcm.ControlPlane); len(gone) > 0 {
		_, err := call(onNode(ctx), cluster.RemoveMember,
			activities.RemoveMemberInput{ClusterInput: k.through(ctx, through), Leaving: gone})
		if err != nil {
			return err
		}
	}
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		in := activities.NodeOfClusterInput{ClusterInput: k.through(ctx, through), Leaving: node}
		in.Tracked = track(ctx, node.Name)
		_, err := call(onNode(ctx), cluster.DeleteNode, in)
		return err
	})
}

func (k *kubeadmWork) forgetArrivals(ctx workflow.Context) error {
	if err := k.known(ctx); err != nil {
		return err
	}
	return k.forget(ctx, k.fresh())
}

func (k *kubeadmWork) forgetLeaving(ctx workflow.Context) error {
	return k.forget(ctx, append(k.leaving(), k.leavingStorage()...))
}

// forget drops the host keys of nodes that are gone.
func (k *kubeadmWork) forget(ctx workflow.Context, list lcm.Nodes) error {
	in := activities.ForgetNodesInput{Tracked: track(ctx, ""), VnfInstanceID: k.in.VnfInstanceID, KeepCluster: true}
	for _, node := range list {
		in.ServerIDs = append(in.ServerIDs, node.ServerID)
	}
	_, err := call(short(ctx), vims.ForgetNodes, in)
	return err
}

// tellAll lets the nodes that stay know the new ones, which know all from their preparation.
func (k *kubeadmWork) tellAll(ctx workflow.Context) error {
	return k.tell(ctx, k.staying(), k.made.Nodes)
}

// tellRemaining lets all nodes forget those that have left: also the new ones, which have known them.
func (k *kubeadmWork) tellRemaining(ctx workflow.Context) error {
	remaining := k.made.Nodes.Without(k.leaving())
	return k.tell(ctx, remaining, remaining)
}

func (k *kubeadmWork) tellFormer(ctx workflow.Context) error {
	return k.tell(ctx, k.what.Nodes, k.what.Nodes)
}

func (k *kubeadmWork) tell(ctx workflow.Context, whom, of lcm.Nodes) error {
	hosts := activities.HostEntries(of)
	return inParallel(ctx, whom, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.TellHosts, activities.TellHostsInput{
			NodeInput: k.on(ctx, node), Hosts: hosts, WasBroken: k.wasBroken(node),
		})
		return err
	})
}

// balanceArrivals has nothing to do when control planes only leave, and workers arrive.
func (k *kubeadmWork) balanceArrivals(ctx workflow.Context) error {
	if len(k.fresh().With(lcm.ControlPlane)) == 0 {
		return nil
	}
	return k.rebalance(ctx, k.controlPlanes(), k.staying().With(lcm.ControlPlane))
}

func (k *kubeadmWork) balanceFormer(ctx workflow.Context) error {
	if err := k.known(ctx); err != nil {
		return err
	}
	fresh := k.fresh().With(lcm.ControlPlane)
	if len(fresh) == 0 {
		return nil
	}
	return k.handOver(ctx, fresh, k.what.Nodes.With(lcm.ControlPlane))
}

func (k *kubeadmWork) departure() table {
	return table{
		"drain-leaving":         {do: k.drain, undo: k.uncordon},
		"retire-control-planes": {do: k.retire, undo: k.reinstate},
	}
}

func (k *kubeadmWork) drain(ctx workflow.Context) error {
	return inParallel(ctx, k.leaving(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), cluster.DrainNode,
			activities.DrainNodeInput{ClusterInput: k.sparing(ctx, node), Leaving: node})
		return err
	})
}

func (k *kubeadmWork) uncordon(ctx workflow.Context) error {
	if err := k.known(ctx); err != nil {
		return err
	}
	return inParallel(ctx, k.leaving(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.UncordonNode,
			activities.NodeOfClusterInput{ClusterInput: k.sparing(ctx, node), Leaving: node})
		return err
	})
}

// sparing asks control planes that stay first, and records progress under the node that leaves.
func (k *kubeadmWork) sparing(ctx workflow.Context, node lcm.Node) activities.ClusterInput {
	in := k.through(ctx, append(k.staying().With(lcm.ControlPlane),
		k.leaving().With(lcm.ControlPlane).Without(lcm.Nodes{node})...))
	in.Tracked = track(ctx, node.Name)
	return in
}

// retire takes control planes out of the load balancers and out of etcd, one after the other, through those that stay.
func (k *kubeadmWork) retire(ctx workflow.Context) error {
	gone, stay := k.leaving().With(lcm.ControlPlane), k.staying().With(lcm.ControlPlane)
	if len(gone) == 0 {
		return nil
	}
	if k.what.HighlyAvailable {
		if err := k.handOver(ctx, gone, stay); err != nil {
			return err
		}
	}
	_, err := call(onNode(ctx), cluster.RemoveMember,
		activities.RemoveMemberInput{ClusterInput: k.through(ctx, stay), Leaving: gone})
	if err != nil {
		return err
	}
	return inParallel(ctx, gone, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.RetireNode, k.on(ctx, node))
		return err
	})
}

// handOver leaves the virtual IP and the load to the control planes that stay, while the others still work.
func (k *kubeadmWork) handOver(ctx workflow.Context, gone, stay lcm.Nodes) error {
	err := inParallel(ctx, gone, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.ReleaseVirtualIP, k.on(ctx, node))
		return err
	})
	if err != nil {
		return err
	}
	return k.rebalance(ctx, stay, stay)
}

// reinstate makes the control planes members again, as if they were new.
func (k *kubeadmWork) reinstate(ctx workflow.Context) error {
	if err := k.known(ctx); err != nil {
		return err
	}
	if err := k.join(ctx, k.leaving().With(lcm.ControlPlane), nil); err != nil {
		return err
	}
	if !k.what.HighlyAvailable {
		return nil
	}
	return k.rebalance(ctx, k.what.Nodes.With(lcm.ControlPlane), k.staying().With(lcm.ControlPlane))
}
