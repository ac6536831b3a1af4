// Package balancer has the activities on load balancers: of a cluster, in front of it, and of the cloud.
package balancer

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// Activities sets up load balancers on servers: HAProxy and keepalived of a cluster, and servers in front of it.
type Activities struct {
	Reach reach.Runner
	// Exposures is nil if no VNF is on a cluster. Before logs in to the load balancers of the cluster that runs the
	// operation's VNF.
	Exposures Exposures
	Before    reach.Hosts
}

// ExternalLoadBalancerInput names the load balancer and its backend nodes.
type ExternalLoadBalancerInput struct {
	reach.NodeInput
	Nodes lcm.Nodes `json:"nodes"`
	// Serving is set for a cluster in use: an API server must then be reachable through the load balancer.
	Serving bool `json:"serving,omitempty"`
	// Balancers are all load balancers that share VirtualIP, including this one; unused for a single load balancer.
	Balancers lcm.Nodes `json:"balancers,omitempty"`
	VirtualIP string    `json:"virtualIp,omitempty"`
	// Exposed are the Services of VNFs on the cluster, for a new load balancer.
	Exposed []lcm.ExposedPorts `json:"exposed,omitempty"`
	// PassOver skips a load balancer that leaves with the operation and does not answer.
	PassOver bool `json:"passOver,omitempty"`
}

// ExternalLoadBalancerOutput is empty: the load balancer sends traffic to exactly these nodes.
type ExternalLoadBalancerOutput struct{}

// ConfigureExternalLoadBalancer makes the server in front of a cluster send traffic to its nodes, with HAProxy or with
// the package's own script.
//
// Idempotent: it generates the whole HAProxy file and replaces it only when it differs and HAProxy has accepted it. A
// reload drops no connection. A script of the package runs with all nodes as its arguments, as in Tacker, and a later
// attempt finds its result. Takes seconds, or longer when it must install HAProxy first.
func (n *Activities) ConfigureExternalLoadBalancer(
	ctx context.Context, in ExternalLoadBalancerInput,
) (out ExternalLoadBalancerOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "configure the external load balancer", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := n.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if in.Exposed, err = n.exposed(ctx, in); err != nil {
		return out, err
	}
	t, err := n.balancing(ctx, cluster, in)
	if err == nil {
		var found scripts.Results
		if found, err = n.Reach.RunOn(ctx, in.NodeInput, t); err == nil {
			err = n.hideGone(ctx, in.NodeInput, found.All("exposed"))
		}
	}
	if n.Reach.PassOver(ctx, in.NodeInput, in.PassOver, err) {
		return out, nil
	}
	return out, err
}

// balanced is the task that configures HAProxy.
func (n *Activities) balanced(
	ctx context.Context, cluster reach.ClusterContext, in ExternalLoadBalancerInput,
) (reach.Task, error) {
	p := cluster.Params
	conf := scripts.HAProxyConf{
		Port: p.ExternalLB.Port, Backends: backends(in.Nodes.With(lcm.ControlPlane)), Nodes: backends(in.Nodes),
	}
	for _, served := range p.ExternalLB.Served() {
		conf.NodePorts = append(conf.NodePorts, scripts.ServedPort(served))
	}
	haproxy, err := conf.Render()
	if err != nil {
		return reach.Task{}, lcm.Wrap(lcm.KindBug, err, "HAProxy's configuration could not be written.")
	}
	inputs, mask, err := n.Reach.ProxyInputs(ctx, p.Proxy)
	if err != nil {
		return reach.Task{}, err
	}
	t := reach.Task{
		Script: scripts.BalanceExternally{
			Node: in.Node.Name, Port: conf.Port, Timeout: reach.Briefly(cluster), LockFor: reach.LockFor(p.Timeouts.Install),
			Serves: in.Serving, Shared: p.ExternalLB.Shared(), NoProxy: reach.NoProxy(p, "", nil),
		},
		Mask: mask, Limit: reach.Seconds(p.Timeouts.Install), Parameter: "timeouts.install",
	}
	inputs = append(
		inputs, scripts.Input{Name: "haproxy", Value: haproxy},
		scripts.Input{Name: "nodes", Value: backendLines(conf.Nodes)},
		scripts.Input{Name: "exposed", Value: exposedLines(in.Exposed)},
	)
	if p.ExternalLB.Shared() {
		keepalived, password, err := n.shared(ctx, cluster, in)
		if err != nil {
			return t, err
		}
		inputs, t.Mask = append(inputs, scripts.Input{Name: "keepalived", Value: keepalived}), append(mask, password)
	}
	t.Stdin = scripts.Stdin(inputs...)
	return t, nil
}

