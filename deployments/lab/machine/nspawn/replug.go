package nspawn

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

// Replug replaces a machine's ports. A stopped machine gets them at its next boot.
//
// In a running machine, Replug compares the ports with the interfaces that exist, not with the record. It removes an
// interface without a port. It gives a port without an interface a new one, with the first free name. After the next
// boot the names follow the order of the ports again.
func (h *Hypervisor) Replug(ctx context.Context, id string, ports []machine.Port) error {
	for _, p := range ports {
		if err := checkPort(p); err != nil {
			return err
		}
	}
	if err := h.checkNetworks(machine.Machine{Name: id, Ports: ports}); err != nil {
		return err
	}
	i, err := h.acquire(id)
	if err != nil {
		return err
	}
	defer i.busy.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	before := i.spec.Ports
	i.spec.Ports = slices.Clone(ports)
	if err := writeJSON(i.path("machine.json"), i.spec); err != nil {
		i.spec.Ports = before
		return broken(err, "The ports of machine %s cannot be recorded.", i.spec.Name)
	}
	// First, so that no frame passes an unguarded port.
	if err := h.applyRules(ctx); err != nil {
		return err
	}
	if !i.running() {
		return nil
	}
	return broken(h.rewire(ctx, i), "Machine %s cannot be given its ports.", i.spec.Name)
}

// device is an interface in the output of ip.
type device struct {
	Name string `json:"ifname"`
	MAC  string `json:"address"`
}

// pluggable matches the interfaces that the lab has made. The machine makes the others, such as those of its pods.
var pluggable = regexp.MustCompile(`^eth[0-9]+$`)

// rewire makes the interfaces of a running machine match its ports. The caller holds d.mu.
func (h *Hypervisor) rewire(ctx context.Context, i *instance) error {
	said, err := run(ctx, "", "ip", "-n", i.name, "-json", "link", "show")
	if err != nil {
		return err
	}
	var have []device
	if err := json.Unmarshal([]byte(said), &have); err != nil {
		return fmt.Errorf("interfaces of %s: %w", i.name, err)
	}
	have = slices.DeleteFunc(have, func(dev device) bool { return !pluggable.MatchString(dev.Name) })
	outside, inside := replugCommands(i.name, have, i.spec.Ports)
	if inside.remove != "" { // the other end of an interface goes with it
		if _, err := run(ctx, inside.remove, "ip", "-n", i.name, "-batch", "-"); err != nil {
			return err
		}
	}
	if outside != "" {
		if _, err := run(ctx, outside, "ip", "-n", h.router(), "-batch", "-"); err != nil {
			return err
		}
	}
	_, err = run(ctx, inside.add, "ip", "-n", i.name, "-batch", "-")
	return err
}

// replugging has the lines for ip -batch in the machine: remove runs before the router's lines, add after them.
type replugging struct{ remove, add string }

// replugCommands returns the lines that make a machine's interfaces match its ports. They always set the addresses and
// the default route again: an earlier attempt may have stopped half-way.
func replugCommands(netns string, have []device, ports []machine.Port) (outside string, inside replugging) {
	var out, remove, add strings.Builder
	names := map[string]string{} // by MAC
	for _, dev := range have {
		if slices.ContainsFunc(ports, func(p machine.Port) bool { return strings.EqualFold(p.MAC, dev.MAC) }) {
			names[strings.ToLower(dev.MAC)] = dev.Name
		} else {
			fmt.Fprintf(&remove, "link del %s\n", dev.Name)
		}
	}
	var gateways gateways
	for _, p := range ports {
		eth, kept := names[strings.ToLower(p.MAC)]
		if !kept {
			eth = freeName(names)
			names[strings.ToLower(p.MAC)] = eth
			fmt.Fprintf(&out, "link add %s type veth peer name %s address %s netns %s\n", tapName(p.ID), eth, p.MAC, netns)
			fmt.Fprintf(&out, "link set %s master %s up\n", tapName(p.ID), bridgeName(p.NetworkID))
		}
		for _, ip := range p.FixedIPs {
			fmt.Fprintf(&add, "addr replace %s/%d dev %s\n", ip, p.PrefixLen, eth)
		}
		for _, ip := range p.IPv6 {
			fmt.Fprintf(&add, "addr replace %s dev %s nodad\n", ip, eth)
		}
		fmt.Fprintf(&add, "link set %s up\n", eth)
		gateways.write(&add, "replace", p, eth)
	}
	return out.String(), replugging{remove.String(), add.String()}
}

// freeName returns the first unused name.
func freeName(names map[string]string) string {
	for n := 0; ; n++ {
		name := fmt.Sprintf("eth%d", n)
		taken := false
		for _, other := range names {
			taken = taken || other == name
		}
		if !taken {
			return name
		}
	}
}
