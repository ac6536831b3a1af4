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

// Replug gives a machine other ports. One that does not run gets them when it boots.
//
// In one that runs, what is there decides, not what was recorded: an interface that belongs to no port goes, and a port
// that has none gets one, by the first name that is free. After the next boot the names follow the order of the ports
// again.
func (d *Driver) Replug(ctx context.Context, id string, ports []machine.Port) error {
	for _, p := range ports {
		if err := checkPort(p); err != nil {
			return err
		}
	}
	if err := d.checkNetworks(machine.Machine{Name: id, Ports: ports}); err != nil {
		return err
	}
	i, err := d.acquire(id)
	if err != nil {
		return err
	}
	defer i.busy.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	before := i.spec.Ports
	i.spec.Ports = slices.Clone(ports)
	if err := writeJSON(i.path("machine.json"), i.spec); err != nil {
		i.spec.Ports = before
		return broken(err, "The ports of machine %s cannot be recorded.", i.spec.Name)
	}
	// First, so that no frame passes a port that is not guarded yet.
	if err := d.applyRules(ctx); err != nil {
		return err
	}
	if !i.running() {
		return nil
	}
	return broken(d.rewire(ctx, i), "Machine %s cannot be given its ports.", i.spec.Name)
}

// device is an interface as ip tells of it.
type device struct {
	Name string `json:"ifname"`
	MAC  string `json:"address"`
}

// pluggable are the names of interfaces that the lab has made: others are the machine's own, such as those of its pods.
var pluggable = regexp.MustCompile(`^eth[0-9]+$`)

// rewire makes the interfaces of a machine that runs those of its ports; d.mu is held.
func (d *Driver) rewire(ctx context.Context, i *instance) error {
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
		if _, err := run(ctx, outside, "ip", "-n", d.router(), "-batch", "-"); err != nil {
			return err
		}
	}
	_, err = run(ctx, inside.add, "ip", "-n", i.name, "-batch", "-")
	return err
}

// replugging are the lines for ip -batch in the machine, before and after those in the router.
type replugging struct{ remove, add string }

// replugCommands are the lines that make of the interfaces that a machine has those of its ports. Addresses and the
// default route are set anew in any case: an attempt before this one may have got half-way.
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
	gateway := ""
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
		if gateway == "" && p.Gateway != "" {
			gateway = p.Gateway
			fmt.Fprintf(&add, "route replace default via %s dev %s\n", p.Gateway, eth)
		}
	}
	return out.String(), replugging{remove.String(), add.String()}
}

// freeName is the first name that no interface has.
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
