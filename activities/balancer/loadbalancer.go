package balancer

import (
	"context"
	"hash/fnv"
	"strings"
	"sync"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// LoadBalancerInput names the node and the control planes that share the virtual IP.
type LoadBalancerInput struct {
	reach.NodeInput
	// ControlPlanes are all control planes, including this node; their order sets the priorities.
	ControlPlanes lcm.Nodes `json:"controlPlanes"`
	VirtualIP     string    `json:"virtualIp"`
	// WasBroken is set for a node that did not work before the operation: the step may skip it.
	WasBroken bool `json:"wasBroken,omitempty"`
	// Serving is set for a cluster in use: an API server must then be reachable through HAProxy.
	Serving bool `json:"serving,omitempty"`
}

// LoadBalancerOutput is empty: HAProxy and keepalived run.
type LoadBalancerOutput struct{}

// ConfigureLoadBalancer puts HAProxy and keepalived on one control plane and waits until both run.
//
// Idempotent: it replaces files only when they differ, and HAProxy's file only after HAProxy has accepted it. The VRRP
// password is generated once for the VNF instance. Takes seconds.
func (n *Activities) ConfigureLoadBalancer(
	ctx context.Context, in LoadBalancerInput,
) (out LoadBalancerOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "configure the load balancer of "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := n.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	password, err := n.Reach.Secrets.Ensure(ctx, reach.InstanceRef(cluster, "vrrp_password"), reach.VRRPPassword)
	if err != nil {
		return out, err
	}
	host, err := n.Reach.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if n.Reach.PassOver(ctx, in.NodeInput, in.WasBroken, err) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	defer func() { _ = host.Close() }()
	found, err := n.Reach.Run(ctx, host, in.Step, reach.Command(cluster, scripts.FindInterface{Address: in.Node.Address}))
	if err != nil {
		return out, err
	}
	haproxy, err := HAProxyConf(cluster.Params.LoadBalancer, in.ControlPlanes).Render()
	if err != nil {
		return out, err
	}
	conf := keepalivedConf(cluster, in)
	conf.Interface, conf.Prefix, conf.Password = found.Get("interface"), found.Get("prefix"), password
	keepalived, err := conf.Render()
	if err != nil {
		return out, err
	}
	configure := reach.Command(cluster, scripts.ConfigureLoadBalancer{
		Node: in.Node.Name, Port: cluster.Params.LoadBalancer.Port, Timeout: reach.Briefly(cluster), Serves: in.Serving,
	})
	configure.Stdin = scripts.Stdin(scripts.Input{Name: "haproxy", Value: haproxy},
		scripts.Input{Name: "keepalived", Value: keepalived})
	configure.Mask = []string{password}
	_, err = n.Reach.Run(ctx, host, in.Step, configure)
	return out, err
}

// HAProxyConf is the configuration of the load balancers on the control planes.
func HAProxyConf(lb k8s.LoadBalancerParam, controlPlanes lcm.Nodes) scripts.HAProxyConf {
	conf := scripts.HAProxyConf{Port: lb.Port, EtcdPort: lb.EtcdPort, Backup: lb.Backup}
	for _, node := range controlPlanes {
		conf.Backends = append(conf.Backends, scripts.Backend{Name: node.Name, Address: node.Address})
	}
	return conf
}

func keepalivedConf(cluster reach.ClusterContext, in LoadBalancerInput) scripts.KeepalivedConf {
	lb := cluster.Params.LoadBalancer
	conf := scripts.KeepalivedConf{
		Node: in.Node.Name, Address: in.Node.Address, VirtualIP: in.VirtualIP, Port: lb.Port,
		VirtualRouterID: lb.VirtualRouterID,
	}
	if conf.VirtualRouterID == 0 {
		conf.VirtualRouterID = virtualRouterID(cluster.Instance.ID)
	}
	for i, node := range in.ControlPlanes {
		if node.Name == in.Node.Name {
			conf.Master, conf.Priority = i == 0, max(103-i, 1) // the seed's numbers
			continue
		}
		conf.Peers = append(conf.Peers, node.Address)
	}
	return conf
}

// virtualRouterID derives 1..255 from the instance, so that two clusters in one network rarely collide.
func virtualRouterID(id lcm.VnfInstanceID) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int(h.Sum32()%255) + 1
}

// VirtualIPInput names the control planes that share the virtual IP.
type VirtualIPInput struct {
	reach.ClusterInput
	VirtualIP string `json:"virtualIp"`
}

// VirtualIPOutput tells who holds the virtual IP.
type VirtualIPOutput struct {
	Holder string `json:"holder"`
}

