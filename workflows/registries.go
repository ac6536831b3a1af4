package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (b *build) registries() table {
	return table{"connect-registries": {do: b.connectFresh}}
}

func (b *build) connectFresh(ctx workflow.Context) error {
	return b.connectRegistries(ctx, b.fresh())
}

func (b *build) reachAll(ctx workflow.Context) error {
	return inParallel(ctx, b.what.Nodes, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(soon(ctx)), nodes.ReachNode, b.on(ctx, node))
		return err
	})
}

func (b *build) reconnectAll(ctx workflow.Context) error {
	return b.connectRegistries(ctx, b.what.Nodes)
}

// reconnectFormer passes over a node that cannot be reached for about a minute: whoever rolls back because a node has died
// must be able to, for only then the node can be healed.
func (b *build) reconnectFormer(ctx workflow.Context) error {
	return inParallel(ctx, b.what.Nodes, func(ctx workflow.Context, node lcm.Node) error {
		in := activities.ConnectRegistriesInput{NodeInput: b.on(ctx, node), Former: true}
		_, err := call(soon(ctx), nodes.ConnectRegistries, in)
		if err == nil || isCancelled(err) {
			return err
		}
		in.PassOver = true
		_, err = call(soon(ctx), nodes.ConnectRegistries, in)
		return err
	})
}

func (b *build) connectRegistries(ctx workflow.Context, list lcm.Nodes) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.ConnectRegistries, activities.ConnectRegistriesInput{NodeInput: b.on(ctx, node)})
		return err
	})
}
