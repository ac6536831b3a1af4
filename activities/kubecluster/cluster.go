package kubecluster

import (
	"context"
	"net"
	"regexp"
	"strings"

	"go.temporal.io/sdk/activity"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// NodeLabel says where a node runs.
type NodeLabel struct {
	Name        string `json:"name"`
	ComputeHost string `json:"computeHost,omitempty"`
	Zone        string `json:"zone,omitempty"`
}

// NodeLabels lists the nodes with a known location.
func NodeLabels(nodes lcm.Nodes) []NodeLabel {
	var labels []NodeLabel
	for _, node := range nodes {
		if node.ComputeHost != "" || node.Zone != "" {
			labels = append(labels, NodeLabel{node.Name, node.ComputeHost, node.Zone})
		}
	}
	return labels
}

// LabelNodesInput names the nodes and where they run.
type LabelNodesInput struct {
	reach.ClusterInput
	Labels []NodeLabel `json:"labels"`
}

// LabelNodesOutput is empty: the nodes have their labels.
type LabelNodesOutput struct{}

// LabelNodes labels the Kubernetes nodes with their location, with the same labels as Tacker.
// Idempotent: it sets an existing label to the same value again. Takes seconds.
func (c *Activities) LabelNodes(ctx context.Context, in LabelNodesInput) (out LabelNodesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "label the nodes", err) }()
	defer activities.Heartbeat(ctx)()
	var lines []string
	for _, l := range in.Labels {
		line := l.Name
		if l.ComputeHost != "" {
			line += " CIS-node=" + labelValue(l.ComputeHost)
		}
		if l.Zone != "" {
			line += " kubernetes.io/zone=" + labelValue(l.Zone)
		}
		if line != l.Name {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return out, nil
	}
	_, err = c.Reach.RunOnAny(ctx, in.ClusterInput, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		return reach.Command(cluster, scripts.LabelNodes{Member: m, Labels: lines, Timeout: reach.Briefly(cluster)})
	})
	return out, err
}

var notInLabels = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// labelValue turns a VIM's name for a host or zone into a valid label value.
func labelValue(s string) string {
	s = notInLabels.ReplaceAllString(s, "-")
	return strings.Trim(s[:min(len(s), 63)], "._-")
}

// WaitForNodesInput names all nodes of the cluster.
type WaitForNodesInput struct {
	reach.ClusterInput
	Nodes []string `json:"nodes"`
}

// WaitForNodesOutput is empty: the cluster works.
type WaitForNodesOutput struct{}

// WaitForNodes waits until every node is Ready and CoreDNS is available.
//
// Idempotent: it only reads. Takes up to timeouts.node_ready. Then its error names the nodes that are not ready, with
// Kubernetes' reason. The step's output shows what the activity waits for.
func (c *Activities) WaitForNodes(ctx context.Context, in WaitForNodesInput) (out WaitForNodesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "wait for the nodes", err) }()
	defer activities.Heartbeat(ctx)()
	_, err = c.Reach.RunOnAny(ctx, in.ClusterInput, func(cluster reach.ClusterContext, m scripts.Member) reach.Task {
		limit := cluster.Params.Timeouts.NodeReady
		return reach.Task{
			Script: scripts.WaitForNodes{Member: m, Nodes: in.Nodes, Timeout: limit}, Limit: reach.Slack(limit),
			Parameter: "timeouts.node_ready",
		}
	})
	return out, err
}

// VimAccountInput names the control planes and the external address of the cluster.
type VimAccountInput struct {
	reach.ClusterInput
	VirtualIP string `json:"virtualIp,omitempty"`
	// PublicAddress is where clients reach the API servers, if it is not the cluster's own address: a floating IP, or the
	// address of another port; "" for none.
	PublicAddress string `json:"publicAddress,omitempty"`
}

// VimAccountOutput is the data to register the cluster as a VIM.
type VimAccountOutput struct {
	// ServerURL is the root of the Kubernetes API.
	ServerURL string `json:"serverUrl"`
	// CACert is the cluster's CA certificate, which is public.
	CACert string `json:"caCert"`
	// TokenRef refers to the sealed bearer token.
	TokenRef lcm.SecretRef `json:"tokenRef"`
}

// maxToken is far above the size of a service account's token.
const maxToken = 16 << 10

// CreateVimAccount creates the service account by which Windlass uses the cluster as a VIM, and seals its token.
//
// Idempotent: the objects have fixed names, and their token stays the same. Takes seconds: it waits until a controller
// has created the token.
func (c *Activities) CreateVimAccount(ctx context.Context, in VimAccountInput) (out VimAccountOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "make the account for the VIM", err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := c.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	out.TokenRef = reach.InstanceRef(cluster, "bearer_token")
	out.ServerURL = serverURL(cluster.Params, in)
	// /run is memory: the token never touches the node's disk.
	file := "/run/windlass-" + string(in.OpOccID) + "-" + activity.GetInfo(ctx).ActivityID + ".token"
	return out, c.Reach.OnAny(ctx, in.OpOccID, in.ControlPlanes, func(host reach.Host, node lcm.Node) error {
		results, err := c.Reach.Run(ctx, host, in.Step, reach.Command(cluster, scripts.CreateVimAccount{
			Member: reach.MemberOf(cluster, node), TokenFile: file, Timeout: reach.Briefly(cluster),
		}))
		if err != nil {
			return err
		}
		out.CACert = results.Text("ca")
		err = c.sealFile(ctx, host, file, out.TokenRef)
		remove := reach.Command(cluster, scripts.RemoveFile{File: file})
		free, cancel := context.WithTimeout(context.WithoutCancel(ctx), remove.Limit) // delete the file in any case
		defer cancel()
		if _, gone := c.Reach.Run(free, host, in.Step, remove); err == nil {
			err = gone
		}
		return err
	})
}

// sealFile seals the content of a file on the node.
func (c *Activities) sealFile(ctx context.Context, host reach.Host, file string, ref lcm.SecretRef) error {
	token, err := host.Get(ctx, file, maxToken)
	if err != nil {
		return err
	}
	return c.Reach.Secrets.Put(ctx, ref, strings.TrimSpace(string(token)))
}

// serverURL prefers the floating IP. Without it the URL has the cluster's internal address.
func serverURL(p k8s.Params, in VimAccountInput) string {
	to := endpoint(p, in.VirtualIP, in.ControlPlanes)
	if in.PublicAddress != "" {
		_, port, _ := net.SplitHostPort(to)
		to = net.JoinHostPort(in.PublicAddress, port)
	}
	return "https://" + to
}