// WaitForVirtualIP waits until exactly one control plane holds the virtual IP and the others reach HAProxy through it.
//
// Idempotent: it only reads. Takes seconds, at most timeouts.virtual_ip. After that the cause does not go away by
// itself: security groups or allowed address pairs.
func (n *Activities) WaitForVirtualIP(ctx context.Context, in VirtualIPInput) (out VirtualIPOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "wait for the virtual IP", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := n.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	end := n.Reach.Time().Add(reach.Seconds(cluster.Params.Timeouts.VirtualIP))
	for round := 1; ; round++ {
		seen, err := n.lookForVirtualIP(ctx, in, cluster, round)
		if err != nil {
			return out, err
		}
		holders, cut := seen.sort(in.ControlPlanes)
		if len(holders) == 1 && len(cut) == 0 {
			out.Holder = holders[0]
			return out, nil
		}
		if n.Reach.Time().After(end) {
			return out, virtualIPError(in.VirtualIP, whoBalances(in.ControlPlanes), holders, cut)
		}
		if !n.Reach.Pause(ctx) {
			return out, ctx.Err()
		}
	}
}

// LocateVirtualIP returns the control plane that now holds the virtual IP; none if nobody holds it or the holder does
// not answer.
//
// Best effort: only the order of changes on the nodes depends on it. Idempotent: it only reads. Takes seconds.
func (n *Activities) LocateVirtualIP(ctx context.Context, in VirtualIPInput) (out VirtualIPOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "locate the virtual IP", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := n.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	limited, cancel := context.WithTimeout(ctx, reach.BriefDial)
	defer cancel()
	seen, errs := n.askForVirtualIP(limited, in, cluster, 0)
	for i, node := range in.ControlPlanes {
		if errs[i] == nil && seen[i].held {
			out.Holder = node.Name
		}
	}
	return out, ctx.Err()
}

// sight is one node's view of the virtual IP.
type sight struct{ held, answers bool }

type sights []sight

// lookForVirtualIP asks all control planes in parallel, so that their views belong to the same moment.
func (n *Activities) lookForVirtualIP(
	ctx context.Context, in VirtualIPInput, cluster reach.ClusterContext, round int,
) (sights, error) {
	seen, errs := n.askForVirtualIP(ctx, in, cluster, round)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return seen, nil
}

func (n *Activities) askForVirtualIP(
	ctx context.Context, in VirtualIPInput, cluster reach.ClusterContext, round int,
) (sights, []error) {
	seen, errs := make(sights, len(in.ControlPlanes)), make([]error, len(in.ControlPlanes))
	var all sync.WaitGroup
	for i, node := range in.ControlPlanes {
		all.Go(func() {
			one := reach.NodeInput{Tracked: in.Tracked, OpOccID: in.OpOccID, Node: node}
			look := reach.Command(cluster, scripts.FindVirtualIP{
				VirtualIP: in.VirtualIP, Port: cluster.Params.APIPort(), Timeout: 5,
			})
			look.Round = round
			found, err := n.Reach.RunOn(ctx, one, look)
			seen[i], errs[i] = sight{found.Get("held") == "yes", found.Get("answers") == "yes"}, err
		})
	}
	all.Wait()
	return seen, errs
}

// sort names the nodes that hold the address, and the nodes that do not reach it.
func (s sights) sort(nodes lcm.Nodes) (holders, cut []string) {
	for i, node := range nodes {
		if s[i].held {
			holders = append(holders, node.Name)
		}
		if !s[i].answers {
			cut = append(cut, node.Name)
		}
	}
	return holders, cut
}

// whoBalances names what kind of servers share the virtual IP.
func whoBalances(list lcm.Nodes) string {
	if len(list.With(lcm.LoadBalancer)) > 0 {
		return "load balancer"
	}
	return "control plane"
}

func virtualIPError(ip, who string, holders, cut []string) error {
	switch {
	case len(holders) == 0:
		return lcm.Errorf(lcm.KindBroken,
			"No %s holds the virtual IP %s; look at 'journalctl -u keepalived' on them.", who, ip)
	case len(holders) > 1:
		return lcm.Errorf(lcm.KindBroken, "%s hold the virtual IP %s at once: VRRP (IP protocol 112) does not pass "+
			"between them. Allow it in their security groups.", strings.Join(holders, " and "), ip)
	default:
		return lcm.Errorf(lcm.KindBroken,
			"%s holds the virtual IP %s, but %s cannot reach it. Allow the address in the allowed address "+
				"pairs of the ports of each %s.", holders[0], ip, strings.Join(cut, " and "), who)
	}
}
