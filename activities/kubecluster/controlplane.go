// Package kubecluster has the activities that make and change a Kubernetes cluster, and that register it as a VIM.
package kubecluster

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/podnetwork"
	"github.com/windlass-nfv/windlass/scripts"
)

// Activities makes a Kubernetes cluster from prepared nodes.
type Activities struct {
	Reach reach.Runner
	// Drains stores the decisions about pods on leaving nodes.
	Drains Drains
	// Servers tells which nodes' servers are off; nil skips this check.
	Servers Servers
	// Files fetches the pod network when the operator has given a URL; nil fetches nothing.
	Files podnetwork.Files
}

// endpoint is the address of the cluster's API: HAProxy's on the virtual IP, or the only API server's.
func endpoint(p k8s.Params, virtualIP string, controlPlanes lcm.Nodes) string {
	if virtualIP != "" {
		return net.JoinHostPort(virtualIP, strconv.Itoa(p.APIPort()))
	}
	return net.JoinHostPort(controlPlanes[0].Address, strconv.Itoa(k8s.APIServerPort))
}

// InitControlPlaneInput names the first control plane and the addresses that its certificate must contain.
type InitControlPlaneInput struct {
	reach.NodeInput
	ControlPlanes lcm.Nodes `json:"controlPlanes"`
	VirtualIP     string    `json:"virtualIp,omitempty"`
	// PublicAddress is where clients reach the API servers, if it is not the cluster's own address; "" for none.
	PublicAddress string `json:"publicAddress,omitempty"`
	// NodeCount is how many nodes share the pod network.
	NodeCount int `json:"nodeCount"`
}

// InitControlPlaneOutput tells whether there was nothing to do.
type InitControlPlaneOutput struct {
	AlreadyInitialised bool `json:"alreadyInitialised,omitempty"`
}

// InitControlPlane makes the first control plane with kubeadm init.
//
// Idempotent: it does not change a working control plane. It resets an interrupted init first, because kubeadm cannot
// resume it. It follows an init that still runs, and never resets a member that does not answer. Takes minutes
// (timeouts.join). On cancellation it kills kubeadm.
func (c *Activities) InitControlPlane(
	ctx context.Context, in InitControlPlaneInput,
) (out InitControlPlaneOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "initialise "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := c.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	host, err := c.Reach.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if err != nil {
		return out, err
	}
	defer func() { _ = host.Close() }()
	found, err := c.checkMember(ctx, host, cluster, in.NodeInput)
	if err != nil || found.Get("state") == "member" {
		out.AlreadyInitialised = err == nil
		return out, err
	}
	conf, err := c.initConfig(ctx, cluster, in, found.Get("kubeadm"))
	if err != nil {
		return out, err
	}
	text, err := conf.Render()
	if err != nil {
		return out, lcm.Wrap(lcm.KindInvalid, err, "Windlass cannot use the file %s of the package: %s.",
			cluster.Params.KubeadmConfigPath, err)
	}
	limit := cluster.Params.Timeouts.Join
	_, err = c.Reach.Run(ctx, host, in.Step, reach.Task{
		Script: scripts.KubeadmInit{Member: reach.MemberOf(cluster, in.Node), TokenID: tokenID(conf.Token), Timeout: limit},
		Stdin:  scripts.Stdin(scripts.Input{Name: "config", Value: text}),
		Mask:   []string{conf.Token, conf.CertificateKey}, Limit: reach.Slack(limit), Parameter: joinTimeout,
	})
	return out, err
}

func (c *Activities) checkMember(
	ctx context.Context, host reach.Host, cluster reach.ClusterContext, in reach.NodeInput,
) (scripts.Results, error) {
	limit := cluster.Params.Timeouts.Join
	return c.Reach.Run(ctx, host, in.Step, reach.Task{
		Script: scripts.CheckMember{Member: reach.MemberOf(cluster, in.Node), Timeout: limit}, Limit: reach.Slack(limit),
		Parameter: joinTimeout,
	})
}

func (c *Activities) initConfig(
	ctx context.Context, cluster reach.ClusterContext, in InitControlPlaneInput, version string,
) (scripts.KubeadmInitConfig, error) {
	p := cluster.Params
	conf := scripts.KubeadmInitConfig{
		Node: in.Node.Name, Address: in.Node.Address, Endpoint: endpoint(p, in.VirtualIP, in.ControlPlanes),
		PodCIDR: p.MasterNode.PodCIDR, ServiceCIDR: p.MasterNode.ServiceCIDR, NodeCIDRMask: podShare(p, in.NodeCount),
		KubernetesVersion: version, CertSANs: certSANs(in), IgnorePreflightErrors: p.IgnorePreflightErrors,
		Waits: waits(p),
	}
	if p.KubernetesVersion != "" {
		conf.KubernetesVersion = "v" + p.KubernetesVersion
	}
	var err error
	// Generated once: a retry that finds the first kubeadm still running must know the same values.
	ref := reach.OperationRef(in.OpOccID, "init/token")
	if conf.Token, err = c.Reach.Secrets.Ensure(ctx, ref, bootstrapToken); err != nil {
		return conf, err
	}
	if conf.CertificateKey, err = c.Reach.Secrets.Ensure(ctx, reach.OperationRef(in.OpOccID, "init/certificate_key"),
		certificateKey); err != nil {
		return conf, err
	}
	conf.Extra, err = cluster.OptionalFile(ctx, p.KubeadmConfigPath)
	return conf, err
}

