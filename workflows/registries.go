package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (c *clusterWork) registries() table {
	return table{
		cluster.StepReachNodes:          {do: c.reachAll},
		cluster.StepReconnectRegistries: {do: c.connectAll, undo: c.connectFormer},
	}
}

func (c *clusterWork) connectFresh(ctx workflow.Context) error {
	return c.connectRegistries(ctx, c.fresh())
}

func (c *clusterWork) reachAll(ctx workflow.Context) error {
	return inParallel(ctx, c.what.Nodes, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(soon(ctx)), act.nodes.ReachNode, c.on(ctx, node))
		return err
	})
}

func (c *clusterWork) connectAll(ctx workflow.Context) error {
	return c.connectRegistries(ctx, c.what.Nodes)
}

// connectFormer passes over a node that it cannot reach for about a minute. A client may roll back because a node has
// died: only after the rollback can it heal that node.
func (c *clusterWork) connectFormer(ctx workflow.Context) error {
	return inParallel(ctx, c.what.Nodes, func(ctx workflow.Context, node lcm.Node) error {
		in := kubenode.ConnectRegistriesInput{NodeInput: c.on(ctx, node), Former: true}
		_, err := call(soon(ctx), act.nodes.ConnectRegistries, in)
		if err == nil || isCancelled(err) {
			return err
		}
		in.PassOver = true
		_, err = call(soon(ctx), act.nodes.ConnectRegistries, in)
		return err
	})
}

func (c *clusterWork) connectRegistries(ctx workflow.Context, list lcm.Nodes) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.nodes.ConnectRegistries, kubenode.ConnectRegistriesInput{NodeInput: c.on(ctx, node)})
		return err
	})
}
