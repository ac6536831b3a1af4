package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// exposureWork exposes the Services of a containerised VNF on the load balancer before its cluster.
type exposureWork struct{ *vnf }

func (e *exposureWork) table() table {
	return table{
		"expose-services": {do: e.expose, undo: e.hide},
		"hide-services":   {do: e.hide},
	}
}

func (e *exposureWork) find(ctx workflow.Context) (activities.FindServicesOutput, error) {
	return call(onlyWaits(short(ctx)), infra.FindServices,
		activities.DeploymentInput{Tracked: track(ctx, ""), OpOccID: e.in.OpOccID})
}

func (e *exposureWork) expose(ctx workflow.Context) error {
	found, err := e.find(ctx)
	if err != nil {
		return err
	}
	if err := e.serve(ctx, found, false); err != nil {
		return err
	}
	e.exposed = found.Ports()
	return nil
}

// hide passes over load balancers that do not answer: one that is gone must not hold up what ends.
func (e *exposureWork) hide(ctx workflow.Context) error {
	e.exposed = nil
	found, err := e.find(ctx)
	if err != nil {
		return err
	}
	if err = e.serve(ctx, found, true); err == nil || isCancelled(err) {
		return err
	}
	return inTurn(ctx, found.Balancers, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(soon(ctx), nodes.ExposeServices, activities.ExposeServicesInput{
			NodeInput: e.vnf.on(ctx, node), Services: found.Services, Hide: true, PassOver: true,
		})
		return err
	})
}

// serve has the load balancers serve the Services one after the other: traffic goes on through the others.
func (e *exposureWork) serve(ctx workflow.Context, found activities.FindServicesOutput, hide bool) error {
	return inTurn(ctx, found.Balancers, func(ctx workflow.Context, node lcm.Node) error {
		_, err := call(onNode(ctx), nodes.ExposeServices, activities.ExposeServicesInput{
			NodeInput: e.vnf.on(ctx, node), Services: found.Services, Hide: hide,
		})
		return err
	})
}
