package drift

import (
	"crypto/sha256"
	"encoding/pem"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// balancers compares HAProxy and keepalived of the control planes, and tells who holds the virtual IP.
func (c *comparison) balancers() {
	if c.want.HAProxy == "" {
		return
	}
	var holders, cut []lcm.Node
	seen := 0
	for _, node := range c.want.Nodes.With(lcm.ControlPlane) {
		s, looked := c.have.Sights[node.Name]
		if !looked || s.Unreachable != "" {
			continue
		}
		seen++
		if difference := differs(c.want.HAProxy, s.HAProxy); difference != "" {
			c.about(node, lcm.DriftHAProxyConfiguration, "has another configuration of HAProxy than Windlass has written: %s.",
				difference)
		}
		if !s.HAProxyRuns {
			c.about(node, lcm.DriftHAProxyStopped, "does not run HAProxy.")
		}
		if !s.KeepalivedRuns {
			c.about(node, lcm.DriftKeepalivedStopped, "does not run keepalived.")
		}
		if s.HoldsVirtualIP {
			holders = append(holders, node)
		}
		if !s.ReachesVirtualIP {
			cut = append(cut, node)
		}
	}
	c.virtualIP(seen, holders, cut)
}

// virtualIP wants exactly one holder. Whether there is none is known only when every control plane was seen.
func (c *comparison) virtualIP(seen int, holders, cut []lcm.Node) {
	if len(holders) > 1 {
		var names []string
		for _, n := range holders {
			names = append(names, n.Name)
		}
		c.add(lcm.DriftVirtualIPDoubled, "", "", "%s hold the virtual IP at once.", strings.Join(names, " and "))
	}
	if len(holders) == 0 && seen == len(c.want.running().With(lcm.ControlPlane)) {
		c.add(lcm.DriftVirtualIPMissing, "", "", "No control plane holds the virtual IP.")
		return // that nobody reaches it is no news then
	}
	for _, node := range cut {
		c.about(node, lcm.DriftVirtualIPUnreachable, "does not reach HAProxy on the virtual IP.")
	}
}

// VirtualIPHolder is the name of the control plane that holds the virtual IP; "" when none was seen to, or several were.
func VirtualIPHolder(want Expected, have Seen) (name string) {
	for _, node := range want.Nodes.With(lcm.ControlPlane) {
		s := have.Sights[node.Name]
		switch {
		case want.HAProxy == "" || s.Unreachable != "" || !s.HoldsVirtualIP:
		case name != "":
			return ""
		default:
			name = node.Name
		}
	}
	return name
}

// differs tells in what a configuration of HAProxy differs, as a clause; "" when it does not. It quotes the names of
// Windlass's own servers only: what somebody has written there may be a password.
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

// lines are those of a configuration that mean something.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// without is what of a is not in b, each line of b taking one away.
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

// trust compares the CA of the cluster, which is that of most control planes, with what is registered.
func (c *comparison) trust() {
	if len(c.want.Nodes) == 0 {
		return
	}
	votes, ca := map[string]int{}, ""
	for _, node := range c.want.Nodes.With(lcm.ControlPlane) {
		if print := fingerprint(c.have.Sights[node.Name].CA); print != "" {
			if votes[print]++; ca == "" || votes[print] > votes[ca] {
				ca = print
			}
		}
	}
	for _, node := range c.want.Nodes {
		s, looked := c.have.Sights[node.Name]
		if !looked || s.Unreachable != "" || ca == "" {
			continue
		}
		switch fingerprint(s.CA) {
		case ca:
		case "":
			c.about(node, lcm.DriftNodeCADiffers, "has no CA certificate of the cluster.")
		default:
			c.about(node, lcm.DriftNodeCADiffers, "has another CA certificate than the cluster.")
		}
	}
	switch {
	case !c.want.ClusterVim:
	case !c.have.VimRegistered:
		c.add(lcm.DriftClusterVimUnregistered, "", "", "The cluster is not registered as a VIM any more.")
	case ca != "" && fingerprint(c.have.RegisteredCA) != ca:
		c.add(lcm.DriftRegisteredCADiffers, "", "",
			"The cluster is registered as a VIM with another CA certificate than it has: who uses the VIM does not trust it.")
	}
}

// fingerprint tells certificates apart, however their PEM is written; "" for none.
func fingerprint(text string) string {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return ""
	}
	sum := sha256.Sum256(block.Bytes)
	return string(sum[:])
}
