package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// rebalance lets these control planes, and no others, share the virtual IP and the load of a cluster in use. It changes
// one node at a time, and verifies it before the next. So the API at the virtual IP never goes away. serving are the
// control planes that balance already.
func (k *kubeadmWork) rebalance(ctx workflow.Context, controlPlanes, serving lcm.Nodes) error {
	found, err := call(onNode(ctx), act.balancers.LocateVirtualIP, k.virtualIP(ctx, serving))
	if err != nil {
		return err
	}
	return inTurn(ctx, turns(controlPlanes, serving, found.Holder), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.balancers.ConfigureLoadBalancer, balancer.LoadBalancerInput{
			NodeInput: k.on(ctx, node), ControlPlanes: controlPlanes, VirtualIP: k.made.VirtualIP, Serving: true,
			WasBroken: k.wasBroken(node),
		})
		if err != nil {
			return err
		}
		if !serving.HasServer(node.ServerID) {
			serving = append(slices.Clip(serving), node)
		}
		_, err = call(onNode(ctx), act.balancers.WaitForVirtualIP, k.virtualIP(ctx, serving))
		return err
	})
}

func (k *kubeadmWork) virtualIP(ctx workflow.Context, controlPlanes lcm.Nodes) balancer.VirtualIPInput {
	return balancer.VirtualIPInput{
		ClusterInput: k.through(ctx, k.withoutBroken(controlPlanes)),
		VirtualIP:    k.made.VirtualIP,
	}
}

// turns is the order of changes: first the serving nodes without the virtual IP, then its holder, then the new nodes.
// The holder does not know new nodes yet. A new node that came earlier would not hear the holder, and would take the
// address too.
func turns(controlPlanes, serving lcm.Nodes, holder string) lcm.Nodes {
	var first, last lcm.Nodes
	for _, node := range controlPlanes.On(serving.Servers()) {
		if node.Name == holder {
			last = append(last, node)
			continue
		}
		first = append(first, node)
	}
	return append(append(first, last...), controlPlanes.Without(serving)...)
}
