package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// A playbook that has failed leaves nodes that kubespray takes for finished when it runs again: it does not join a node
// where kubeadm has begun, and waits for control planes to be Ready before it installs the pod network that they need.
// Such nodes must be reset first.

// resetsRemains guards the search for such nodes, which earlier releases did not make.
const resetsRemains = "reset-remains-of-kubespray"

// resetAll resets all nodes if a run has begun to make one of them. The cluster is not in use yet.
func (k *kubesprayWork) resetAll(ctx workflow.Context, list lcm.Nodes) error {
	half, err := k.halfMade(ctx, list, list.With(lcm.ControlPlane), false)
	if err != nil || len(half) == 0 {
		return err
	}
	return k.play(ctx, "reset", list, nil, "reset_confirmation=yes", "skip_confirmation=yes")
}

// resetWorkers resets new workers that a run has begun to make. The other nodes are in use.
func (k *kubesprayWork) resetWorkers(ctx workflow.Context, fresh lcm.Nodes) error {
	half, err := k.halfMade(ctx, fresh, k.staying().With(lcm.ControlPlane), true)
	if err != nil || len(half) == 0 {
		return err
	}
	return k.play(ctx, "reset", k.made.Nodes, half, "reset_confirmation=yes", "skip_confirmation=yes")
}

// halfMade returns the nodes that a run has begun to make, and that are not Ready. If no API server answers, all of them
// are half made, but not in a cluster that is in use: pods may run on a node that Windlass cannot ask about.
func (k *kubesprayWork) halfMade(
	ctx workflow.Context, list, controlPlanes lcm.Nodes, inUse bool,
) (lcm.Nodes, error) {
	if workflow.GetVersion(ctx, resetsRemains, workflow.DefaultVersion, 1) < 1 {
		return nil, nil
	}
	begun, err := call(onNode(ctx), act.ansible.FindRemains, k.onAnsible(ctx, list))
	if err != nil || len(begun.Nodes) == 0 {
		return nil, err
	}
	const looks, pause = 4, 10 * time.Second // a node needs some time after it has got its pod network
	for look := 1; ; look++ {
		health, err := call(patiently(ctx, longest, 1), act.cluster.ClusterHealth, k.through(ctx, controlPlanes))
		if isCancelled(err) || inUse && err != nil {
			return nil, err
		}
		half := notReady(begun.Nodes, health.Nodes)
		if len(half) == 0 || len(health.Nodes) == 0 || look == looks {
			return half, nil
		}
		if err := workflow.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// notReady returns the nodes that Kubernetes does not know, or that are not Ready.
func notReady(list lcm.Nodes, known []kubecluster.NodeHealth) (out lcm.Nodes) {
	for _, node := range list {
		if !slices.ContainsFunc(known, func(n kubecluster.NodeHealth) bool { return n.Name == node.Name && n.Ready }) {
			out = append(out, node)
		}
	}
	return out
}
