package openstack

import (
	"errors"
	"net/netip"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// allocate gives a new port its addresses.
func (c *Cloud) allocate(tx *state.Tx, p *Port, n Network, q portRequest) error {
	if q.FixedIPs != nil && len(*q.FixedIPs) == 0 || len(n.SubnetIDs) == 0 {
		if q.FixedIPs != nil && len(*q.FixedIPs) > 0 {
			return badRequest("Invalid input for operation: No subnets on network %s.", n.ID)
		}
		return nil
	}
	s, _ := subnets.Get(tx, n.SubnetIDs[0])
	wanted := []string{""}
	if q.FixedIPs != nil {
		wanted = nil
		for _, ip := range *q.FixedIPs {
			if ip.SubnetID != "" && ip.SubnetID != s.ID {
				return badRequest("Invalid input for operation: Failed to create port on network %s, because fixed_ips included invalid subnet %s.", n.ID, ip.SubnetID)
			}
			wanted = append(wanted, ip.IP)
		}
	}
	for _, w := range wanted {
		addr, err := takeAddress(tx, &s, w)
		if err != nil {
			return err
		}
		p.FixedIPs = append(p.FixedIPs, FixedIP{SubnetID: s.ID, IP: addr})
		// The next search in this transaction must see it.
		if err := errors.Join(ports.Put(tx, p.ID, *p), subnets.Put(tx, s.ID, s)); err != nil {
			return err
		}
	}
	return nil
}

// takeAddress finds an address: the wanted one, or the next free one of the pool.
func takeAddress(tx *state.Tx, s *Subnet, wanted string) (netip.Addr, error) {
	used := map[netip.Addr]bool{s.Gateway: true}
	for _, p := range ports.All(tx) {
		for _, ip := range p.FixedIPs {
			used[ip.IP] = true
		}
	}
	if wanted != "" {
		addr, err := netip.ParseAddr(wanted)
		if err != nil || !s.CIDR.Contains(addr) {
			return addr, badRequest("Invalid input for operation: IP address %s is not a valid IP for the specified subnet.", wanted)
		}
		if used[addr] {
			return addr, conflict("IpAddressAlreadyAllocated", "IP address %s already allocated in subnet %s", wanted, s.ID)
		}
		return addr, nil
	}
	addr := s.Next
	for range 1 << (32 - s.CIDR.Bits()) {
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

func sameAddresses(p Port, q portRequest) bool {
	if len(*q.FixedIPs) != len(p.FixedIPs) {
		return false
	}
	for i, ip := range *q.FixedIPs {
		if ip.IP != "" && ip.IP != p.FixedIPs[i].IP.String() {
			return false
		}
	}
	return true
}

// machinePort is a port as the machine driver wants it.
func (c *Cloud) machinePort(p Port) machine.Port {
	out := machine.Port{ID: p.ID, NetworkID: p.NetworkID, MAC: p.MAC}
	for _, ip := range p.FixedIPs {
		s, _ := state.Load(c.store, subnets, ip.SubnetID)
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
		out.AllowedAddresses = []string{"0.0.0.0/0"}
	}
	return out
}

// settle gives ports to a server.
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

// unsettle takes ports away from a server, unless they have gone to another one meanwhile.
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
