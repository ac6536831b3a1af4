package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// What scaling and healing have in common: a VNF that is there, a plan of what changes, nodes that
// come and nodes that leave.

// decide makes the plan, before anything is touched.
func (b *build) decide(ctx workflow.Context) (err error) {
	in := activities.PlanInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID}
	if !b.what.Cluster || b.what.Whole { // made anew whatever it is like
		b.change, err = call(short(ctx), opOccs.PlanOperation, in)
		return err
	}
	health, err := call(onlyWaits(onNode(ctx)), cluster.ClusterHealth, b.through(ctx, b.what.Nodes.With(lcm.ControlPlane)))
	if err != nil {
		return err
	}
	in.Unhealthy = append(health.Unhealthy(), health.Absent(b.what.Nodes)...)
	for _, node := range in.Unhealthy {
		b.sick = append(b.sick, node.Node)
	}
	if b.change, err = call(short(ctx), opOccs.PlanOperation, in); err != nil {
		return err
	}
	if !b.what.ControlPlanes {
		return b.checkVolumes(ctx)
	}
	if why := health.Refusal(b.leaving().With(lcm.ControlPlane)); why != "" {
		return lcm.Errorf(lcm.KindConflict, "%s", why)
	}
	if why := health.Obstacle(b.leaving()); why != "" && b.welcomesControlPlanes() {
		return lcm.Errorf(lcm.KindConflict, "%s", why)
	}
	return b.checkVolumes(ctx)
}

// welcomesControlPlanes tells whether control planes will join: in every healing of some, and where there are to be more.
func (b *build) welcomesControlPlanes() bool {
	return b.in.Operation == lcm.OpHeal || b.change.Grows() && len(b.leaving().With(lcm.ControlPlane)) == 0
}

// wasBroken tells whether a node did not work before the operation, which is not about it.
func (b *build) wasBroken(node lcm.Node) bool {
	return slices.Contains(b.sick, node.Name) && !b.leaving().HasServer(node.ServerID)
}

func (b *build) withoutBroken(list lcm.Nodes) lcm.Nodes {
	return slices.DeleteFunc(slices.Clone(list), b.wasBroken)
}

// look reads what the VNF consists of, and the plan.
func (b *build) look(ctx workflow.Context) error {
	if err := b.decided(ctx); err != nil {
		return err
	}
	return b.findNodes(ctx)
}

