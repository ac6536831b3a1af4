package balancer

import (
	"context"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// FindServicesOutput lists the exposed Services, and the load balancers that expose them.
type FindServicesOutput struct {
	Services []lcm.ExposedService `json:"services,omitempty"`
	// Balancers are load balancers as the request names them. OfCluster are load balancers that Windlass knows from the
	// cluster. Former were named at the instantiation, but are not in front of the cluster any more.
	Balancers lcm.Nodes `json:"balancers,omitempty"`
	OfCluster lcm.Nodes `json:"ofCluster,omitempty"`
	Former    lcm.Nodes `json:"former,omitempty"`
}

// Ports returns the ports of all Services, sorted.
func (o FindServicesOutput) Ports() (ports []int) {
	for _, s := range o.Services {
		ports = append(ports, s.NodePorts...)
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// FindServices reads the VNF's Services to expose, and their ports.
// Idempotent: it only reads.
func (i *ByCloud) FindServices(ctx context.Context, in resources.DeploymentInput) (out FindServicesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "find the Services of the VNF", err) }()
	defer activities.Heartbeat(ctx)()
	vnf, err := i.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	exposure := nodeport.In(vnf.Drivers)
	if exposure == nil {
		return out, lcm.Errorf(lcm.KindBug, "Windlass ran a step that exposes Services, but the VNF exposes none.")
	}
	if err := i.findBalancers(ctx, vnf, exposure, &out); err != nil {
		return out, err
	}
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	cluster, err := vim.As[vim.Exposer](deployment.Cloud, "show the ports of Services")
	if err != nil {
		return out, err
	}
	out.Services, err = cluster.NodePorts(ctx, deployment.Name)
	for _, s := range out.Services {
		deployment.Show(fmt.Sprintf("Service %s/%s: %v", s.Namespace, s.Name, s.NodePorts))
	}
	return out, err
}

// findBalancers compares the load balancers in the request with the cluster's present load balancers. A heal may have
// changed an address, and a scaling may have added a load balancer.
func (i *ByCloud) findBalancers(
	ctx context.Context, vnf activities.VnfContext, exposure *nodeport.Exposure, out *FindServicesOutput,
) error {
	named := exposure.Balancers()
	var now lcm.Nodes
	if i.Exposures != nil {
		var err error
		if now, err = i.Exposures.BalancersBefore(ctx, vnf.OpOcc.ID); err != nil {
			return err
		}
	}
	asNamed := vnf.OpOcc.Operation.Makes()
	for _, node := range named {
		switch known := slices.ContainsFunc(now, hasAddress(node.Address)); {
		case len(now) == 0 || asNamed: // so that errors in the request are reported
			out.Balancers = append(out.Balancers, node)
		case !known:
			out.Former = append(out.Former, node)
		}
	}
	for _, node := range now {
		if !asNamed || !names(exposure, node) {
			out.OfCluster = append(out.OfCluster, node)
		}
	}
	return nil
}
