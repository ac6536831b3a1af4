package balancer

import (
	"context"
	"fmt"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/locate"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// ByCloud works on load balancers as the VIM knows them: its own, and the Services that they expose.
type ByCloud struct {
	Cloud resources.Cloud
	Vnfs  activities.Vnfs
	// Exposures is nil if no VNF is on a cluster.
	Exposures Exposures
}

// CloudBalancerInput names the nodes that the cloud's load balancer sends traffic to.
type CloudBalancerInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	Nodes   lcm.Nodes   `json:"nodes"`
}

// CloudBalancerOutput is empty: traffic goes to these nodes and no others.
type CloudBalancerOutput struct{}

// BalanceByCloud makes the cloud's load balancer serve a cluster: the API of the control planes, and the ports of
// Services on all nodes.
//
// Idempotent: the load balancer's name is the deployment's name, and correct parts stay as they are. Takes as long as
// the cloud does, so it heartbeats. A cancel only ends the waiting.
func (i *ByCloud) BalanceByCloud(ctx context.Context, in CloudBalancerInput) (out CloudBalancerOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "set up the cloud's load balancer", err) }()
	defer activities.Heartbeat(ctx)()
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	vnf, err := i.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	cluster, err := reach.ClusterDriver(vnf)
	if err != nil {
		return out, err
	}
	lb := cluster.Params.ExternalLB
	inv, err := i.Cloud.Inventory(ctx, deployment.Cloud, in.OpOccID, deployment.Name)
	if err != nil {
		return out, err
	}
	port, err := locate.PortNamed(inv, inv.ID, lb.ClusterCpName)
	if err != nil {
		return out, err
	}
	cloud, err := balancing(deployment)
	if err != nil {
		return out, err
	}
	return out, cloud.Balance(ctx, vim.LoadBalancer{
		Name: deployment.Name, Owner: deployment.Owner, PortID: port.ID,
		Provider: lb.Octavia.Provider, FlavorID: lb.Octavia.FlavorID,
		Routes: routesOf(lb, in.Nodes),
	}, deployment.Show)
}

// RemoveCloudBalancer removes the load balancer of a cluster from the cloud. The port with its address stays.
//
// Idempotent: a missing load balancer counts as removed. Takes as long as the cloud does, so it heartbeats.
func (i *ByCloud) RemoveCloudBalancer(
	ctx context.Context, in resources.DeploymentInput,
) (out CloudBalancerOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "remove the cloud's load balancer", err) }()
	defer activities.Heartbeat(ctx)()
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	cloud, err := balancing(deployment)
	if err != nil {
		return out, err
	}
	return out, cloud.RemoveBalancer(ctx, deployment.Name, deployment.Owner, deployment.Show)
}

func balancing(d resources.Deployment) (vim.Balancer, error) {
	return vim.As[vim.Balancer](d.Cloud, "make a load balancer for a cluster")
}

// routesOf returns the routes to the API of the control planes and to the ports of Services on all nodes.
func routesOf(lb *k8s.ExternalLBParams, nodes lcm.Nodes) []vim.Route {
	routes := []vim.Route{{
		Name: "kubernetes-api", Port: lb.Port, MemberPort: k8s.APIServerPort, Members: membersBehind(nodes.With(lcm.ControlPlane)),
		// A ready API server answers an anonymous request with 401; a starting API server with 500 or 403.
		HealthPath: "/readyz", HealthCodes: "200,401",
	}}
	for _, served := range lb.Served() {
		routes = append(routes, vim.Route{
			Name: fmt.Sprintf("node-port-%d", served.Port), Port: served.Port, MemberPort: served.NodePort,
			Members: membersBehind(nodes),
		})
	}
	return routes
}

func membersBehind(nodes lcm.Nodes) (out []vim.RouteMember) {
	for _, node := range nodes {
		out = append(out, vim.RouteMember{Name: node.Name, Address: node.Address})
	}
	return out
}