// decided reads the plan when another run of the workflow has made it.
func (b *build) decided(ctx workflow.Context) (err error) {
	if b.change.Operation == "" {
		b.change, err = call(short(ctx), opOccs.PlanOperation, activities.PlanInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	}
	return err
}

// known looks, unless that has been done: a rollback may begin in a new run of the workflow.
func (b *build) known(ctx workflow.Context) error {
	if b.made.StackID != "" {
		return nil
	}
	return b.look(ctx)
}

// lookBack sees what a change that is given up has left. A VNF that is made anew as a whole stays recorded as it was: only
// making it anew again helps, which makes other servers than those that are there now.
func (b *build) lookBack(ctx workflow.Context) error {
	if b.what.Whole {
		if len(b.made.Vnfcs) == 0 {
			return nil
		}
		in := activities.ForgetNodesInput{Tracked: track(ctx, ""), VnfInstanceID: b.in.VnfInstanceID, KeepCluster: true}
		for _, v := range b.made.Vnfcs {
			in.ServerIDs = append(in.ServerIDs, v.ServerID)
		}
		_, err := call(glance(ctx), vims.ForgetNodes, in)
		return err
	}
	err := b.findThem(glance(ctx), activities.FindNodesInput{AnyNumber: true, Left: true})
	b.left = err == nil
	return err
}

// leaving are the nodes that go, staying those that were there and stay.
func (b *build) leaving() lcm.Nodes { return b.what.Nodes.On(b.change.LeavingServers()) }
func (b *build) staying() lcm.Nodes { return b.what.Nodes.Without(b.leaving()) }

// changeStack gives the stack the sizes; the servers of leaving go, or are replaced.
func (b *build) changeStack(ctx workflow.Context, sizes activities.Sizes, leaving []string) error {
	_, err := call(polling(ctx), infra.ChangeStack, activities.ChangeStackInput{
		Tracked: track(ctx, ""), OpOccID: b.in.OpOccID, Sizes: sizes, Leaving: leaving, LeavingVolumes: b.change.LeavingVolumes,
		LeavingPorts: b.change.LeavingPorts, Within: b.change.Within,
	})
	return err
}

func (b *build) arrival() table {
	return table{
		"wait-for-new-nodes": {do: b.waitForNodes, undo: b.forgetArrivals},
		"tell-nodes":         {do: b.tellAll, undo: b.tellFormer},
		"balance-new":        {do: b.balanceArrivals, undo: b.balanceFormer},
		"mount-on-new-nodes": {do: b.mountOnArrivals},
		"join-new-nodes":     {do: b.joinArrivals, undo: b.expelArrivals},
		"finish-new-nodes":   {do: b.welcomeNodes},
	}
}

func (b *build) joinArrivals(ctx workflow.Context) error {
	return b.join(ctx, b.fresh().With(lcm.ControlPlane), b.fresh().With(lcm.Worker))
}

// expelArrivals takes out of the cluster what the step has joined. Pods that have come meanwhile move first, but
// cannot hold a rollback up.
func (b *build) expelArrivals(ctx workflow.Context) error {
	if err := b.known(ctx); err != nil {
		return err
	}
	former := b.what.Nodes.With(lcm.ControlPlane)
	err := inParallel(ctx, b.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		in := activities.DrainNodeInput{ClusterInput: b.through(ctx, former), Leaving: node, Force: true}
		in.Tracked = track(ctx, node.Name)
		_, err := call(onlyWaits(onNode(ctx)), cluster.DrainNode, in)
		return err
	})
	if err != nil {
		return err
	}
	return b.expel(ctx, b.fresh(), former)
}

// expel takes nodes out of etcd and out of the cluster, through control planes that stay.
func (b *build) expel(ctx workflow.Context, list, through lcm.Nodes) error {
	if gone := list.With(lcm.ControlPlane); len(gone) > 0 {
		_, err := call(onNode(ctx), cluster.RemoveMember, activities.RemoveMemberInput{ClusterInput: b.through(ctx, through), Leaving: gone})
		if err != nil {
			return err
		}
	}
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		in := activities.NodeOfClusterInput{ClusterInput: b.through(ctx, through), Leaving: node}
		in.Tracked = track(ctx, node.Name)
		_, err := call(onNode(ctx), cluster.DeleteNode, in)
		return err
	})
}

func (b *build) forgetArrivals(ctx workflow.Context) error {
	if err := b.known(ctx); err != nil {
		return err
	}
	return b.forget(ctx, b.fresh())
}

func (b *build) forgetLeaving(ctx workflow.Context) error {
	return b.forget(ctx, append(b.leaving(), b.leavingStorage()...))
}

// forget drops the host keys of nodes that are gone.
func (b *build) forget(ctx workflow.Context, list lcm.Nodes) error {
	in := activities.ForgetNodesInput{Tracked: track(ctx, ""), VnfInstanceID: b.in.VnfInstanceID, KeepCluster: true}
	for _, node := range list {
		in.ServerIDs = append(in.ServerIDs, node.ServerID)
	}
	_, err := call(short(ctx), vims.ForgetNodes, in)
	return err
}

// tellAll lets the nodes that stay know the new ones, which know all from their preparation.
func (b *build) tellAll(ctx workflow.Context) error {
	return b.tell(ctx, b.staying(), b.made.Nodes)
}

// tellRemaining lets all nodes forget those that have left: also the new ones, which have known them.
func (b *build) tellRemaining(ctx workflow.Context) error {
	remaining := b.made.Nodes.Without(b.leaving())
	return b.tell(ctx, remaining, remaining)
}

