package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// connectSteps let new nodes pull from the registries of the request, before kubelet pulls anything. Nothing needs an undo:
// what they make goes with the VMs.
func (b *build) connectSteps(title string) []step {
	if !b.what.Registries {
		return nil
	}
	return []step{{title: title, do: b.connectFresh}}
}

func (b *build) connectFresh(ctx workflow.Context) error {
	return b.connectRegistries(ctx, b.fresh(), false)
}

// reconnectSteps give all nodes of a cluster that is in use the registries of a modification.
func (b *build) reconnectSteps() []step {
	if !b.what.Registries {
		return nil
	}
	return []step{{title: "Connect every node to the registries", do: b.reconnectAll, undo: b.reconnectFormer}}
}

func (b *build) reconnectAll(ctx workflow.Context) error {
	return b.connectRegistries(ctx, b.what.Nodes, false)
}

func (b *build) reconnectFormer(ctx workflow.Context) error {
	return b.connectRegistries(ctx, b.what.Nodes, true)
}

func (b *build) connectRegistries(ctx workflow.Context, list lcm.Nodes, former bool) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.ConnectRegistries, activities.ConnectRegistriesInput{NodeInput: b.on(ctx, node), Former: former})
		return err
	})
}
