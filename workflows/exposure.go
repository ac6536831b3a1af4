package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// exposureWork exposes the Services of a containerised VNF on the load balancer before its cluster.
type exposureWork struct{ *vnf }

func (e *exposureWork) table() table {
	return table{
		nodeport.StepExposeServices: {do: e.expose, undo: e.hide},
		nodeport.StepHideServices:   {do: e.hide},
	}
}

func (e *exposureWork) find(ctx workflow.Context) (balancer.FindServicesOutput, error) {
	return call(onlyWaits(short(ctx)), act.cloudBalancers.FindServices,
		resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: e.in.OpOccID})
}

func (e *exposureWork) expose(ctx workflow.Context) error {
	found, err := e.find(ctx)
	if err != nil {
		return err
	}
	if err := e.serve(onNode(ctx), found, balancer.ExposeServicesInput{}); err != nil {
		return err
	}
	if err := e.serveFormer(ctx, found, balancer.ExposeServicesInput{}); err != nil {
		return err
	}
	e.exposed = found.Ports()
	return nil
}

// hide passes over load balancers that do not answer: a dead load balancer must not hold up the end of the VNF.
func (e *exposureWork) hide(ctx workflow.Context) error {
	e.exposed = nil
	found, err := e.find(ctx)
	if err != nil {
		return err
	}
	err = e.serve(onNode(ctx), found, balancer.ExposeServicesInput{Hide: true})
	if isCancelled(err) {
		return err
	}
	if err != nil {
		if err := e.serve(soon(ctx), found, balancer.ExposeServicesInput{Hide: true, PassOver: true}); err != nil {
			return err
		}
	}
	return e.serveFormer(ctx, found, balancer.ExposeServicesInput{Hide: true})
}

// serve lets the load balancers serve the Services, one after the other. Traffic goes on through the others.
func (e *exposureWork) serve(
	ctx workflow.Context, found balancer.FindServicesOutput, in balancer.ExposeServicesInput,
) error {
	if err := e.each(ctx, found.Balancers, found, in); err != nil {
		return err
	}
	in.OfCluster = true
	return e.each(ctx, found.OfCluster, found, in)
}

// serveFormer is for the request's load balancers that no longer stand before the cluster, as far as they still exist.
func (e *exposureWork) serveFormer(
	ctx workflow.Context, found balancer.FindServicesOutput, in balancer.ExposeServicesInput,
) error {
	in.PassOver, in.Former = true, true
	return e.each(soon(ctx), found.Former, found, in)
}

func (e *exposureWork) each(
	ctx workflow.Context, list lcm.Nodes, found balancer.FindServicesOutput, in balancer.ExposeServicesInput,
) error {
	return inTurn(ctx, list, func(ctx workflow.Context, node lcm.Node) error {
		in := in
		in.NodeInput, in.Services = e.vnf.on(ctx, node), found.Services
		_, err := call(ctx, act.balancers.ExposeServices, in)
		return err
	})
}
