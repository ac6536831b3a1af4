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
	return b.connectRegistries(ctx, b.fresh())
}

// reconnectSteps give all nodes of a cluster that is in use the registries of a modification. A node that is dead is found
// before any is changed: it would hold the step up when the others have the new registries.
func (b *build) reconnectSteps() (list []step) {
	if !b.what.Registries {
		return nil
	}
	if b.what.AskNodes {
		list = append(list, step{title: "See that every node answers", do: b.reachAll})
	}
	return append(list, step{title: "Connect every node to the registries", do: b.reconnectAll, undo: b.reconnectFormer})
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
