package kubenode

import (
	"context"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/scripts"
)

// PrepareNodeInput names the node and its neighbours.
type PrepareNodeInput struct {
	reach.NodeInput
	// Hosts are the entries of /etc/hosts, the node's own among them.
	Hosts []reach.HostEntry `json:"hosts"`
	// VirtualIP is the address in front of the API servers, "" without one. Requests to it bypass the proxy.
	VirtualIP string `json:"virtualIp,omitempty"`
}

// PrepareNodeOutput tells the version of kubeadm on the node.
type PrepareNodeOutput struct {
	Kubeadm string `json:"kubeadm"`
}

// PrepareNode sets the node's host name and its list of neighbours, configures the kernel and installs missing
// packages.
//
// Idempotent: it writes a file only when it differs, and installs packages only when their commands are missing. Takes
// seconds, or minutes when it installs packages (timeouts.install). A cancel kills the installation; the next one
// completes dpkg's unfinished work.
func (n *Activities) PrepareNode(ctx context.Context, in PrepareNodeInput) (out PrepareNodeOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "prepare "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	cluster, err := n.Reach.Cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := cluster.Params
	inputs, mask, err := n.Reach.ProxyInputs(ctx, p.Proxy)
	if err != nil {
		return out, err
	}
	step := scripts.PrepareNode{
		Node: in.Node.Name, NoProxy: reach.NoProxy(p, in.VirtualIP, in.Hosts), Packages: packages(p, in.Node.Role),
		LockFor: reach.LockFor(p.Timeouts.Install), IPv6: p.IPv6(),
	}
	for _, h := range in.Hosts {
		step.Hosts = append(step.Hosts, h.Address+" "+h.Name)
	}
	if apt := p.AptRepository; apt != nil {
		step.Hold, step.Version, step.Trusted = []string{"kubeadm", "kubelet", "kubectl"}, pinnedVersion(p), apt.Trusted
		step.Source = strings.TrimSpace(apt.URL + " " + apt.Suite + " " + apt.Component)
		key := cluster.AptKey
		if apt.KeyPath != "" {
			if key, err = cluster.OptionalFile(ctx, apt.KeyPath); err != nil {
				return out, err
			}
		}
		inputs = append(inputs, scripts.Input{Name: "apt_key", Value: string(key)})
	}
	results, err := n.Reach.RunOn(ctx, in.NodeInput, reach.Task{
		Script: step, Stdin: scripts.Stdin(inputs...), Mask: mask, Limit: reach.Seconds(p.Timeouts.Install),
		Parameter: "timeouts.install",
	})
	out.Kubeadm = results.Get("kubeadm")
	return out, err
}

// pinnedVersion is the version of the packages. It is a shell pattern when only the version of Kubernetes is known.
func pinnedVersion(p k8s.Params) string {
	if p.AptRepository.Version == "" && p.KubernetesVersion != "" {
		return p.KubernetesVersion + "-*"
	}
	return p.AptRepository.Version
}
