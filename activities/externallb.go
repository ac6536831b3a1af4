package activities

import (
	"context"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/scripts"
)

// locateBalancer finds the external load balancer of the request: clients reach the cluster at its address.
func locateBalancer(inv *vim.Inventory, p k8s.Params, in FindNodesInput, out *FindNodesOutput) error {
	lb := p.ExternalLB
	if lb == nil {
		return nil
	}
	node, err := nodeOf(inv, inv.ID, lcm.LoadBalancer, k8s.NodeParams{SSHCpName: lb.SSHCpName, NicCpName: lb.NicCpName})
	if err != nil {
		if in.Left {
			return nil
		}
		return err
	}
	out.Balancer, out.VirtualIP, out.PublicAddress = &node, node.Address, ""
	if node.SSHAddress != node.Address {
		out.PublicAddress = node.SSHAddress
	}
	return nil
}

// ExternalLoadBalancerInput names the load balancer and the nodes that it sends traffic to.
type ExternalLoadBalancerInput struct {
	NodeInput
	Nodes lcm.Nodes `json:"nodes"`
	// Serving is set in a cluster that is in use: an API server must be behind the load balancer afterwards.
	Serving bool `json:"serving,omitempty"`
}

// ExternalLoadBalancerOutput is empty: traffic goes to these nodes and no others.
type ExternalLoadBalancerOutput struct{}

// ConfigureExternalLoadBalancer lets the server before a cluster send traffic to its nodes: with HAProxy, or by the
// package's own script.
//
// Idempotent: HAProxy's file is made as a whole, replaced only when it differs, and only after HAProxy has accepted it;
// a reload drops no connection. A script of the package is run with all nodes, as Tacker runs it. Takes seconds, but
// where HAProxy is installed first.
func (n *Nodes) ConfigureExternalLoadBalancer(
	ctx context.Context, in ExternalLoadBalancerInput,
) (out ExternalLoadBalancerOutput, err error) {
	defer func() { err = boundary(ctx, "configure the external load balancer", err) }()
	defer heartbeat(ctx)()
	cluster, err := n.cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	make := n.balanced
	if cluster.Params.ExternalLB.ScriptPath != "" {
		make = n.scripted
	}
	t, err := make(ctx, cluster, in)
	if err == nil {
		_, err = n.runOn(ctx, in.NodeInput, t)
	}
	return out, err
}

// balanced is the task of HAProxy.
func (n *Nodes) balanced(_ context.Context, cluster clusterContext, in ExternalLoadBalancerInput) (task, error) {
	p := cluster.Params
	conf := scripts.HAProxyConf{
		Port: p.ExternalLB.Port, Backends: backends(in.Nodes.With(lcm.ControlPlane)), NodePorts: p.ExternalLB.NodePorts,
		Nodes: backends(in.Nodes),
	}
	haproxy, err := conf.Render()
	if err != nil {
		return task{}, lcm.Wrap(lcm.KindBug, err, "HAProxy's configuration could not be written.")
	}
	return task{
		script: scripts.BalanceExternally{
			Node: in.Node.Name, Port: conf.Port, Timeout: briefly(cluster), LockFor: lockFor(p.Timeouts.Install),
			Serves: in.Serving,
		},
		stdin: scripts.Stdin(scripts.Input{Name: "haproxy", Value: haproxy}),
		limit: seconds(p.Timeouts.Install), parameter: "timeouts.install",
	}, nil
}

// scripted is the task of the package's own script.
func (n *Nodes) scripted(ctx context.Context, cluster clusterContext, in ExternalLoadBalancerInput) (task, error) {
	text, err := cluster.packageFile(ctx, cluster.Params.ExternalLB.ScriptPath)
	if err != nil {
		return task{}, err
	}
	script := scripts.RunBalancerScript{}
	for _, b := range backends(in.Nodes.With(lcm.ControlPlane)) {
		script.ControlPlanes = append(script.ControlPlanes, b.Address)
	}
	for _, b := range backends(in.Nodes.With(lcm.Worker)) {
		script.Workers = append(script.Workers, b.Address)
	}
	return task{
		script: script, stdin: scripts.Stdin(scripts.Input{Name: "script", Value: strings.ReplaceAll(string(text), "\r\n", "\n")}),
		limit: seconds(cluster.Params.Timeouts.Install), parameter: "timeouts.install",
	}, nil
}

func backends(nodes lcm.Nodes) (out []scripts.Backend) {
	for _, node := range nodes {
		out = append(out, scripts.Backend{Name: node.Name, Address: node.Address})
	}
	return out
}
