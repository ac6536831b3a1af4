package openstack

import (
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// allocate gives a port its addresses: the requested ones, else one of IPv4 and one of IPv6 if the network has such
// subnets. In subnets with automatic addresses the port always gets one.
func (c *Cloud) allocate(tx *state.Tx, p *Port, n Network, q portRequest) error {
	there := subnetsOf(tx, n)
	if p.NoAddress = q.FixedIPs != nil && len(*q.FixedIPs) == 0; p.NoAddress {
		return nil
	}
	if q.FixedIPs == nil {
		for _, v6 := range []bool{false, true} {
			if err := allocateIn(tx, p, slices.DeleteFunc(slices.Clone(there),
				func(s Subnet) bool { return s.v6() != v6 || s.automatic() })); err != nil {
				return err
			}
		}
	} else {
		for _, ip := range *q.FixedIPs {
			s, err := subnetFor(there, n, ip)
			if err == nil {
				err = take(tx, p, s, ip.IP)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, s := range there {
		has := slices.ContainsFunc(p.FixedIPs, func(ip FixedIP) bool { return ip.SubnetID == s.ID })
		if s.automatic() && !has && p.DeviceOwner != ownerRouter {
			if err := take(tx, p, s, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// allocateIn takes an address from the first subnet with a free one; without subnets it takes none.
func allocateIn(tx *state.Tx, p *Port, among []Subnet) (err error) {
	for _, s := range among {
		if err = take(tx, p, s, ""); err == nil {
			return nil
		}
	}
	return err
}

// subnetFor returns the network's subnet for a requested address.
func subnetFor(there []Subnet, n Network, ip wantedIP) (Subnet, error) {
	if len(there) == 0 {
		return Subnet{}, badRequest("Invalid input for operation: No subnets on network %s.", n.ID)
	}
	addr, err := netip.ParseAddr(ip.IP)
	if ip.IP != "" && err != nil {
		return Subnet{}, badRequest("Invalid input for operation: IP address %s is not a valid IP for the specified subnet.",
			ip.IP)
	}
	for _, s := range there {
		switch {
		case ip.SubnetID == s.ID, ip.SubnetID == "" && ip.IP != "" && s.CIDR.Contains(addr):
			return s, nil
		case ip.SubnetID == "" && ip.IP == "" && !s.automatic():
			return s, nil
		}
	}
	if ip.SubnetID != "" {
		return Subnet{}, badRequest("Invalid input for operation: Failed to create port on network %s, because fixed_ips "+
			"included invalid subnet %s.", n.ID, ip.SubnetID)
	}
	return Subnet{}, badRequest("Invalid input for operation: IP address %s is not a valid IP for any of the subnets on "+
		"the specified network.", ip.IP)
}

// take gives a port an address of a subnet.
func take(tx *state.Tx, p *Port, s Subnet, wanted string) error {
	var addr netip.Addr
	var err error
	switch {
	case s.automatic() && wanted != "":
		return badRequest("Invalid input for operation: IPv6 address %s can not be directly assigned to a port on subnet %s "+
			"as the subnet is configured for automatic addresses.", wanted, s.ID)
	case s.automatic():
		addr, err = eui64(s.CIDR, p.MAC)
	default:
		addr, err = takeAddress(tx, &s, wanted)
	}
	if err != nil {
		return err
	}
	p.FixedIPs = append(p.FixedIPs, FixedIP{SubnetID: s.ID, IP: addr})
	// The next search in this transaction must see the address as used.
	return errors.Join(ports.Put(tx, p.ID, *p), subnets.Put(tx, s.ID, s))
}

// mostSearched limits the search for a free address: no network of the lab has more ports.
const mostSearched = 1 << 16

// takeAddress takes the wanted address, or the next free one of the pool. Addresses of other subnets do not count:
// subnets may overlap.
func takeAddress(tx *state.Tx, s *Subnet, wanted string) (netip.Addr, error) {
	used := map[netip.Addr]bool{s.Gateway: true}
	for _, p := range ports.All(tx) {
		for _, ip := range p.FixedIPs {
			if ip.SubnetID == s.ID {
				used[ip.IP] = true
			}
		}
	}
	if wanted != "" {
		addr, err := netip.ParseAddr(wanted)
		if err != nil || !s.CIDR.Contains(addr) {
			return addr, badRequest("Invalid input for operation: IP address %s is not a valid IP for the specified subnet.",
				wanted)
		}
		if used[addr] {
			return addr, conflict("IpAddressAlreadyAllocated", "IP address %s already allocated in subnet %s", wanted, s.ID)
		}
		return addr, nil
	}
	addr := s.Next
	for range min(1<<min(s.CIDR.Addr().BitLen()-s.CIDR.Bits(), 30), mostSearched) {
		if !addr.IsValid() || addr.Compare(s.First) < 0 || addr.Compare(s.Last) > 0 {
			addr = s.First
		}
		if !used[addr] {
			s.Next = addr.Next()
			return addr, nil
		}
		addr = addr.Next()
	}
	return addr, conflict("IpAddressGenerationFailure", "No more IP addresses available on network %s.", s.NetworkID)
}

// sameAddresses reports whether a port has the requested addresses. It ignores addresses that the port makes itself.
func sameAddresses(tx *state.Tx, p Port, q portRequest) bool {
	have := slices.DeleteFunc(slices.Clone(p.FixedIPs), func(ip FixedIP) bool {
		s, _ := subnets.Get(tx, ip.SubnetID)
		return s.automatic() && !slices.ContainsFunc(*q.FixedIPs, func(w wantedIP) bool { return w.SubnetID == ip.SubnetID })
	})
	if len(*q.FixedIPs) != len(have) {
		return false
	}
	for i, ip := range *q.FixedIPs {
		if ip.IP != "" && ip.IP != have[i].IP.String() || ip.SubnetID != "" && ip.SubnetID != have[i].SubnetID {
			return false
		}
	}
	return true
}

// machinePort converts a port to the machine hypervisor's form.
func (c *Cloud) machinePort(p Port) machine.Port {
	out := machine.Port{ID: p.ID, NetworkID: p.NetworkID, MAC: p.MAC}
	for _, ip := range p.FixedIPs {
		s, _ := state.Load(c.store, subnets, ip.SubnetID)
		if s.v6() {
			out.IPv6 = append(out.IPv6, netip.PrefixFrom(ip.IP, s.CIDR.Bits()).String())
			if s.Gateway.IsValid() && out.Gateway6 == "" {
				out.Gateway6 = s.Gateway.String()
			}
			continue
		}
		out.FixedIPs = append(out.FixedIPs, ip.IP.String())
		out.PrefixLen = s.CIDR.Bits()
		if s.Gateway.IsValid() {
			out.Gateway = s.Gateway.String()
		}
	}
	for _, pair := range p.Pairs {
		out.AllowedAddresses = append(out.AllowedAddresses, pair.IP)
	}
	if p.NoSecurity {
		out.AllowedAddresses = []string{"0.0.0.0/0", "::/0"}
	}
	return out
}

// settle binds ports to a server.
func settle(tx *state.Tx, ids []string, server, host, status string, now time.Time) error {
	for _, id := range ids {
		p, found := ports.Get(tx, id)
		if !found {
			continue
		}
		p.DeviceID, p.DeviceOwner, p.Host, p.Status, p.Updated = server, ownerServer, host, status, now
		if err := ports.Put(tx, id, p); err != nil {
			return err
		}
	}
	return nil
}

// unsettle unbinds ports from a server, unless another server has them by now.
func unsettle(tx *state.Tx, ids []string, server string, now time.Time) error {
	for _, id := range ids {
		p, found := ports.Get(tx, id)
		if !found || p.DeviceID != server {
			continue
		}
		p.DeviceID, p.DeviceOwner, p.Host, p.Status, p.Updated = "", "", "", "DOWN", now
		if err := ports.Put(tx, id, p); err != nil {
			return err
		}
	}
	return nil
}
