package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Control planes come or go in a cluster that kubespray has installed. Each of them is a member of etcd.

func (k *kubesprayWork) ofControlPlanes() table {
	return table{
		kubespray.StepPlayRecover:          {do: k.playRecover, undo: k.expelFresh},
		kubespray.StepPlayClusterAgain:     {do: k.playClusterAgain},
		kubespray.StepSendLeavingLast:      {do: k.sendLeavingLast, undo: k.sendFormer},
		kubespray.StepPlayClusterRemaining: {do: k.playClusterRemaining},
		kubespray.StepRemoveNodesOnly:      {do: k.removeNodesOnly},
		kubespray.StepReplaceNodesOnly:     {do: k.replaceNodesOnly},
		kubespray.StepRegisterAgain:        {do: k.registerAgain},
		kubespray.StepRegisterRemaining:    {do: k.registerRemaining},
	}
}

// broken are control planes without their servers: the ones that a heal replaces.
func (k *kubesprayWork) broken() lcm.Nodes {
	if !k.heals() {
		return nil
	}
	return k.leaving().With(lcm.ControlPlane)
}

// oldFirst lists nodes that stay before others: kubespray asks the first control plane about the cluster.
func (k *kubesprayWork) oldFirst(list lcm.Nodes) lcm.Nodes {
	others := list.Without(k.staying())
	return append(list.Without(others), others...)
}

// sendNew sends the inventory with new nodes, and with the control planes that they replace.
func (k *kubesprayWork) sendNew(ctx workflow.Context) error {
	in := k.onAnsible(ctx, k.made.Nodes)
	if k.what.ControlPlanes {
		in.Nodes, in.Recovers = k.oldFirst(k.made.Nodes), true
		in.Broken, in.Successors = k.broken(), k.fresh().With(lcm.ControlPlane)
	}
	return k.sendIn(ctx, in)
}

// playRecover lets the new control planes join, and the dead ones be forgotten. etcd takes one member at a time, and
// kubespray's own retries are too few for that.
func (k *kubesprayWork) playRecover(ctx workflow.Context) error {
	if err := k.pointToStaying(ctx); err != nil {
		return err
	}
	_, err := call(untilDone(ctx), act.ansible.RunPlaybook, pkgplaybook.RunPlaybookInput{
		Tracked: track(ctx, ""), OpOccID: k.in.OpOccID, Playbook: "recover-control-plane",
		Nodes: slices.Concat(k.made.Nodes, k.broken()), Limit: []string{"etcd", "kube_control_plane"},
		Variables: []string{"etcd_retries=10"},
	})
	return err
}

// pointsToStaying guards a step's part that earlier releases did not have.
const pointsToStaying = "point-kubespray-to-control-planes-that-stay"

// pointToStaying has the control planes that stay ask themselves: kubeadm has told all of them to ask the first one, which
// may leave. A new server may have the address of the one that it replaces, but does not answer yet.
func (k *kubesprayWork) pointToStaying(ctx workflow.Context) error {
	gone := k.leaving().With(lcm.ControlPlane)
	if len(gone) == 0 || workflow.GetVersion(ctx, pointsToStaying, workflow.DefaultVersion, 1) < 1 {
		return nil
	}
	for _, node := range k.withoutBroken(k.staying().With(lcm.ControlPlane)) {
		in := pkgplaybook.PointToSelfInput{NodeInput: k.on(ctx, node), Gone: gone}
		in.Tracked = track(ctx, "")
		if _, err := call(onNode(ctx), act.ansible.PointToSelf, in); err != nil {
			return err
		}
	}
	return nil
}

// playClusterAgain tells workers where the API servers are now. No control plane is broken any more.
func (k *kubesprayWork) playClusterAgain(ctx workflow.Context) error {
	if err := k.send(ctx, k.oldFirst(k.made.Nodes)); err != nil {
		return err
	}
	return k.playCluster(ctx)
}

// sendLeavingLast puts leaving control planes last in the inventory: kubespray does not remove the first one.
func (k *kubesprayWork) sendLeavingLast(ctx workflow.Context) error {
	return k.send(ctx, k.oldFirst(k.current()))
}

// removeInTurn takes control planes out one by one: etcd removes one member at a time.
func (k *kubesprayWork) removeInTurn(ctx workflow.Context) error {
	gone := k.leaving()
	if k.heals() {
		return k.removeNodesBy(ctx, k.current(), gone.With(lcm.Worker))
	}
	return k.removeEach(ctx, k.current(), gone)
}

func (k *kubesprayWork) removeEach(ctx workflow.Context, all, gone lcm.Nodes) error {
	for _, node := range gone.With(lcm.ControlPlane) {
		if err := k.removeNodesBy(ctx, all, lcm.Nodes{node}); err != nil {
			return err
		}
	}
	return k.removeNodesBy(ctx, all, gone.With(lcm.Worker))
}

func (k *kubesprayWork) playClusterRemaining(ctx workflow.Context) error {
	if err := k.pointToStaying(ctx); err != nil {
		return err
	}
	return k.play(ctx, "cluster", k.current().Without(k.leaving()), nil)
}

func (k *kubesprayWork) removeNodesOnly(ctx workflow.Context) error {
	if err := k.deleteLeaving(ctx); err != nil {
		return err
	}
	return k.removeServers(ctx)
}

func (k *kubesprayWork) replaceNodesOnly(ctx workflow.Context) error {
	if err := k.deleteLeaving(ctx); err != nil {
		return err
	}
	return k.replaceServers(ctx)
}

// deleteLeaving deletes the leaving nodes from Kubernetes after their members of etcd, if any, are gone. For nodes that
// a heal replaces, kubespray removes the members first, then the nodes.
func (k *kubesprayWork) deleteLeaving(ctx workflow.Context) error {
	return k.deleteNodes(ctx, k.leaving().Without(k.broken()), k.staying().With(lcm.ControlPlane))
}

// registerAgain is for a cluster without a load balancer, which is registered with the address of a control plane.
func (k *kubesprayWork) registerAgain(ctx workflow.Context) error {
	if err := k.createAccount(ctx); err != nil {
		return err
	}
	return k.registerVim(ctx)
}

// registerRemaining registers such a cluster, when it is scaled in, with an address that stays.
func (k *kubesprayWork) registerRemaining(ctx workflow.Context) (err error) {
	k.account, err = call(onNode(ctx), act.cluster.CreateVimAccount, kubecluster.VimAccountInput{
		ClusterInput: k.through(ctx, k.staying().With(lcm.ControlPlane)),
	})
	if err != nil {
		return err
	}
	return k.registerVim(ctx)
}
