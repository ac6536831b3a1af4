package kubeadm

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Balancers are HAProxy and keepalived of control planes that share a virtual IP.
type Balancers struct {
	// HAProxy is the configuration of HAProxy on every control plane, "" where there is none.
	HAProxy string
	// Seen maps control planes that let Windlass in to the findings there.
	Seen map[string]Balancer
}

// Balancer is the finding on one control plane.
type Balancer struct {
	HAProxy          string // its configuration
	HAProxyRuns      bool
	KeepalivedRuns   bool
	HoldsVirtualIP   bool
	ReachesVirtualIP bool
}

// Compare compares HAProxy and keepalived of the control planes, and reports who holds the virtual IP.
func (b Balancers) Compare(c *drift.Comparison) {
	if b.HAProxy == "" {
		return
	}
	var holders, cut []lcm.Node
	seen := 0
	for _, node := range c.Nodes.With(lcm.ControlPlane) {
		s, looked := b.Seen[node.Name]
		if !looked {
			continue
		}
		seen++
		if difference := differs(b.HAProxy, s.HAProxy); difference != "" {
			c.About(node, lcm.DriftHAProxyConfiguration, "has another configuration of HAProxy than Windlass has written: %s.",
				difference)
		}
		if !s.HAProxyRuns {
			c.About(node, lcm.DriftHAProxyStopped, "does not run HAProxy.")
		}
		if !s.KeepalivedRuns {
			c.About(node, lcm.DriftKeepalivedStopped, "does not run keepalived.")
		}
		if s.HoldsVirtualIP {
			holders = append(holders, node)
		}
		if !s.ReachesVirtualIP {
			cut = append(cut, node)
		}
	}
	virtualIP(c, seen, holders, cut)
}

// virtualIP requires exactly one holder. It knows that there is none only when it has seen every control plane.
func virtualIP(c *drift.Comparison, seen int, holders, cut []lcm.Node) {
	if len(holders) > 1 {
		var names []string
		for _, n := range holders {
			names = append(names, n.Name)
		}
		c.Add(lcm.DriftVirtualIPDoubled, "", "", "%s hold the virtual IP at once.", strings.Join(names, " and "))
	}
	if len(holders) == 0 && seen == len(c.Running().With(lcm.ControlPlane)) {
		c.Add(lcm.DriftVirtualIPMissing, "", "", "No control plane holds the virtual IP.")
		return // then it is no news that nobody reaches it
	}
	for _, node := range cut {
		c.About(node, lcm.DriftVirtualIPUnreachable, "does not reach HAProxy on the virtual IP.")
	}
}

// Holder is the name of the control plane that holds the virtual IP. It is "" when none or several seem to hold it.
func (b Balancers) Holder(nodes lcm.Nodes) (name string) {
	for _, node := range nodes.With(lcm.ControlPlane) {
		switch {
		case b.HAProxy == "" || !b.Seen[node.Name].HoldsVirtualIP:
		case name != "":
			return ""
		default:
			name = node.Name
		}
	}
	return name
}

// differs says, as a clause, how a configuration of HAProxy differs; "" when it does not. It quotes only the names of
// Windlass's own servers: text that somebody else has written may be a password.
func differs(want, have string) string {
	if want == have {
		return ""
	}
	if strings.TrimSpace(have) == "" {
		return "there is none"
	}
	missing := without(lines(want), lines(have))
	added := len(without(lines(have), lines(want)))
	if len(missing) == 0 && added == 0 {
		return "" // the same lines: the order of the servers, blank lines or indentation
	}
	var servers []string
	for _, line := range missing {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "server" && !slices.Contains(servers, f[1]) {
			servers = append(servers, f[1])
		}
	}
	out := lcm.Errorf(lcm.KindBroken, "%d lines are missing or changed, %d are not Windlass's", len(missing), added).Detail
	if len(servers) > 0 {
		out += "; among them the servers " + strings.Join(servers, ", ")
	}
	return out
}

// lines are the lines of a configuration without comments and blanks.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// without returns the lines of a that b does not have. Each line of b removes one line of a.
func without(a, b []string) []string {
	b = slices.Clone(b)
	var out []string
	for _, line := range a {
		if i := slices.Index(b, line); i >= 0 {
			b = slices.Delete(b, i, i+1)
			continue
		}
		out = append(out, line)
	}
	return out
}
