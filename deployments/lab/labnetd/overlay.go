package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const (
	device = "labnet"
	vni    = 78
	// port is Linux's own for VXLAN, as flannel uses it.
	port = 8472
	// overhead of VXLAN over IPv4.
	overhead = 50
)

// apply makes device, neighbours and routes as planned, and returns the pods' MTU.
func apply(p plan) (mtu int, err error) {
	link, err := ensureDevice(p.self)
	if err != nil {
		return 0, err
	}
	for _, other := range p.peers {
		if err := reach(link, other); err != nil {
			return 0, fmt.Errorf("node %s: %w", other.node, err)
		}
	}
	return link.Attrs().MTU, forget(link, p.peers)
}

// ensureDevice makes the tunnel's end, again when the node's address has changed.
func ensureDevice(self peer) (netlink.Link, error) {
	under, err := linkWith(self.node)
	if err != nil {
		return nil, err
	}
	want := &netlink.Vxlan{
		LinkAttrs: netlink.LinkAttrs{Name: device, MTU: under.Attrs().MTU - overhead, HardwareAddr: self.mac()},
		VxlanId:   vni, Port: port, SrcAddr: self.node.AsSlice(), VtepDevIndex: under.Attrs().Index, Learning: false,
	}
	have, err := netlink.LinkByName(device)
	if old, ok := have.(*netlink.Vxlan); err == nil &&
		(!ok || !old.SrcAddr.Equal(want.SrcAddr) || old.VtepDevIndex != want.VtepDevIndex) {
		if err := netlink.LinkDel(have); err != nil {
			return nil, fmt.Errorf("remove old %s: %w", device, err)
		}
		have = nil
	}
	if have == nil {
		if err := netlink.LinkAdd(want); err != nil {
			return nil, fmt.Errorf("add %s: %w", device, err)
		}
	}
	link, err := netlink.LinkByName(device)
	if err != nil {
		return nil, err
	}
	address := &netlink.Addr{IPNet: ipNet(netip.PrefixFrom(self.tunnel(), 32))}
	if err := netlink.AddrReplace(link, address); err != nil {
		return nil, fmt.Errorf("address of %s: %w", device, err)
	}
	return link, netlink.LinkSetUp(link)
}

func linkWith(address netip.Addr) (netlink.Link, error) {
	addresses, err := netlink.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	for _, a := range addresses {
		if a.IP.Equal(address.AsSlice()) {
			return netlink.LinkByIndex(a.LinkIndex)
		}
	}
	return nil, fmt.Errorf("no interface has the node's address %s", address)
}

// reach sets all the kernel must know of one peer: the way to its pods leads to its tunnel address,
// which has its MAC, which is behind its node address.
func reach(link netlink.Link, p peer) error {
	index := link.Attrs().Index
	return errors.Join(
		netlink.NeighSet(&netlink.Neigh{
			LinkIndex: index, Family: unix.AF_BRIDGE, Flags: netlink.NTF_SELF, State: netlink.NUD_PERMANENT,
			IP: p.node.AsSlice(), HardwareAddr: p.mac(),
		}),
		netlink.NeighSet(&netlink.Neigh{
			LinkIndex: index, Family: unix.AF_INET, State: netlink.NUD_PERMANENT, IP: p.tunnel().AsSlice(),
			HardwareAddr: p.mac(),
		}),
		netlink.RouteReplace(&netlink.Route{
			LinkIndex: index, Dst: ipNet(p.pods), Gw: p.tunnel().AsSlice(), Flags: int(netlink.FLAG_ONLINK),
		}),
	)
}

// forget removes what leads to nodes that are gone: their pod CIDR may come back with another node.
func forget(link netlink.Link, peers []peer) error {
	routes, err := netlink.RouteList(link, netlink.FAMILY_V4)
	if err != nil {
		return fmt.Errorf("list routes: %w", err)
	}
	for _, r := range routes {
		known := slices.ContainsFunc(peers, func(p peer) bool { return r.Dst != nil && r.Dst.String() == p.pods.String() })
		if r.Gw == nil || known {
			continue
		}
		if err := netlink.RouteDel(&r); err != nil {
			return fmt.Errorf("delete route to %s: %w", r.Dst, err)
		}
	}
	for _, family := range []int{unix.AF_INET, unix.AF_BRIDGE} {
		neighbours, err := netlink.NeighList(link.Attrs().Index, family)
		if err != nil {
			return fmt.Errorf("list neighbours: %w", err)
		}
		for _, n := range neighbours {
			known := slices.ContainsFunc(peers, func(p peer) bool { return slices.Equal(p.mac(), n.HardwareAddr) })
			if n.State&netlink.NUD_PERMANENT == 0 || known {
				continue
			}
			if err := netlink.NeighDel(&n); err != nil {
				return fmt.Errorf("delete neighbour %s: %w", n.HardwareAddr, err)
			}
		}
	}
	return nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
