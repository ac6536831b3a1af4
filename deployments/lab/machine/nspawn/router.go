package nspawn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// uplink is the router's interface towards the host.
const uplink = "host"

const netnsDir = "/run/netns/"

func (h *Hypervisor) router() string     { return "wl-" + h.tag }
func bridgeName(networkID string) string { return "wl-" + short(networkID)[:6] }
func tapName(portID string) string       { return "tap" + short(portID) }

// ensureRouter makes the network namespace for bridges, port security and floating IPs. It forwards between the lab's
// networks and to the host, and has no other route. So machines cannot reach beyond the host, whatever the host
// forwards for others.
func (h *Hypervisor) ensureRouter(ctx context.Context) error {
	if exists(netnsDir+h.router()) && exists("/sys/class/net/"+h.router()) {
		return nil
	}
	if err := h.removeRouter(ctx); err != nil {
		return err
	}
	steps := [][]string{
		{"ip", "netns", "add", h.router()},
		{"ip", "link", "add", h.router(), "type", "veth", "peer", "name", uplink, "netns", h.router()},
		{"ip", "addr", "add", h.hostLink().String() + "/30", "dev", h.router()},
		{"ip", "link", "set", h.router(), "up"},
		{"ip", "-n", h.router(), "addr", "add", h.routerLink().String() + "/30", "dev", uplink},
		{"ip", "-n", h.router(), "link", "set", uplink, "up"},
		{"ip", "-n", h.router(), "link", "set", "lo", "up"},
		// The address translation of routed packets must not apply to frames between machines. Machines ask the router for
		// names; a refusal that Linux holds back costs them five seconds. It does so because it has sent one there a moment
		// ago (ratelimit), or because it has sent some fifty to anybody (the mask says to which messages that applies).
		{"ip", "netns", "exec", h.router(), "sh", "-c", `
			echo 1 >/proc/sys/net/ipv4/ip_forward
			echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
			echo 0 >/proc/sys/net/ipv4/icmp_ratelimit
			echo 0 >/proc/sys/net/ipv4/icmp_ratemask
			for f in /proc/sys/net/bridge/bridge-nf-call-*; do [ ! -e "$f" ] || echo 0 >"$f"; done`},
	}
	for _, step := range steps {
		if _, err := run(ctx, "", step[0], step[1:]...); err != nil {
			return broken(err, "The lab's router cannot be made.")
		}
	}
	return nil
}

func (h *Hypervisor) removeRouter(ctx context.Context) error {
	if exists("/sys/class/net/" + h.router()) {
		if _, err := run(ctx, "", "ip", "link", "del", h.router()); err != nil {
			return broken(err, "The interface %s cannot be removed.", h.router())
		}
	}
	return removeNetns(ctx, h.router())
}

func removeNetns(ctx context.Context, name string) error {
	if !exists(netnsDir + name) {
		return nil
	}
	_, err := run(ctx, "", "ip", "netns", "del", name)
	return broken(err, "The network namespace %s cannot be removed.", name)
}

