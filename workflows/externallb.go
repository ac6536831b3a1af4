package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// What a cluster with an external load balancer has beside others: a server that clients know, and that sends their
// traffic to the nodes.

func (c *clusterWork) balancedExternally() table {
	return table{
		"wait-for-balancer":  {do: c.waitForBalancer},
		"set-up-balancer":    {do: c.setUpBalancer},
		"route-to-new":       {do: c.routeToAll, undo: c.routeToFormer},
		"route-past-leaving": {do: c.routePastLeaving, undo: c.routeToFormer},
	}
}

// onBalancer is the input of an activity on the load balancer.
func (c *clusterWork) onBalancer(ctx workflow.Context) (activities.NodeInput, error) {
	if c.made.Balancer == nil {
		return activities.NodeInput{}, lcm.Errorf(lcm.KindBroken, "The deployment has no external load balancer.")
	}
	return c.on(ctx, *c.made.Balancer), nil
}

func (c *clusterWork) waitForBalancer(ctx workflow.Context) error {
	in, err := c.onBalancer(ctx)
	if err == nil {
		_, err = call(onlyWaits(onNode(ctx)), nodes.WaitForSSH, in)
	}
	return err
}

// setUpBalancer is before nodes join through it, or when the load balancer is another server.
func (c *clusterWork) setUpBalancer(ctx workflow.Context) error {
	return c.route(ctx, c.made.Nodes, len(c.what.Nodes) > 0)
}

func (c *clusterWork) routeToAll(ctx workflow.Context) error { return c.route(ctx, c.made.Nodes, true) }

func (c *clusterWork) routePastLeaving(ctx workflow.Context) error {
	if err := c.known(ctx); err != nil {
		return err
	}
	return c.route(ctx, c.made.Nodes.Without(c.leaving()), true)
}

func (c *clusterWork) routeToFormer(ctx workflow.Context) error {
	if err := c.known(ctx); err != nil {
		return err
	}
	return c.route(ctx, c.what.Nodes, true)
}

// route lets the load balancer send traffic to these nodes, and no others.
func (c *clusterWork) route(ctx workflow.Context, list lcm.Nodes, serving bool) error {
	in, err := c.onBalancer(ctx)
	if err == nil {
		_, err = call(onNode(ctx), nodes.ConfigureExternalLoadBalancer,
			activities.ExternalLoadBalancerInput{NodeInput: in, Nodes: list, Serving: serving})
	}
	return err
}
