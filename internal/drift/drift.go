// Package drift compares the expected state of a VNF with its observed state. It is pure: the caller gathers the
// observations and reads the findings. Each driver compares its own part of the servers.
package drift

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Expected is the expected state: the last operation left it.
type Expected struct {
	// Vnfcs are the VMs of the VNF.
	Vnfcs []lcm.VnfcResourceInfo
	// Nodes are the nodes of the cluster; none when the VNF is no cluster.
	Nodes lcm.Nodes
	// Capacity is how many VMs of each VDU the scale levels ask for, in the order of the VNFD.
	Capacity []Count
	// Stopped are the servers that were stopped on purpose.
	Stopped []string
	// Manual are the ids of VNFCs that no policy heals automatically.
	Manual []string
	// HealGivenUp is the last heal of the entire VNF that was given up, "" if there is none or a later operation repaired
	// it.
	HealGivenUp lcm.OpOccID
}

// Count is a number of VMs of a VDU.
type Count struct {
	VduID string
	VMs   int
}

// Seen is the observed state.
type Seen struct {
	Deployment Deployment
	// Unreachable says of nodes, by their names, why they do not let Windlass in, as sentences.
	Unreachable map[string]string
}

// Deployment is the VIM's description of the deployment.
type Deployment struct {
	// Unreachable says in a sentence why the VIM could not be asked; the other members are unknown then.
	Unreachable string
	Missing     bool
	Level       vim.Level
	Status      string // the VIM's word for the level, e.g. UPDATE_FAILED
	Members     []Member
	// Balancer is the cloud's load balancer before a cluster, nil where it has none.
	Balancer *Balancer
}

// Balancer is a load balancer of the cloud.
type Balancer struct {
	Name string
	// Level and Status are the VIM's; Unreachable says why it could not be asked, as a sentence.
	Level       vim.Level
	Status      string
	Unreachable string
}

// Member is a server that the deployment has, or had.
type Member struct {
	ServerID string
	VduID    string
	// Level is "" when the VIM does not have the server. Status is the VIM's word for it.
	Level  vim.Level
	Status string
}

// stopped tells whether a server was stopped on purpose: nothing on it can be in order.
func (e Expected) stopped(server string) bool { return slices.Contains(e.Stopped, server) }

// Running are the nodes that were not stopped on purpose.
func (e Expected) Running() (out lcm.Nodes) {
	for _, n := range e.Nodes {
		if !e.stopped(n.ServerID) {
			out = append(out, n)
		}
	}
	return out
}

// Part compares the part of the servers that a driver has made, and adds to the findings.
type Part func(*Comparison)

// Compare lists the differences between the VNF and its expected state, in the order in which a person would look: the
// infrastructure, the nodes, then the drivers' parts.
func Compare(want Expected, have Seen, parts ...Part) []lcm.DriftFinding {
	c := &Comparison{Expected: want, have: have, findings: []lcm.DriftFinding{}}
	if HalfMade(want, have.Deployment) {
		c.Add(lcm.DriftHealGivenUp, "", "", "A heal of the entire VNF was given up (%s): the cloud and the record "+
			"differ. Heal the entire VNF again; a heal of VNFCs cannot mend it.", want.HealGivenUp)
		return c.findings
	}
	c.deployment()
	if len(want.Nodes) > 0 && len(want.Running()) == 0 {
		return c.findings // all of them were stopped
	}
	c.nodes()
	for _, part := range parts {
		part(c)
	}
	return c.findings
}

// Comparison is a comparison in progress: the expected state, and the findings so far.
type Comparison struct {
	Expected
	have     Seen
	findings []lcm.DriftFinding
}

// Add makes a finding about a VNFC, about a node that is no VNFC (vnfc is ""), or about the VNF (both are "").
func (c *Comparison) Add(kind lcm.DriftKind, vnfc, node, format string, args ...any) {
	rule := lcm.DriftRules[kind]
	c.findings = append(c.findings, lcm.DriftFinding{
		Kind: kind, VnfcInstanceID: vnfc, Node: node, Detail: lcm.Errorf(lcm.KindBroken, format, args...).Detail,
		Remedy: rule.Remedy, Automatic: rule.Automatic && !slices.Contains(c.Manual, vnfc),
	})
}

// About makes a finding about a node.
func (c *Comparison) About(node lcm.Node, kind lcm.DriftKind, format string, args ...any) {
	c.Add(kind, c.vnfcOn(node.ServerID), node.Name, node.Name+" "+format, args...)
}

// vnfcOn is the id of the VNFC on a server.
func (c *Comparison) vnfcOn(server string) string {
	for _, v := range c.Vnfcs {
		if v.ComputeResource.ResourceID == server {
			return v.ID
		}
	}
	return ""
}

// nameOf is the name of a VNFC in sentences: its node's name, else its VDU and id.
func (c *Comparison) nameOf(v lcm.VnfcResourceInfo) (node, name string) {
	for _, n := range c.Nodes {
		if n.ServerID == v.ComputeResource.ResourceID {
			return n.Name, n.Name
		}
	}
	return "", "The VM " + v.ID + " of " + v.VduID
}
