package nspawn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

var validHostname = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$`)

func checkPort(p machine.Port) error {
	if err := checkID("port", p.ID); err != nil {
		return err
	}
	mac, err := net.ParseMAC(p.MAC)
	if err != nil || len(mac) != 6 {
		return lcm.Errorf(lcm.KindInvalid, "Port %s: %q is not a MAC address.", p.ID, p.MAC)
	}
	if (len(p.FixedIPs) > 0 || p.PrefixLen != 0) && (p.PrefixLen < 1 || p.PrefixLen > 32) {
		return lcm.Errorf(lcm.KindInvalid, "Port %s: %d is not the length of a prefix.", p.ID, p.PrefixLen)
	}
	if _, err := sourcesOf(p); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The addresses of port %s are not valid.", p.ID)
	}
	return nil
}

// plug makes the machine's network namespace and its ports. The namespace lasts for one boot, so that a reboot does not
// find leftovers of the last boot.
func (h *Hypervisor) plug(ctx context.Context, i *instance) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	// First, so that no frame passes an unguarded port.
	if err := h.applyRules(ctx); err != nil {
		return err
	}
	if _, err := run(ctx, "", "ip", "netns", "add", i.name); err != nil {
		return broken(err, "The network namespace of machine %s cannot be made.", i.spec.Name)
	}
	outside, inside := portCommands(i.name, i.spec.Ports)
	if _, err := run(ctx, outside, "ip", "-n", h.router(), "-batch", "-"); err != nil {
		return broken(err, "The ports of machine %s cannot be plugged into their networks.", i.spec.Name)
	}
	_, err := run(ctx, inside, "ip", "-n", i.name, "-batch", "-")
	return broken(err, "The addresses of machine %s cannot be set.", i.spec.Name)
}

// portCommands returns the lines for ip -batch in the router and in the machine.
func portCommands(netns string, ports []machine.Port) (outside, inside string) {
	var out, in strings.Builder
	in.WriteString("link set lo up\n")
	var gateways gateways
	for n, p := range ports {
		tap, eth := tapName(p.ID), fmt.Sprintf("eth%d", n)
		fmt.Fprintf(&out, "link add %s type veth peer name %s address %s netns %s\n", tap, eth, p.MAC, netns)
		fmt.Fprintf(&out, "link set %s master %s up\n", tap, bridgeName(p.NetworkID))
		for _, ip := range p.FixedIPs {
			fmt.Fprintf(&in, "addr add %s/%d dev %s\n", ip, p.PrefixLen, eth)
		}
		for _, ip := range p.IPv6 {
			fmt.Fprintf(&in, "addr add %s dev %s nodad\n", ip, eth)
		}
		fmt.Fprintf(&in, "link set %s up\n", eth)
		gateways.write(&in, "add", p, eth)
	}
	return out.String(), in.String()
}

// gateways are the next hops of a machine's default routes, one of each version: that of the first port that has one.
type gateways struct{ v4, v6 string }

// write writes the lines that make a port's gateways the machine's, if it has none yet.
func (g *gateways) write(to *strings.Builder, verb string, p machine.Port, eth string) {
	if g.v4 == "" && p.Gateway != "" {
		g.v4 = p.Gateway
		fmt.Fprintf(to, "route %s default via %s dev %s\n", verb, p.Gateway, eth)
	}
	if g.v6 == "" && p.Gateway6 != "" {
		g.v6 = p.Gateway6
		fmt.Fprintf(to, "route %s ::/0 via %s dev %s\n", verb, p.Gateway6, eth)
	}
}

// unplug removes the ports and the namespace. It removes the ports first and by name: a namespace, with its interfaces,
// ends some time after its deletion.
func (h *Hypervisor) unplug(ctx context.Context, i *instance) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all error
	if exists(netnsDir + h.router()) {
		for _, p := range i.spec.Ports {
			_, err := run(ctx, "", "ip", "-n", h.router(), "link", "del", tapName(p.ID))
			if err != nil && !strings.Contains(err.Error(), "Cannot find device") {
				all = errors.Join(all, err)
			}
		}
	}
	return errors.Join(all, removeNetns(ctx, i.name))
}
