package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Scaling and healing have in common: an existing VNF, a plan of what changes, nodes that come and nodes that leave.

// decide makes the plan before any step touches anything. It first finds out which nodes work.
func (k *kubeadmWork) decide(ctx workflow.Context) error {
	health, err := call(
		onlyWaits(onNode(ctx)), act.cluster.ClusterHealth, k.through(ctx, k.what.Nodes.With(lcm.ControlPlane)),
	)
	if err != nil {
		return err
	}
	in := records.PlanInput{Tracked: track(ctx, ""), OpOccID: k.in.OpOccID}
	in.Unhealthy = append(health.Unhealthy(), health.Absent(k.what.Nodes)...)
	for _, node := range in.Unhealthy {
		k.sick = append(k.sick, node.Node)
	}
	if k.change, err = call(short(ctx), act.opOccs.PlanOperation, in); err != nil {
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

// welcomesControlPlanes tells whether control planes will join. They do when a heal replaces some, or when their number
// grows.
func (k *kubeadmWork) welcomesControlPlanes() bool {
	return k.heals() || k.change.Grows() && len(k.leaving().With(lcm.ControlPlane)) == 0
}

func (k *kubeadmWork) joinArrivals(ctx workflow.Context) error {
	return k.join(ctx, k.fresh().With(lcm.ControlPlane), k.fresh().With(lcm.Worker))
}

// expelArrivals takes the nodes that the step has joined out of the cluster again. It first moves Pods that came
// meanwhile, but these cannot hold up a rollback.
func (k *kubeadmWork) expelArrivals(ctx workflow.Context) error {
	if err := k.known(ctx); err != nil {
		return err
	}
	former := k.what.Nodes.With(lcm.ControlPlane)
	err := inParallel(ctx, k.fresh(), func(ctx workflow.Context, node lcm.Node) error {
		in := kubecluster.DrainNodeInput{ClusterInput: k.through(ctx, former), Leaving: node, Force: true}
		in.Tracked = track(ctx, node.Name)
		_, err := call(onlyWaits(onNode(ctx)), act.cluster.DrainNode, in)
		return err
	})
	if err != nil {
		return err
	}
	return k.expel(ctx, k.fresh(), former)
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

// retire takes control planes out of the load balancers and out of etcd, one after the other. It does so through
// control planes that stay.
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
	_, err := call(onNode(ctx), act.cluster.RemoveMember,
		kubecluster.RemoveMemberInput{ClusterInput: k.through(ctx, stay), Leaving: gone})
	if err != nil {
		return err
	}
	return inParallel(ctx, gone, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.cluster.RetireNode, k.on(ctx, node))
		return err
	})
}

// handOver moves the virtual IP and the load to the control planes that stay, while the leaving ones still work.
func (k *kubeadmWork) handOver(ctx workflow.Context, gone, stay lcm.Nodes) error {
	err := inParallel(ctx, gone, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.cluster.ReleaseVirtualIP, k.on(ctx, node))
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