// shared is the configuration of keepalived, which lets several load balancers share the virtual IP. The present holder
// keeps the address, so that no connection is lost when another load balancer comes.
func (n *Activities) shared(
	ctx context.Context, cluster reach.ClusterContext, in ExternalLoadBalancerInput,
) (keepalived, password string, err error) {
	ref := reach.InstanceRef(cluster, "vrrp_password")
	if password, err = n.Reach.Secrets.Ensure(ctx, ref, reach.VRRPPassword); err != nil {
		return "", "", err
	}
	found, err := n.Reach.RunOn(ctx, in.NodeInput, reach.Command(cluster, scripts.FindInterface{Address: in.Node.Address}))
	if err != nil {
		return "", "", err
	}
	conf := keepalivedConf(cluster, LoadBalancerInput{NodeInput: in.NodeInput, ControlPlanes: in.Balancers, VirtualIP: in.VirtualIP})
	conf.Port, conf.Master, conf.Stays = cluster.Params.APIPort(), false, true
	conf.Interface, conf.Prefix, conf.Password = found.Get("interface"), found.Get("prefix"), password
	keepalived, err = conf.Render()
	return keepalived, password, err
}

func backendLines(list []scripts.Backend) string {
	var b strings.Builder
	for _, node := range list {
		b.WriteString(node.Name + " " + node.Address + "\n")
	}
	return b.String()
}

func exposedLines(list []lcm.ExposedPorts) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString(string(e.Owner))
		for _, port := range e.Ports {
			b.WriteString(" " + strconv.Itoa(port))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// balancing is the task of the package's own script if the request names one, else of HAProxy.
func (n *Activities) balancing(
	ctx context.Context, cluster reach.ClusterContext, in ExternalLoadBalancerInput,
) (reach.Task, error) {
	path := cluster.Params.ExternalLB.ScriptPath
	if path == "" {
		return n.balanced(ctx, cluster, in)
	}
	text, err := cluster.OptionalFile(ctx, path)
	if err != nil {
		return reach.Task{}, err
	}
	if ofTacker(text) {
		n.Reach.Output.Lines(ctx, in.Step)(path + " is Tacker's script, which cannot run again when nodes come or go. " +
			"Windlass sets up HAProxy itself instead, for the same ports.")
		return n.balanced(ctx, cluster, in)
	}
	return scripted(cluster, in, text), nil
}

// ofTacker tells whether a script is the script of Tacker's package for kubespray, by the names of its functions. Each
// run of that script appends to HAProxy's file and reloads nothing. So a second run would not change the routes, and
// HAProxy could not start again.
func ofTacker(script []byte) bool {
	for _, name := range []string{"install_haproxy", "modify_haproxy_conf", "start_haproxy"} {
		if !bytes.Contains(script, []byte("function "+name)) {
			return false
		}
	}
	return bytes.Contains(script, []byte("tee -a /etc/haproxy/haproxy.cfg"))
}

// scripted is the task of a package's script.
func scripted(cluster reach.ClusterContext, in ExternalLoadBalancerInput, text []byte) reach.Task {
	script := scripts.RunBalancerScript{}
	for _, b := range backends(in.Nodes.With(lcm.ControlPlane)) {
		script.ControlPlanes = append(script.ControlPlanes, b.Address)
	}
	for _, b := range backends(in.Nodes.With(lcm.Worker)) {
		script.Workers = append(script.Workers, b.Address)
	}
	return reach.Task{
		Script: script,
		Stdin:  scripts.Stdin(scripts.Input{Name: "script", Value: strings.ReplaceAll(string(text), "\r\n", "\n")}),
		Limit:  reach.Seconds(cluster.Params.Timeouts.Install), Parameter: "timeouts.install", Foreign: true,
	}
}

func backends(nodes lcm.Nodes) (out []scripts.Backend) {
	for _, node := range nodes {
		out = append(out, scripts.Backend{Name: node.Name, Address: node.Address})
	}
	return out
}
