package activities

import (
	"context"
	"net/url"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// HostEntry is a node's address with its host name.
type HostEntry struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// HostEntries makes the entries of all nodes, in their order.
func HostEntries(nodes lcm.Nodes) []HostEntry {
	entries := make([]HostEntry, 0, len(nodes))
	for _, node := range nodes {
		entries = append(entries, HostEntry{node.Name, node.Address})
	}
	return entries
}

// PrepareNodeInput names the node and its neighbours.
type PrepareNodeInput struct {
	NodeInput
	// Hosts are the entries of /etc/hosts, the node's own among them.
	Hosts []HostEntry `json:"hosts"`
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
func (n *Nodes) PrepareNode(ctx context.Context, in PrepareNodeInput) (out PrepareNodeOutput, err error) {
	defer func() { err = boundary(ctx, "prepare "+in.Node.Name, err) }()
	defer heartbeat(ctx)()
	cluster, err := n.cluster(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := cluster.Params
	inputs, mask, err := n.proxyInputs(ctx, p.Proxy)
	if err != nil {
		return out, err
	}
	step := scripts.PrepareNode{
		Node: in.Node.Name, NoProxy: noProxy(p, in), Packages: packages(p, in.Node.Role),
		LockFor: lockFor(p.Timeouts.Install), IPv6: p.IPv6(),
	}
	for _, h := range in.Hosts {
		step.Hosts = append(step.Hosts, h.Address+" "+h.Name)
	}
	if apt := p.AptRepository; apt != nil {
		step.Hold, step.Version, step.Trusted = []string{"kubeadm", "kubelet", "kubectl"}, pinnedVersion(p), apt.Trusted
		step.Source = strings.TrimSpace(apt.URL + " " + apt.Suite + " " + apt.Component)
		key := cluster.AptKey
		if apt.KeyPath != "" {
			if key, err = cluster.packageFile(ctx, apt.KeyPath); err != nil {
				return out, err
			}
		}
		inputs = append(inputs, scripts.Input{Name: "apt_key", Value: string(key)})
	}
	results, err := n.runOn(ctx, in.NodeInput, task{
		script: step, stdin: scripts.Stdin(inputs...), mask: mask, limit: seconds(p.Timeouts.Install),
		parameter: "timeouts.install",
	})
	out.Kubeadm = results.Get("kubeadm")
	return out, err
}

// lockFor is how long the step waits for cloud-init and other installations, in seconds; it is a part of
// timeouts.install.
func lockFor(install int) int { return min(install, max(600, install/2)) }

// pinnedVersion is the version of the packages. It is a shell pattern when only the version of Kubernetes is known.
func pinnedVersion(p k8s.Params) string {
	if p.AptRepository.Version == "" && p.KubernetesVersion != "" {
		return p.KubernetesVersion + "-*"
	}
	return p.AptRepository.Version
}

// proxyInputs opens the proxy's URLs; they may contain passwords.
func (r Reach) proxyInputs(
	ctx context.Context, proxy *k8s.ProxyParams,
) (inputs []scripts.Input, mask []string, err error) {
	if proxy == nil {
		return nil, nil, nil
	}
	for _, in := range []struct {
		name   string
		secret lcm.Secret
	}{{"http_proxy", proxy.HTTPProxy}, {"https_proxy", proxy.HTTPSProxy}} {
		value, err := r.open(ctx, in.secret)
		if err != nil {
			return nil, nil, err
		}
		if value == "" {
			continue
		}
		if !k8s.IsProxyURL(value) {
			return nil, nil, lcm.Errorf(lcm.KindInvalid,
				"The request's proxy.%s is not a URL like http://user:password@proxy.example:3128.", in.name)
		}
		inputs = append(inputs, scripts.Input{Name: in.name, Value: value})
		mask = append(mask, value)
		if short := strings.TrimRight(value, "/"); short != value { // some tools show the URL in this form
			mask = append(mask, short)
		}
		mask = append(mask, userinfo(value)...)
	}
	return inputs, mask, nil
}

// userinfo returns the parts of a proxy's URL that tools may show without the rest of the URL.
func userinfo(proxy string) []string {
	_, rest, _ := strings.Cut(proxy, "://")
	at := strings.LastIndex(rest, "@")
	if at < 0 {
		return nil
	}
	parts := []string{rest[:at]}
	if _, password, ok := strings.Cut(rest[:at], ":"); ok && password != "" {
		parts = append(parts, password)
		if clear, err := url.PathUnescape(password); err == nil {
			parts = append(parts, clear)
		}
	}
	return parts
}

// noProxy lists the internal addresses. It keeps networks as networks: Tacker lists each address, and such a list is
// longer than a command may be.
func noProxy(p k8s.Params, in PrepareNodeInput) string {
	if p.Proxy == nil {
		return ""
	}
	var list []string
	add := func(entries ...string) {
		for _, entry := range entries {
			if entry = strings.TrimSpace(entry); entry != "" {
				list = append(list, entry)
			}
		}
	}
	add(strings.Split(p.Proxy.NoProxy, ",")...)
	add("127.0.0.1", "::1", "localhost", ".svc", ".cluster.local", p.MasterNode.PodCIDR, p.MasterNode.ServiceCIDR,
		p.Proxy.K8sNodeCIDR, in.VirtualIP)
	for _, h := range in.Hosts {
		add(h.Address)
	}
	return strings.Join(list, ",")
}
