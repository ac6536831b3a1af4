package openstack

import (
	"net"
	"net/netip"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// v6 reports whether the subnet is an IPv6 subnet.
func (s Subnet) v6() bool { return s.CIDR.Addr().Is6() }

// automatic reports whether ports in the subnet make their own addresses from their MAC addresses.
func (s Subnet) automatic() bool {
	return s.AddressMode == "slaac" || s.AddressMode == "dhcpv6-stateless"
}

// addressModes are the address modes of IPv6 subnets.
var addressModes = []string{"slaac", "dhcpv6-stateful", "dhcpv6-stateless"}

// checkIPv6 refuses the combinations of IP version and address modes that Neutron refuses.
func (q subnetRequest) checkIPv6(s Subnet) error {
	version := 4
	if s.v6() {
		version = 6
	}
	if q.IPVersion != 0 && q.IPVersion != version {
		return badRequest("Invalid input for operation: cidr '%s' does not match the ip_version '%d'.", q.CIDR, q.IPVersion)
	}
	if q.AddressMode == "" && q.RAMode == "" {
		return nil
	}
	for _, mode := range []string{q.AddressMode, q.RAMode} {
		if mode != "" && !slices.Contains(addressModes, mode) {
			return badRequest("Invalid input for ipv6_address_mode. Reason: '%s' is not in %v.", mode, addressModes)
		}
	}
	switch {
	case version == 4:
		return badRequest("Invalid input for operation: ipv6_ra_mode or ipv6_address_mode cannot be set when ip_version is " +
			"set to 4.")
	case q.DHCP != nil && !*q.DHCP:
		return badRequest("Invalid input for operation: ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is " +
			"set to False.")
	case q.AddressMode != "" && q.RAMode != "" && q.AddressMode != q.RAMode:
		return badRequest("Invalid input for operation: ipv6_ra_mode set to '%s' with ipv6_address_mode set to '%s' is not "+
			"valid. If both attributes are set, they must be the same value.", q.RAMode, q.AddressMode)
	case s.automatic() && s.CIDR.Bits() != 64:
		return badRequest("Invalid CIDR %s for IPv6 address mode. OpenStack uses the EUI-64 address format, which requires "+
			"the prefix to be /64.", s.CIDR)
	}
	return nil
}

// eui64 is the address that an interface makes from its MAC address (RFC 4291, appendix A).
func eui64(prefix netip.Prefix, mac string) (netip.Addr, error) {
	hw, err := net.ParseMAC(mac)
	if err != nil || len(hw) != 6 {
		return netip.Addr{}, badRequest("Invalid input for mac_address. Reason: '%s' is not a valid MAC address.", mac)
	}
	b := prefix.Masked().Addr().As16()
	copy(b[8:], []byte{hw[0] ^ 2, hw[1], hw[2], 0xff, 0xfe, hw[3], hw[4], hw[5]})
	return netip.AddrFrom16(b), nil
}

// subnetsOf returns a network's subnets in the order of their creation.
func subnetsOf(tx *state.Tx, n Network) (out []Subnet) {
	for _, id := range n.SubnetIDs {
		if s, found := subnets.Get(tx, id); found {
			out = append(out, s)
		}
	}
	return out
}

// routable returns a network's first subnets of each version, to which the host routes. The zero value says that the
// network has none.
func (c *Cloud) routable(n Network) (four, six Subnet) {
	_ = c.store.View(func(tx *state.Tx) error {
		four, _ = firstOf(tx, n, false)
		six, _ = firstOf(tx, n, true)
		return nil
	})
	return four, six
}

// firstIPv4 returns a network's first IPv4 subnet: floating IPs come from it. It returns false when the network has none.
func firstIPv4(tx *state.Tx, n Network) (Subnet, bool) { return firstOf(tx, n, false) }

func firstOf(tx *state.Tx, n Network, v6 bool) (Subnet, bool) {
	for _, s := range subnetsOf(tx, n) {
		if s.v6() == v6 {
			return s, true
		}
	}
	return Subnet{}, false
}

// leave removes the addresses that ports have made themselves in a subnet that is deleted.
func leave(tx *state.Tx, subnet string) error {
	for _, p := range ports.All(tx) {
		left := slices.DeleteFunc(slices.Clone(p.FixedIPs), func(ip FixedIP) bool { return ip.SubnetID == subnet })
		if len(left) == len(p.FixedIPs) {
			continue
		}
		p.FixedIPs = left
		if err := ports.Put(tx, p.ID, p); err != nil {
			return err
		}
	}
	return nil
}
