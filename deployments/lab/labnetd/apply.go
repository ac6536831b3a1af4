package main

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// routeProtocol marks labnetd's own routes, so that those of nodes that left can be told and removed.
const routeProtocol = 78

// The plugins are Debian's containernetworking-plugins; 0.4.0 is the newest version they and
// containerd 1.6 both speak.
const conflist = `{"cniVersion":"0.4.0","name":"labnet","plugins":[
 {"type":"bridge","bridge":"cni0","isGateway":true,"ipMasq":true,"hairpinMode":true,
  "ipam":{"type":"host-local","ranges":[[{"subnet":%q}]],"routes":[{"dst":"0.0.0.0/0"}]}},
 {"type":"portmap","capabilities":{"portMappings":true}}]}
`

func writeConf(path, podCIDR string) error {
	want := fmt.Appendf(nil, conflist, podCIDR)
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
		return nil
	}
	// containerd reads every *.conflist at once: the name must not end so before it is whole.
	temp := path + ".new"
	if err := os.WriteFile(temp, want, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

func setRoutes(want []route) error {
	have, err := netlink.RouteListFiltered(netlink.FAMILY_V4,
		&netlink.Route{Protocol: routeProtocol, Table: unix.RT_TABLE_MAIN}, netlink.RT_FILTER_PROTOCOL|netlink.RT_FILTER_TABLE)
	if err != nil {
		return fmt.Errorf("list routes: %w", err)
	}
	for _, h := range have {
		if slices.ContainsFunc(want, func(w route) bool { return same(w, h) }) {
			continue
		}
		if err := netlink.RouteDel(&h); err != nil {
			return fmt.Errorf("delete route to %s: %w", h.Dst, err)
		}
	}
	for _, w := range want {
		if slices.ContainsFunc(have, func(h netlink.Route) bool { return same(w, h) }) {
			continue
		}
		r := netlink.Route{Dst: ipNet(w.to), Gw: w.via.AsSlice(), Protocol: routeProtocol}
		if err := netlink.RouteReplace(&r); err != nil {
			return fmt.Errorf("route %s via %s: %w", w.to, w.via, err)
		}
	}
	return nil
}

func same(w route, h netlink.Route) bool {
	return h.Dst != nil && h.Dst.String() == w.to.Masked().String() && h.Gw.Equal(w.via.AsSlice())
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Masked().Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