// certSANs are all names and addresses that the API will ever have, so that no certificate is made twice.
func certSANs(in InitControlPlaneInput) []string {
	var sans []string
	for _, san := range []string{in.VirtualIP, in.PublicAddress} {
		if san != "" {
			sans = append(sans, san)
		}
	}
	for _, node := range in.ControlPlanes {
		sans = append(sans, node.Address, node.Name)
		if node.SSHAddress != node.Address {
			sans = append(sans, node.SSHAddress)
		}
	}
	return slices.Compact(sans)
}

// JoinControlPlaneInput names the node to join and refers to the secrets of the join.
type JoinControlPlaneInput struct {
	reach.NodeInput
	// ControlPlanes are the control planes that may already work. The activity skips the node itself.
	ControlPlanes lcm.Nodes `json:"controlPlanes"`
	VirtualIP     string    `json:"virtualIp,omitempty"`
	Join          JoinRefs  `json:"join"`
}

// JoinOutput tells whether there was nothing to do.
type JoinOutput struct {
	AlreadyMember bool `json:"alreadyMember,omitempty"`
}

// JoinControlPlane joins one more control plane. Control planes join one at a time, because etcd accepts only one new
// member at a time.
//
// Idempotent: it does not change a working member. It first removes the rest of an interrupted join: from etcd, through
// a working control plane, and from the node by kubeadm reset. If the join of a dead worker still runs, the activity
// follows it and removes nothing. The join is done when the node is a voting etcd member and its API server is ready.
// Takes minutes (timeouts.join). On cancellation it kills kubeadm.
func (c *Activities) JoinControlPlane(ctx context.Context, in JoinControlPlaneInput) (out JoinOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "join "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := c.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	host, err := c.Reach.Hosts.Dial(ctx, in.OpOccID, in.Node)
	if err != nil {
		return out, err
	}
	defer func() { _ = host.Close() }()
	found, err := c.checkMember(ctx, host, cluster, in.NodeInput)
	if err != nil || found.Get("state") == "member" {
		out.AlreadyMember = err == nil
		return out, err
	}
	if found.Get("state") != "busy" {
		if err := c.admit(ctx, cluster, in); err != nil {
			return out, err
		}
	}
	return out, c.join(ctx, host, cluster, in.NodeInput, endpoint(cluster.Params, in.VirtualIP, in.ControlPlanes), in.Join)
}

// admit makes room for the node in etcd and waits until etcd can accept it.
func (c *Activities) admit(ctx context.Context, cluster reach.ClusterContext, in JoinControlPlaneInput) error {
	others := slices.DeleteFunc(slices.Clone(in.ControlPlanes), func(n lcm.Node) bool { return n.Name == in.Node.Name })
	// etcd recovers in seconds; after this limit, an operator must look at it.
	limit := max(120, cluster.Params.Timeouts.Join/4)
	return c.Reach.OnAny(ctx, in.OpOccID, others, func(host reach.Host, node lcm.Node) error {
		_, err := c.Reach.Run(ctx, host, in.Step, reach.Task{
			Script: scripts.AdmitMember{
				Member: reach.MemberOf(cluster, node), Joining: in.Node.Name, PeerURL: "https://" +
					net.JoinHostPort(in.Node.Address, "2380"), Timeout: limit,
			},
			Limit: reach.Slack(2 * limit), Parameter: joinTimeout,
		})
		return err
	})
}

// waits makes kubeadm give up before Windlass kills it, so that kubeadm reports what it has waited for. API calls get
// at least kubeadm's own defaults.
func waits(p k8s.Params) scripts.KubeadmWaits {
	return scripts.KubeadmWaits{Phase: max(1, p.Timeouts.Join*3/4), Call: max(120, p.Timeouts.Join/4)}
}

// podShare is the prefix length for each node if Kubernetes' default has too few prefixes for all nodes.
func podShare(p k8s.Params, nodes int) int {
	pods, err := netip.ParsePrefix(p.MasterNode.PodCIDR)
	if err != nil {
		return 0
	}
	if mask := k8s.NodeCIDRMask(pods, nodes); mask > 24 && pods.Addr().Is4() || mask > 64 {
		return mask
	}
	return 0
}
