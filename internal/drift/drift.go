// Package drift compares a VNF as it should be with what is seen of it. It is pure: who looks gathers what is seen, and
// who decides reads the findings.
package drift

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Expected is what should be, as the last operation has left it.
type Expected struct {
	// Vnfcs are the VMs of the VNF.
	Vnfcs []lcm.VnfcResourceInfo
	// Nodes are the nodes of the cluster; none when the VNF is no cluster.
	Nodes lcm.Nodes
	// Capacity is how many VMs of each VDU the scale levels ask for, in the order of the VNFD.
	Capacity []Count
	// HAProxy is the configuration of HAProxy on every control plane, "" where there is none.
	HAProxy string
	// Stopped are the servers that were stopped on purpose.
	Stopped []string
	// Manual are the ids of VNFCs that no policy heals by itself.
	Manual []string
	// ClusterVim is set when the cluster was registered as a VIM.
	ClusterVim bool
	// HealGivenUp is the heal of the entire VNF that was given up last, "" when there is none or it was made good since.
	HealGivenUp lcm.OpOccID
}

// Count is a number of VMs of a VDU.
type Count struct {
	VduID string
	VMs   int
}

// Seen is what is there.
type Seen struct {
	Deployment Deployment
	// Sights are what is seen on each node, by its name.
	Sights map[string]Sight
	// Cluster is what a control plane tells of the cluster; nil when none was asked.
	Cluster *Cluster
	// RegisteredCA is the certificate that the cluster is registered with, in PEM; VimRegistered tells whether it is.
	RegisteredCA  string
	VimRegistered bool
}

// Deployment is what the VIM tells.
type Deployment struct {
	// Unreachable says why the VIM could not be asked, as a sentence; nothing else is known then.
	Unreachable string
	Missing     bool
	Level       vim.Level
	Status      string // the VIM's word for the level, e.g. UPDATE_FAILED
	Members     []Member
}

// Member is a server that the deployment has, or had.
type Member struct {
	ServerID string
	VduID    string
	// Level is "" when the VIM does not have the server. Status is the VIM's word for it.
	Level  vim.Level
	Status string
}

// Sight is what is seen on a node itself.
type Sight struct {
	// Unreachable says why nothing is, as a sentence.
	Unreachable string
	CA          string // PEM; "" when there is none
	// The rest is seen on control planes behind a virtual IP.
	HAProxy          string
	HAProxyRuns      bool
	KeepalivedRuns   bool
	HoldsVirtualIP   bool
	ReachesVirtualIP bool
}

// Cluster is what a control plane tells.
type Cluster struct {
	// Unreachable says why none does, as a sentence.
	Unreachable string
	// QuorumLost says so, as a sentence; nothing else is known then.
	QuorumLost string
	Nodes      []Node
	Members    []EtcdMember
}

// Node is a node object of Kubernetes.
type Node struct {
	Name     string
	Ready    bool
	Cordoned bool
	Reason   string // of a node that is not Ready
}

// EtcdMember is a member of etcd; its name is "" until it has started.
type EtcdMember struct {
	Name, Address             string
	Started, Healthy, Learner bool
}

// stopped tells whether a server was stopped on purpose: nothing on it can be in order.
func (e Expected) stopped(server string) bool { return slices.Contains(e.Stopped, server) }

// running are the nodes that were not stopped on purpose.
func (e Expected) running() (out lcm.Nodes) {
	for _, n := range e.Nodes {
		if !e.stopped(n.ServerID) {
			out = append(out, n)
		}
	}
	return out
}

// Compare lists in what the VNF differs from what it should be, in the order in which a person would look: the
// infrastructure, the nodes, the cluster, the load balancers, the trust.
func Compare(want Expected, have Seen) []lcm.DriftFinding {
	c := &comparison{want: want, have: have, findings: []lcm.DriftFinding{}}
	if HalfMade(want, have.Deployment) {
		c.add(lcm.DriftHealGivenUp, "", "",
			"A heal of the entire VNF was given up (%s): what is left in the cloud is not what is recorded. "+
				"Heal the entire VNF again; a heal of VNFCs cannot mend it.", want.HealGivenUp)
		return c.findings
	}
	c.deployment()
	if len(want.Nodes) > 0 && len(want.running()) == 0 {
		return c.findings // a cluster that was stopped
	}
	c.nodes()
	c.cluster()
	c.balancers()
	c.trust()
	return c.findings
}

type comparison struct {
	want     Expected
	have     Seen
	findings []lcm.DriftFinding
}

// add makes a finding about a VNFC, about a node that is none (""), or about the VNF (both "").
func (c *comparison) add(kind lcm.DriftKind, vnfc, node, format string, args ...any) {
	rule := lcm.DriftRules[kind]
	c.findings = append(c.findings, lcm.DriftFinding{
		Kind: kind, VnfcInstanceID: vnfc, Node: node, Detail: lcm.Errorf(lcm.KindBroken, format, args...).Detail,
		Remedy: rule.Remedy, Automatic: rule.Automatic && !slices.Contains(c.want.Manual, vnfc),
	})
}

// about makes a finding about a node.
func (c *comparison) about(node lcm.Node, kind lcm.DriftKind, format string, args ...any) {
	c.add(kind, c.vnfcOn(node.ServerID), node.Name, node.Name+" "+format, args...)
}

// vnfcOn is the id of the VNFC on a server.
func (c *comparison) vnfcOn(server string) string {
	for _, v := range c.want.Vnfcs {
		if v.ComputeResource.ResourceID == server {
			return v.ID
		}
	}
	return ""
}

// nameOf is what a VNFC is called in sentences: its node's name, else its VDU and id.
func (c *comparison) nameOf(v lcm.VnfcResourceInfo) (node, name string) {
	for _, n := range c.want.Nodes {
		if n.ServerID == v.ComputeResource.ResourceID {
			return n.Name, n.Name
		}
	}
	return "", "The VM " + v.ID + " of " + v.VduID
}
