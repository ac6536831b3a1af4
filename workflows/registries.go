package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (k *kubeadmWork) registries() table {
	return table{
		"connect-registries":   {do: k.connectFresh},
		"reach-nodes":          {do: k.reachAll},
		"reconnect-registries": {do: k.connectAll, undo: k.connectFormer},
	}
}

func (k *kubeadmWork) connectFresh(ctx workflow.Context) error {
	return k.connectRegistries(ctx, k.fresh())
}

func (k *kubeadmWork) reachAll(ctx workflow.Context) error {
	return inParallel(ctx, k.what.Nodes, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(soon(ctx)), nodes.ReachNode, k.on(ctx, node))
		return err
	})
}

func (k *kubeadmWork) connectAll(ctx workflow.Context) error {
	return k.connectRegistries(ctx, k.what.Nodes)
}

// connectFormer passes over a node that cannot be reached for about a minute: whoever rolls back because a node has
// died must be able to, for only then the node can be healed.
func (k *kubeadmWork) connectFormer(ctx workflow.Context) error {
	return inParallel(ctx, k.what.Nodes, func(ctx workflow.Context, node lcm.Node) error {
		in := activities.ConnectRegistriesInput{NodeInput: k.on(ctx, node), Former: true}
		_, err := call(soon(ctx), nodes.ConnectRegistries, in)
		if err == nil || isCancelled(err) {
			return err
		}
		in.PassOver = true
		_, err = call(soon(ctx), nodes.ConnectRegistries, in)
		return err
	})
}

func (k *kubeadmWork) connectRegistries(ctx workflow.Context, list lcm.Nodes) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.ConnectRegistries, activities.ConnectRegistriesInput{NodeInput: k.on(ctx, node)})
		return err
	})
}
