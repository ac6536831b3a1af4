package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// A cluster with external load balancers has, besides its nodes, servers or a load balancer of the cloud. Clients know
// their address, and they send the clients' traffic to the nodes.

func (c *clusterWork) balancedExternally() table {
	return table{
		cluster.StepSetUpNewBalancers: {do: c.setUpBalancers, undo: c.balanceByFormer},
		cluster.StepRetireBalancers:   {do: c.retireBalancers, undo: c.balanceByAll},
		cluster.StepRemoveBalancer:    {do: c.removeBalancer},
		cluster.StepRouteToNew:        {do: c.routeToAll, undo: c.routeToFormer},
		cluster.StepRoutePastLeaving:  {do: c.routePastLeaving, undo: c.routeToFormer},
	}
}

// balanced tells whether a load balancer that is no node stands before the cluster.
func (c *clusterWork) balanced() bool { return c.what.Balanced || len(c.made.Balancers) > 0 }

// formerBalancers were there before the operation, and freshBalancers have come with it.
func (c *clusterWork) formerBalancers() lcm.Nodes { return c.made.Balancers.On(c.what.ServerIDs) }

func (c *clusterWork) freshBalancers() lcm.Nodes {
	return c.made.Balancers.Without(c.formerBalancers())
}

func (c *clusterWork) waitForBalancers(ctx workflow.Context) error {
	return inParallel(ctx, c.freshBalancers(), func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onlyWaits(onNode(ctx)), act.nodes.WaitForSSH, c.on(ctx, node))
		return err
	})
}

// setUpBalancers runs before nodes join through the load balancers, or when load balancers change. Load balancers that
// come later send traffic to the present nodes; the steps of new nodes follow.
func (c *clusterWork) setUpBalancers(ctx workflow.Context) error {
	list := c.made.Nodes
	if len(c.what.Nodes) > 0 && !c.heals() {
		list = c.what.Nodes
	}
	return c.route(ctx, list, c.inUse())
}

// inUse tells whether the cluster exists already: then API servers must answer behind a load balancer.
func (c *clusterWork) inUse() bool { return len(c.what.Nodes) > 0 && !c.what.Whole }

// balanceByFormer takes new load balancers out of use, while they still work.
func (c *clusterWork) balanceByFormer(ctx workflow.Context) error {
	if err := c.known(ctx); err != nil {
		return err
	}
	if err := c.release(ctx, c.freshBalancers()); err != nil {
		return err
	}
	return c.routeBy(ctx, c.formerBalancers(), c.what.Nodes, true)
}

// retireBalancers lets another load balancer take the virtual IP over from those that leave. When all leave, none takes
// it over.
func (c *clusterWork) retireBalancers(ctx workflow.Context) error {
	if err := c.known(ctx); err != nil {
		return err
	}
	leaving := c.made.Balancers.On(c.change.LeavingServers())
	staying := c.made.Balancers.Without(leaving)
	if len(staying) == 0 {
		return nil
	}
	if err := c.release(ctx, leaving); err != nil {
		return err
	}
	return c.routeBy(ctx, staying, c.made.Nodes, true)
}

func (c *clusterWork) balanceByAll(ctx workflow.Context) error {
	if err := c.known(ctx); err != nil {
		return err
	}
	return c.routeBy(ctx, c.made.Balancers, c.what.Nodes, true)
}

// release stops keepalived on load balancers, as far as they answer.
func (c *clusterWork) release(ctx workflow.Context, list lcm.Nodes) error {
	return inParallel(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), act.cluster.ReleaseVirtualIP, c.on(ctx, node))
		return err
	})
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

// route lets all load balancers send traffic to these nodes, and no others. Load balancers that leave with the
// operation are retired before.
func (c *clusterWork) route(ctx workflow.Context, list lcm.Nodes, serving bool) error {
	if c.what.CloudBalanced {
		return c.routeByCloud(ctx, list)
	}
	leaving := c.made.Balancers.On(c.change.LeavingServers())
	if staying := c.made.Balancers.Without(leaving); len(staying) > 0 {
		return c.routeBy(ctx, staying, list, serving)
	}
	// A heal may replace a dead load balancer; its successor gets the routes.
	return inTurn(soon(ctx), leaving, func(ctx workflow.Context, node lcm.Node) error {
		return c.balance(ctx, balancer.ExternalLoadBalancerInput{
			NodeInput: c.on(ctx, node), Nodes: list, Serving: serving, Balancers: leaving, PassOver: true,
		})
	})
}

func (c *clusterWork) balance(ctx workflow.Context, in balancer.ExternalLoadBalancerInput) error {
	in.VirtualIP, in.Exposed = c.made.VirtualIP, c.what.Exposed
	_, err := call(ctx, act.balancers.ConfigureExternalLoadBalancer, in)
	return err
}

// routeBy lets these load balancers, and no others, share the virtual IP, and send traffic to these nodes. It sets them
// up one after the other, new ones last. A new load balancer that came earlier would not hear who has the address, and
// would take it too.
func (c *clusterWork) routeBy(ctx workflow.Context, balancers, list lcm.Nodes, serving bool) error {
	if len(balancers) == 0 {
		return lcm.Errorf(lcm.KindBroken, "The deployment has no external load balancer.")
	}
	order := slices.Concat(balancers.On(c.what.ServerIDs), balancers.Without(c.formerBalancers()))
	err := inTurn(ctx, order, func(ctx workflow.Context, node lcm.Node) error {
		return c.balance(onNode(ctx), balancer.ExternalLoadBalancerInput{
			NodeInput: c.on(ctx, node), Nodes: list, Serving: serving, Balancers: balancers,
		})
	})
	if err != nil || len(balancers) == 1 {
		return err
	}
	_, err = call(onNode(ctx), act.balancers.WaitForVirtualIP, balancer.VirtualIPInput{
		ClusterInput: c.through(ctx, balancers), VirtualIP: c.made.VirtualIP,
	})
	return err
}

// forgetAsExposed lets VNFs forget the host keys of the load balancers that expose them, when an operation replaces
// those.
func (c *clusterWork) forgetAsExposed(ctx workflow.Context) error {
	if len(c.freshBalancers()) == 0 {
		return nil
	}
	for _, exposed := range c.what.Exposed {
		in := kubecluster.ForgetNodesInput{Tracked: track(ctx, ""), VnfInstanceID: exposed.Owner, KeepCluster: true}
		for i := range c.made.Balancers {
			in.ServerIDs = append(in.ServerIDs, lcm.BalancerID(i))
		}
		if _, err := call(short(ctx), act.vims.ForgetNodes, in); err != nil {
			return err
		}
	}
	return nil
}

// routeByCloud lets the cloud's load balancer send traffic to these nodes, and no others.
func (c *clusterWork) routeByCloud(ctx workflow.Context, list lcm.Nodes) error {
	_, err := call(polling(ctx), act.cloudBalancers.BalanceByCloud, balancer.CloudBalancerInput{
		Tracked: track(ctx, ""), OpOccID: c.in.OpOccID, Nodes: list,
	})
	return err
}

func (c *clusterWork) removeBalancer(ctx workflow.Context) error {
	_, err := call(
		polling(ctx), act.cloudBalancers.RemoveCloudBalancer,
		resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: c.in.OpOccID},
	)
	return err
}
