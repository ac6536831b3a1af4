package k8s

import (
	"math/bits"
	"net/netip"
)

// special are the networks that no pod, service or node can have.
var special = []struct{ network, what string }{
	{"0.0.0.0/8", "addresses of this host"},
	{"127.0.0.0/8", "loopback addresses"},
	{"169.254.0.0/16", "link-local addresses"},
	{"224.0.0.0/4", "multicast addresses"},
	{"240.0.0.0/4", "reserved addresses"},
	{"::/127", "addresses of this host"},
	{"::ffff:0:0/96", "IPv4 addresses in IPv6"},
	{"fe80::/10", "link-local addresses"},
	{"ff00::/8", "multicast addresses"},
}

func (c *clusterChecks) networks(p Params, nodes int) {
	pods, podsOK := c.cidr("master_node.pod_cidr", p.MasterNode.PodCIDR)
	services, servicesOK := c.cidr("master_node.cluster_cidr", p.MasterNode.ServiceCIDR)
	if podsOK && NodeCIDRMask(pods, nodes) == 0 {
		c.add("master_node.pod_cidr", "%s is too small for %d nodes.", pods, nodes)
	}
	if servicesOK {
		host := services.Addr().BitLen() - services.Bits()
		if host > 20 || host < 4 { // kubeadm's own limits
			c.add("master_node.cluster_cidr", "%s must have between 16 and 1048576 addresses.", services)
		}
	}
	if podsOK && servicesOK && pods.Overlaps(services) {
		c.add("master_node.pod_cidr", "%s overlaps cluster_cidr %s; pods and services need networks of their own.", pods,
			services)
	}
	c.families(p, pods, services)
}

// families requires one family of addresses of all networks: the API server refuses a network of services of another
// family than its own address, and a node's address is all that its pods have towards the other nodes.
func (c *clusterChecks) families(p Params, pods, services netip.Prefix) {
	const rule = "pods, services and nodes need networks of one family."
	if pods.IsValid() && services.IsValid() && Family(pods.Addr()) != Family(services.Addr()) {
		c.add("master_node.cluster_cidr", "%s is %s, but master_node.pod_cidr %s is %s; %s", services,
			Family(services.Addr()), pods, Family(pods.Addr()), rule)
		return // which of the two the nodes fit is then of no use
	}
	if p.Proxy == nil || !pods.IsValid() {
		return
	}
	nodes, err := netip.ParsePrefix(p.Proxy.K8sNodeCIDR)
	if err == nil && Family(nodes.Addr()) != Family(pods.Addr()) { // the check of the value reports an error
		c.add("proxy.k8s_node_cidr", "%s is %s, but master_node.pod_cidr %s is %s; %s", nodes, Family(nodes.Addr()), pods,
			Family(pods.Addr()), rule)
	}
}

// Family is the name of the family of an address.
func Family(addr netip.Addr) string {
	if addr.Is4() || addr.Is4In6() {
		return "IPv4"
	}
	return "IPv6"
}

// IPv6 reports whether the pods or the services have IPv6 addresses.
func (p Params) IPv6() bool {
	for _, cidr := range []string{p.MasterNode.PodCIDR, p.MasterNode.ServiceCIDR} {
		if prefix, err := netip.ParsePrefix(cidr); err == nil && Family(prefix.Addr()) == "IPv6" {
			return true
		}
	}
	return false
}

// NodeCIDRMask is the prefix length of each node's share of the pod network. It is Kubernetes's default (24, or 64 for
// IPv6) if that is enough for so many nodes, else a longer one. It is 0 when nothing fits.
func NodeCIDRMask(pods netip.Prefix, nodes int) int {
	usual, longest := 24, 28 // a /28 still holds the system's pods
	if pods.Addr().Is6() {
		usual, longest = 64, 112
	}
	mask := max(usual, pods.Bits()+bits.Len(uint(max(nodes-1, 0))))
	if mask > longest || mask-pods.Bits() > 16 { // 16: a limit of Kubernetes's allocator
		return 0
	}
	return mask
}

// cidr is false where the network is wrong; the network is then the zero value.
func (c *clusterChecks) cidr(key, value string) (netip.Prefix, bool) {
	prefix, err := netip.ParsePrefix(value)
	if err != nil {
		c.add(key, "must be a network such as %s, not %q.", DefaultPodCIDR, value)
		return netip.Prefix{}, false
	}
	for _, s := range special {
		if taken := netip.MustParsePrefix(s.network); taken.Overlaps(prefix) {
			c.add(key, "%s has %s (%s), which pods and services cannot have; choose another network, such as %s.", prefix,
				s.what, taken, DefaultPodCIDR)
			return netip.Prefix{}, false
		}
	}
	return prefix.Masked(), true
}
