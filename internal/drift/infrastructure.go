package drift

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// deployment compares the VIM's resources with the instance's record.
func (c *Comparison) deployment() {
	s := c.have.Deployment
	switch {
	case s.Unreachable != "":
		c.Add(lcm.DriftVimUnreachable, "", "", "Windlass could not ask the VIM for its resources: %s", s.Unreachable)
		return
	case s.Missing:
		c.Add(lcm.DriftDeploymentMissing, "", "", "The VNF's deployment does not exist in the VIM any more.")
		return
	case s.Level == vim.Failed, s.Level == vim.Changing, s.Level == vim.Removed:
		// The VIM's reason is not repeated: it may quote parameters of the deployment.
		c.Add(lcm.DriftDeploymentStatus, "", "", "The VNF's deployment is %s although no operation is under way.", s.Status)
	}
	for _, v := range c.Vnfcs {
		c.server(v)
	}
	for _, m := range s.Members {
		if !slices.ContainsFunc(c.Vnfcs,
			func(v lcm.VnfcResourceInfo) bool { return v.ComputeResource.ResourceID == m.ServerID }) {
			c.Add(lcm.DriftDeploymentMemberUnknown, "", "",
				"The deployment has a server %s of %s that is no VNFC of the VNF instance.", m.ServerID, m.VduID)
		}
	}
	c.levels()
	c.balancer()
}

// balancer compares the cloud's load balancer. Every operation that changes nodes also replaces a lost or failed
// balancer.
func (c *Comparison) balancer() {
	b := c.have.Deployment.Balancer
	const mends = "The next scaling, or heal of a node, makes it again."
	switch {
	case b == nil, b.Level == vim.Running:
	case b.Unreachable != "":
		c.Add(lcm.DriftBalancerStatus, "", "", "Windlass could not ask the VIM for the load balancer %s: %s",
			b.Name, b.Unreachable)
	case b.Level == vim.Removed:
		c.Add(lcm.DriftBalancerMissing, "", "", "The load balancer %s does not exist in the VIM any more. %s", b.Name, mends)
	case b.Level == vim.Failed:
		c.Add(lcm.DriftBalancerStatus, "", "", "The load balancer %s is in %s, as the VIM says. %s", b.Name, b.Status, mends)
	default:
		c.Add(lcm.DriftBalancerStatus, "", "", "The load balancer %s is %s in the VIM, not ACTIVE.", b.Name, b.Status)
	}
}

// HalfMade tells whether a heal of the entire VNF was given up after it had removed a part of the VNF. Such a heal
// makes new servers, so only the deployment is worth a look then.
func HalfMade(want Expected, s Deployment) bool {
	if want.HealGivenUp == "" || s.Unreachable != "" { // in the latter case nothing is known
		return false
	}
	known := func(v lcm.VnfcResourceInfo) bool {
		return slices.ContainsFunc(s.Members, func(m Member) bool { return m.ServerID == v.ComputeResource.ResourceID })
	}
	lost := slices.ContainsFunc(want.Vnfcs, func(v lcm.VnfcResourceInfo) bool { return !known(v) })
	return s.Missing || lost || s.Level != vim.Running
}

// server compares one VM.
func (c *Comparison) server(v lcm.VnfcResourceInfo) {
	node, name := c.nameOf(v)
	at := slices.IndexFunc(c.have.Deployment.Members, func(m Member) bool { return m.ServerID == v.ComputeResource.ResourceID })
	if at < 0 {
		c.Add(lcm.DriftDeploymentMemberMissing, v.ID, node, "%s is no member of the VNF's deployment any more.", name)
		return
	}
	level, status := c.have.Deployment.Members[at].Level, c.have.Deployment.Members[at].Status
	if c.stopped(v.ComputeResource.ResourceID) && level != "" && level != vim.Removed {
		if level != vim.Stopped {
			c.Add(lcm.DriftServerStatus, v.ID, node, "%s is %s in the VIM although it was stopped on purpose.", name, status)
		}
		return
	}
	switch level {
	case vim.Running:
	case "", vim.Removed:
		c.Add(lcm.DriftServerMissing, v.ID, node, "%s does not exist in the VIM any more, though its deployment has it.", name)
	case vim.Failed:
		c.Add(lcm.DriftServerError, v.ID, node, "%s is in %s, as the VIM says.", name, status)
	case vim.Stopped:
		c.Add(lcm.DriftServerStopped, v.ID, node, "%s is switched off (%s), as the VIM says.", name, status)
	default:
		c.Add(lcm.DriftServerStatus, v.ID, node, "%s is %s in the VIM, not ACTIVE.", name, status)
	}
}

// levels compares the sizes of the deployment's groups with the scale levels.
func (c *Comparison) levels() {
	for _, want := range c.Capacity {
		have := 0
		for _, m := range c.have.Deployment.Members {
			if m.VduID == want.VduID {
				have++
			}
		}
		if have != want.VMs {
			c.Add(lcm.DriftScaleLevel, "", "", "The deployment has %d VMs of %s; at its scale level the VNF has %d.", have,
				want.VduID, want.VMs)
		}
	}
}

// nodes tells which nodes do not let Windlass in.
func (c *Comparison) nodes() {
	for _, node := range c.Running() {
		if why := c.have.Unreachable[node.Name]; why != "" {
			c.Add(lcm.DriftNodeUnreachable, c.vnfcOn(node.ServerID), node.Name, "%s", about(node.Name, why))
		}
	}
}

// about makes sure that a sentence names the node.
func about(node, sentence string) string {
	if strings.Contains(sentence, node) {
		return sentence
	}
	return node + ": " + sentence
}