func (b *build) tellFormer(ctx workflow.Context) error {
	return b.tell(ctx, b.what.Nodes, b.what.Nodes)
}

func (b *build) tell(ctx workflow.Context, whom, of lcm.Nodes) error {
	hosts := activities.HostEntries(of)
	return inParallel(ctx, whom, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.TellHosts, activities.TellHostsInput{
			NodeInput: b.on(ctx, node), Hosts: hosts, WasBroken: b.wasBroken(node),
		})
		return err
	})
}

// balanceArrivals has nothing to do when control planes only leave, and workers arrive.
func (b *build) balanceArrivals(ctx workflow.Context) error {
	if len(b.fresh().With(lcm.ControlPlane)) == 0 {
		return nil
	}
	return b.rebalance(ctx, b.controlPlanes(), b.staying().With(lcm.ControlPlane))
}

func (b *build) balanceFormer(ctx workflow.Context) error {
	if err := b.known(ctx); err != nil {
		return err
	}
	fresh := b.fresh().With(lcm.ControlPlane)
	if len(fresh) == 0 {
		return nil
	}
	return b.handOver(ctx, fresh, b.what.Nodes.With(lcm.ControlPlane))
}

func (b *build) departure() table {
	return table{
		"drain-leaving":         {do: b.drain, undo: b.uncordon},
		"retire-control-planes": {do: b.retire, undo: b.reinstate},
	}
}

func (b *build) drain(ctx workflow.Context) error {
	return inParallel(ctx, b.leaving(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), cluster.DrainNode, activities.DrainNodeInput{ClusterInput: b.sparing(ctx, node), Leaving: node})
		return err
	})
}

func (b *build) uncordon(ctx workflow.Context) error {
	if err := b.known(ctx); err != nil {
		return err
	}
	return inParallel(ctx, b.leaving(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.UncordonNode, activities.NodeOfClusterInput{ClusterInput: b.sparing(ctx, node), Leaving: node})
		return err
	})
}

// sparing asks control planes that stay first, and records progress under the node that leaves.
func (b *build) sparing(ctx workflow.Context, node lcm.Node) activities.ClusterInput {
	in := b.through(ctx, append(b.staying().With(lcm.ControlPlane), b.leaving().With(lcm.ControlPlane).Without(lcm.Nodes{node})...))
	in.Tracked = track(ctx, node.Name)
	return in
}

// retire takes control planes out of the load balancers and out of etcd, one after the other, through those that stay.
func (b *build) retire(ctx workflow.Context) error {
	gone, stay := b.leaving().With(lcm.ControlPlane), b.staying().With(lcm.ControlPlane)
	if len(gone) == 0 {
		return nil
	}
	if b.what.HighlyAvailable {
		if err := b.handOver(ctx, gone, stay); err != nil {
			return err
		}
	}
	_, err := call(onNode(ctx), cluster.RemoveMember, activities.RemoveMemberInput{ClusterInput: b.through(ctx, stay), Leaving: gone})
	if err != nil {
		return err
	}
	return inParallel(ctx, gone, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.RetireNode, b.on(ctx, node))
		return err
	})
}

// handOver leaves the virtual IP and the load to the control planes that stay, while the others still work.
func (b *build) handOver(ctx workflow.Context, gone, stay lcm.Nodes) error {
	err := inParallel(ctx, gone, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), cluster.ReleaseVirtualIP, b.on(ctx, node))
		return err
	})
	if err != nil {
		return err
	}
	return b.rebalance(ctx, stay, stay)
}

// reinstate makes the control planes members again, as if they were new.
func (b *build) reinstate(ctx workflow.Context) error {
	if err := b.known(ctx); err != nil {
		return err
	}
	if err := b.join(ctx, b.leaving().With(lcm.ControlPlane), nil); err != nil {
		return err
	}
	if !b.what.HighlyAvailable {
		return nil
	}
	return b.rebalance(ctx, b.what.Nodes.With(lcm.ControlPlane), b.staying().With(lcm.ControlPlane))
}
