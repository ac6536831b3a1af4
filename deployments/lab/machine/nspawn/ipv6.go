package nspawn

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

// subnet is one of a network's subnets that the host can reach.
type subnet struct {
	is4     bool
	cidr    netip.Prefix
	gateway netip.Addr
}

func subnetsOf(n machine.Network) []subnet {
	return []subnet{{true, n.CIDR, n.Gateway}, {false, n.CIDR6, n.Gateway6}}
}

func (s subnet) family() string {
	if s.is4 {
		return "IPv4"
	}
	return "IPv6"
}

// overlapOf returns the subnets of two networks that overlap, and to both of which the router leads.
func overlapOf(n, other machine.Network) (mine, theirs netip.Prefix, overlap bool) {
	for i, s := range subnetsOf(n) {
		o := subnetsOf(other)[i]
		if s.gateway.IsValid() && o.gateway.IsValid() && s.cidr.Overlaps(o.cidr) {
			return s.cidr, o.cidr, true
		}
	}
	return netip.Prefix{}, netip.Prefix{}, false
}

// plugIPv6 gives the router its address in the network, and the host a route there. The router has IPv6 from the first
// such network on. It sends no router advertisements: machines get their default route when they boot.
func (h *Hypervisor) plugIPv6(ctx context.Context, n machine.Network) error {
	_, err := run(ctx, "", "ip", "netns", "exec", h.router(), "sh", "-ec", `
		echo 0 >/proc/sys/net/ipv6/conf/all/disable_ipv6
		echo 0 >/proc/sys/net/ipv6/icmp/ratelimit
		echo 100 >/proc/sys/net/ipv6/icmp/ratemask # a type that nobody sends
		echo 1 >/proc/sys/net/ipv6/conf/all/forwarding`)
	if err != nil {
		return broken(err, "The lab's router cannot be given IPv6; see that the kernel of this host has it.")
	}
	batch := fmt.Sprintf("addr replace %s/126 dev %s nodad\naddr replace %s/%d dev %s nodad\n", linkAddress6(h.tag, 2),
		uplink, n.Gateway6, n.CIDR6.Bits(), bridgeName(n.ID))
	if _, err := run(ctx, batch, "ip", "-n", h.router(), "-batch", "-"); err != nil {
		return broken(err, "The bridge of network %s cannot be given its IPv6 address.", n.ID)
	}
	_, err = run(ctx, "", "ip", "addr", "replace", linkAddress6(h.tag, 1).String()+"/126", "dev", h.router(), "nodad")
	if err != nil {
		return broken(err, "The host's link to the lab's router cannot be given an IPv6 address.")
	}
	return h.routeFromHost(ctx, n.CIDR6.Masked(), linkAddress6(h.tag, 2))
}

// linkAddress6 is an end of the link between host and router. The tag selects it, as it selects those of IPv4. It is a
// unique local address (RFC 4193), because packets from a link-local address are not forwarded.
func linkAddress6(tag string, host byte) netip.Addr {
	sum := sha256.Sum256([]byte(tag))
	return netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x78, 2: sum[0], 3: sum[1], 4: sum[2], 5: sum[3], 15: host})
}

// versionFlag is the option of ip for the version of an address.
func versionFlag(a netip.Addr) string {
	if a.Is4() {
		return "-4"
	}
	return "-6"
}