// EnsureNetwork makes the network's bridge in the router and the host's route to it.
func (h *Hypervisor) EnsureNetwork(ctx context.Context, n machine.Network) error {
	if err := checkID("network", n.ID); err != nil {
		return err
	}
	for _, s := range subnetsOf(n) {
		if s.cidr.IsValid() && s.cidr.Addr().Is4() != s.is4 || s.gateway.IsValid() && !s.cidr.Contains(s.gateway) {
			return lcm.Errorf(lcm.KindInvalid, "Network %s: %s with gateway %s is not an %s subnet.", n.ID, s.cidr, s.gateway,
				s.family())
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, other := range h.networks.list() {
		if other.ID == n.ID {
			continue
		}
		if mine, theirs, overlap := overlapOf(n, other); overlap {
			return lcm.Errorf(lcm.KindConflict, "Network %s: %s overlaps %s of network %s; the lab has one router.", n.ID,
				mine, theirs, other.ID)
		}
	}
	if err := h.ensureRouter(ctx); err != nil {
		return err
	}
	if err := h.plugNetwork(ctx, n); err != nil {
		return err
	}
	return broken(h.networks.put(n.ID, n), "Network %s cannot be recorded.", n.ID)
}

func (h *Hypervisor) plugNetwork(ctx context.Context, n machine.Network) error {
	bridge := bridgeName(n.ID)
	if _, err := run(ctx, "", "ip", "-n", h.router(), "link", "show", bridge); err != nil {
		// A fixed address: by default a bridge takes the address of its first port, and the gateway's MAC would change.
		if _, err := run(ctx, "", "ip", "-n", h.router(), "link", "add", bridge, "address", bridgeMAC(n.ID), "type", "bridge",
			"mcast_snooping", "0"); err != nil {
			return broken(err, "The bridge of network %s cannot be made.", n.ID)
		}
	}
	batch := fmt.Sprintf("link set %s up\n", bridge)
	if n.Gateway.IsValid() {
		batch += fmt.Sprintf("addr replace %s/%d dev %s\n", n.Gateway, n.CIDR.Bits(), bridge)
	}
	if _, err := run(ctx, batch, "ip", "-n", h.router(), "-batch", "-"); err != nil {
		return broken(err, "The bridge of network %s cannot be set up.", n.ID)
	}
	if n.Gateway6.IsValid() {
		if err := h.plugIPv6(ctx, n); err != nil {
			return err
		}
	}
	if !n.Gateway.IsValid() {
		return nil
	}
	return h.routeFromHost(ctx, n.CIDR.Masked(), h.routerLink())
}

// routeFromHost adds a route, and refuses a destination that the host already routes elsewhere.
func (h *Hypervisor) routeFromHost(ctx context.Context, to netip.Prefix, via netip.Addr) error {
	have, err := run(ctx, "", "ip", versionFlag(to.Addr()), "route", "show", "exact", to.String())
	if err != nil {
		return broken(err, "The routes of this host cannot be read.")
	}
	if have = strings.TrimSpace(have); have != "" && !strings.Contains(have+" ", "dev "+h.router()+" ") {
		return lcm.Errorf(lcm.KindConflict, "This host already has a route to %s (%s); give the network other addresses.", to,
			have)
	}
	_, err = run(ctx, "", "ip", "route", "replace", to.String(), "via", via.String(), "dev", h.router())
	return broken(err, "The host's route to %s cannot be set.", to)
}

// DeleteNetwork removes the network's bridge and route.
func (h *Hypervisor) DeleteNetwork(ctx context.Context, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, ok := h.networks.all[id]
	if !ok {
		return nil
	}
	for _, m := range h.machines {
		for _, p := range m.spec.Ports {
			if p.NetworkID == id {
				return lcm.Errorf(lcm.KindConflict, "Network %s still has a port of machine %s.", id, m.spec.Name)
			}
		}
	}
	if exists(netnsDir + h.router()) {
		for _, s := range subnetsOf(n) {
			if s.gateway.IsValid() { // without one the host has no route to it, and another network may have the same subnet
				_, _ = run(ctx, "", "ip", "route", "del", s.cidr.Masked().String(), "dev", h.router())
			}
		}
		if _, err := run(ctx, "", "ip", "-n", h.router(), "link", "del", bridgeName(id)); err != nil &&
			!strings.Contains(err.Error(), "Cannot find device") {
			return broken(err, "The bridge of network %s cannot be removed.", id)
		}
	}
	return broken(h.networks.remove(id), "Network %s cannot be forgotten.", id)
}

// BindFloatingIP adds the address to the router. The router answers for it on every network and on the host's link, and
// translates it.
func (h *Hypervisor) BindFloatingIP(ctx context.Context, f machine.FloatingIP) error {
	if err := checkID("floating IP", f.ID); err != nil {
		return err
	}
	address, err := netip.ParseAddr(f.Address)
	fixed, err2 := netip.ParseAddr(f.FixedIP)
	if err = errors.Join(err, err2); err != nil || !address.Is4() || !fixed.Is4() {
		return lcm.Wrap(lcm.KindInvalid, err, "Floating IP %s: %q to %q is not a pair of IPv4 addresses.", f.ID, f.Address,
			f.FixedIP)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, other := range h.floating.list() {
		if other.ID != f.ID && other.Address == f.Address {
			return lcm.Errorf(lcm.KindConflict, "Address %s belongs to floating IP %s.", f.Address, other.ID)
		}
	}
	if err := h.ensureRouter(ctx); err != nil {
		return err
	}
	if old, ok := h.floating.all[f.ID]; ok && old.Address != f.Address {
		h.withdraw(ctx, old)
	}
	if err := h.floating.put(f.ID, f); err != nil {
		return broken(err, "Floating IP %s cannot be recorded.", f.Address)
	}
	if err := h.announce(ctx, f); err != nil {
		return err
	}
	return h.applyRules(ctx)
}

func (h *Hypervisor) announce(ctx context.Context, f machine.FloatingIP) error {
	if _, err := run(ctx, "", "ip", "-n", h.router(), "addr", "replace", f.Address+"/32", "dev", "lo"); err != nil {
		return broken(err, "Floating IP %s cannot be given to the router.", f.Address)
	}
	return h.routeFromHost(ctx, netip.PrefixFrom(netip.MustParseAddr(f.Address), 32), h.routerLink())
}

func (h *Hypervisor) withdraw(ctx context.Context, f machine.FloatingIP) {
	// A route or address that is already gone is no error.
	_, _ = run(ctx, "", "ip", "route", "del", f.Address+"/32", "dev", h.router())
	_, _ = run(ctx, "", "ip", "-n", h.router(), "addr", "del", f.Address+"/32", "dev", "lo")
}

// UnbindFloatingIP ends the translation and removes the address.
func (h *Hypervisor) UnbindFloatingIP(ctx context.Context, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.floating.all[id]
	if !ok {
		return nil
	}
	if err := h.floating.remove(id); err != nil {
		return broken(err, "Floating IP %s cannot be forgotten.", f.Address)
	}
	h.withdraw(ctx, f)
	return h.applyRules(ctx)
}

// applyRules makes the router enforce the recorded rules. The caller holds d.mu.
func (h *Hypervisor) applyRules(ctx context.Context) error {
	if !exists(netnsDir + h.router()) {
		return nil
	}
	rules := ruleset{HostLink: h.hostLink(), Floating: h.floating.list()}
	for _, m := range h.machines {
		rules.Ports = append(rules.Ports, m.spec.Ports...)
	}
	text, err := rules.render()
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The lab cannot enforce the addresses of a port.")
	}
	_, err = run(ctx, text, "ip", "netns", "exec", h.router(), "nft", "-f", "-")
	return broken(err, "The lab's packet filter cannot be set.")
}

func bridgeMAC(networkID string) string {
	s := short(networkID)
	return fmt.Sprintf("fa:16:%s:%s:%s:%s", s[:2], s[2:4], s[4:6], s[6:8])
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
