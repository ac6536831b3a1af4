package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Control planes that come or go in a cluster that kubespray has installed, each of which is a member of etcd.

func (k *kubesprayWork) ofControlPlanes() table {
	return table{
		"play-recover":           {do: k.playRecover, undo: k.expelFresh},
		"play-cluster-again":     {do: k.playClusterAgain},
		"send-leaving-last":      {do: k.sendLeavingLast, undo: k.sendFormer},
		"play-cluster-remaining": {do: k.playClusterRemaining},
		"remove-nodes-only":      {do: k.removeNodesOnly},
		"replace-nodes-only":     {do: k.replaceNodesOnly},
		"register-again":         {do: k.registerAgain},
		"register-remaining":     {do: k.registerRemaining},
	}
}

// broken are control planes whose servers are gone: those that a heal replaces.
func (k *kubesprayWork) broken() lcm.Nodes {
	if k.in.Operation != lcm.OpHeal {
		return nil
	}
	return k.leaving().With(lcm.ControlPlane)
}

// oldFirst lists nodes that stay before others: kubespray asks the first control plane for what the cluster is.
func (k *kubesprayWork) oldFirst(list lcm.Nodes) lcm.Nodes {
	others := list.Without(k.staying())
	return append(list.Without(others), others...)
}

// sendNew sends the inventory with new nodes, and with control planes that they replace.
func (k *kubesprayWork) sendNew(ctx workflow.Context) error {
	in := k.onAnsible(ctx, k.made.Nodes)
	if k.what.ControlPlanes {
		in.Nodes, in.Recovers = k.oldFirst(k.made.Nodes), true
		in.Broken, in.Successors = k.broken(), k.fresh().With(lcm.ControlPlane)
	}
	return k.sendIn(ctx, in)
}

// playRecover has the new control planes join, and those forgotten that are gone. etcd takes one member at a time, and
// kubespray's own patience with it is for none.
func (k *kubesprayWork) playRecover(ctx workflow.Context) error {
	_, err := call(untilDone(ctx), ansible.RunPlaybook, activities.RunPlaybookInput{
		Tracked: track(ctx, ""), OpOccID: k.in.OpOccID, Playbook: "recover-control-plane",
		Nodes: slices.Concat(k.made.Nodes, k.broken()), Limit: []string{"etcd", "kube_control_plane"},
		Variables: []string{"etcd_retries=10"},
	})
	return err
}

// playClusterAgain lets workers know where API servers are now. Nobody is broken any more.
func (k *kubesprayWork) playClusterAgain(ctx workflow.Context) error {
	if err := k.send(ctx, k.oldFirst(k.made.Nodes)); err != nil {
		return err
	}
	return k.playCluster(ctx)
}

// sendLeavingLast is for kubespray, which does not remove the first of its control planes.
func (k *kubesprayWork) sendLeavingLast(ctx workflow.Context) error {
	return k.send(ctx, k.oldFirst(k.current()))
}

// removeInTurn takes control planes out one by one: etcd lets go of one member at a time.
func (k *kubesprayWork) removeInTurn(ctx workflow.Context) error {
	gone := k.leaving()
	if k.in.Operation == lcm.OpHeal {
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

// deleteLeaving deletes the nodes from Kubernetes whose members of etcd, if they had any, are gone: kubespray forgets
// those that a heal replaces first as members, then as nodes.
func (k *kubesprayWork) deleteLeaving(ctx workflow.Context) error {
	return k.deleteNodes(ctx, k.leaving().Without(k.broken()), k.staying().With(lcm.ControlPlane))
}

// registerAgain is for a cluster without a load balancer, which is known by the address of a control plane.
func (k *kubesprayWork) registerAgain(ctx workflow.Context) error {
	if err := k.createAccount(ctx); err != nil {
		return err
	}
	return k.registerVim(ctx)
}

// registerRemaining is for such a cluster that is scaled in, so that it is known by no address that goes.
func (k *kubesprayWork) registerRemaining(ctx workflow.Context) (err error) {
	k.account, err = call(onNode(ctx), cluster.CreateVimAccount, activities.VimAccountInput{
		ClusterInput: k.through(ctx, k.staying().With(lcm.ControlPlane)),
	})
	if err != nil {
		return err
	}
	return k.registerVim(ctx)
}
