package activities

import (
	"context"
	"fmt"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// CloudBalancerInput names the nodes that the cloud's load balancer sends traffic to.
type CloudBalancerInput struct {
	Tracked
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
func (i *Infrastructure) BalanceByCloud(ctx context.Context, in CloudBalancerInput) (out CloudBalancerOutput, err error) {
	defer func() { err = boundary(ctx, "set up the cloud's load balancer", err) }()
	defer heartbeat(ctx)()
	deployment, err := i.deploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	vnf, err := i.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	cluster, err := vnf.clusterDriver()
	if err != nil {
		return out, err
	}
	lb := cluster.Params.ExternalLB
	inv, err := i.inventory(ctx, deployment.cloud, in.OpOccID, deployment.name)
	if err != nil {
		return out, err
	}
	port, err := portNamed(inv, inv.ID, lb.ClusterCpName)
	if err != nil {
		return out, err
	}
	cloud, err := balancing(deployment)
	if err != nil {
		return out, err
	}
	return out, cloud.Balance(ctx, vim.LoadBalancer{
		Name: deployment.name, Owner: deployment.owner, PortID: port.ID, Provider: lb.Octavia.Provider, FlavorID: lb.Octavia.FlavorID,
		Routes: routesOf(lb, in.Nodes),
	}, deployment.show)
}

// RemoveCloudBalancer removes the load balancer of a cluster from the cloud. The port with its address stays.
//
// Idempotent: a missing load balancer counts as removed. Takes as long as the cloud does, so it heartbeats.
func (i *Infrastructure) RemoveCloudBalancer(ctx context.Context, in DeploymentInput) (out CloudBalancerOutput, err error) {
	defer func() { err = boundary(ctx, "remove the cloud's load balancer", err) }()
	defer heartbeat(ctx)()
	deployment, err := i.deploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	cloud, err := balancing(deployment)
	if err != nil {
		return out, err
	}
	return out, cloud.RemoveBalancer(ctx, deployment.name, deployment.owner, deployment.show)
}

func balancing(d vnfDeployment) (vim.Balancer, error) {
	return vim.As[vim.Balancer](d.cloud, "make a load balancer for a cluster")
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
