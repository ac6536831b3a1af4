// Package cluster is the common part of all drivers that make a VNF's servers a Kubernetes cluster, however they
// install it. It says how to reach the nodes, and has the storage server, the registries, and nodes that leave, stop
// and start.
package cluster

import (
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Installer is the driver of one VNF that is a cluster: it installs Kubernetes.
type Installer interface {
	lifecycle.VnfDriver
	// Shared is the common part of the drivers of clusters.
	Shared() *Common
	// Balances tells whether several control planes share a virtual IP and the load.
	Balances() bool
	// HighlyAvailable tells whether they do so after p.
	HighlyAvailable(f lifecycle.Facts, p lcm.Plan) bool
}

// Common is the common part of the drivers of all clusters. The driver of one kind of clusters embeds it.
type Common struct{ Params k8s.Params }

// Optional interfaces that drivers of clusters implement.
var (
	_ lifecycle.Healer       = (*Common)(nil)
	_ lifecycle.VolumeKeeper = (*Common)(nil)
	_ lifecycle.Fixer        = (*Common)(nil)
	_ lifecycle.Reacher      = (*Common)(nil)
	_ lifecycle.Deployer     = (*Common)(nil)
	_ lifecycle.Settled      = (*Common)(nil)
)

// Makes tells whether a driver makes VNFs of a flavour clusters.
func Makes(f *descriptor.Flavour) bool {
	return f != nil && slices.ContainsFunc(f.Drivers(), descriptor.MakesCluster)
}

// Of is the driver of a VNF that is a cluster, nil for other VNFs.
func Of(f lifecycle.Facts) Installer { return In(f.Drivers) }

// In is the driver among a VNF's drivers that makes a cluster, nil when none does.
func In(drivers []lifecycle.VnfDriver) Installer {
	for _, d := range drivers {
		if c, ok := d.(Installer); ok {
			return c
		}
	}
	return nil
}

// VimName implements driver.Registrar: the cluster is registered as a VIM of this name.
func (c *Common) VimName(inst lcm.VnfInstanceID) lcm.VimName {
	return lcm.VimName{Name: c.Params.VimNameOf(inst), Path: Param + "vim_name"}
}

// Shared implements Installer.
func (c *Common) Shared() *Common { return c }

// Access implements lifecycle.Reacher.
func (c *Common) Access(role lcm.Role) (lifecycle.Access, bool) {
	t := c.Params.Timeouts
	a := lifecycle.Access{Login: time.Duration(t.Login) * time.Second, SSH: time.Duration(t.SSH) * time.Second}
	switch s, lb := c.Params.StorageServer, c.Params.ExternalLB; {
	case role == lcm.ControlPlane:
		a.User, a.Password, a.PrivateKey = c.Params.MasterNode.Username, c.Params.MasterNode.Password,
			c.Params.MasterNode.PrivateKey
	case role == lcm.Worker:
		a.User, a.Password, a.PrivateKey = c.Params.WorkerNode.Username, c.Params.WorkerNode.Password,
			c.Params.WorkerNode.PrivateKey
	case role == lcm.Storage && s != nil:
		a.User, a.Password, a.PrivateKey = s.Username, s.Password, s.PrivateKey
	case role == lcm.LoadBalancer && lb != nil:
		a.User, a.Password, a.PrivateKey = lb.Username, lb.Password, lb.PrivateKey
	default:
		return a, false
	}
	return a, true
}

// HealsInPlace implements lifecycle.Healer: if all servers of a cluster went at once, the cluster would be lost.
func (*Common) HealsInPlace(lcm.HealRequest) bool { return false }

// NotReconnected implements lifecycle.Fixer.
func (c *Common) NotReconnected(cpdID string) string {
	for _, n := range []k8s.NodeParams{c.Params.MasterNode, c.Params.WorkerNode} {
		if cpdID != "" && slices.Contains([]string{n.SSHCpName, n.NicCpName, n.ClusterCpName}, cpdID) {
			return "The nodes of the cluster have their addresses on the connection point " + cpdID +
				": without them, the cluster would fail. To use another network, terminate the VNF and instantiate " +
				"it again."
		}
	}
	return ""
}

// Settled implements lifecycle.Settled: the roles of nodes are those of the VDUs with which the cluster was made.
func (*Common) Settled() string {
	return "its servers are the nodes of a Kubernetes cluster. Scale it, or terminate it and instantiate it with the other " +
		"flavour"
}

// DeployTimeout implements lifecycle.Deployer.
func (c *Common) DeployTimeout() time.Duration {
	return time.Duration(c.Params.Timeouts.Stack) * time.Second
}

// ControlPlaneVdus are the VDUs whose servers are control planes.
func (c *Common) ControlPlaneVdus(f lifecycle.Facts) []string {
	return c.Params.MasterNode.Vdus(f.Flavour)
}

// ControlPlanes reports whether p makes control planes come or go, start or stop.
func (c *Common) ControlPlanes(f lifecycle.Facts, p lcm.Plan) bool {
	if f.Instance.Instantiated == nil {
		return true
	}
	controlPlanes := f.Instance.Instantiated.Nodes.With(lcm.ControlPlane)
	is := func(vdu string) bool {
		return slices.ContainsFunc(controlPlanes, func(n lcm.Node) bool { return n.VduID == vdu })
	}
	return Listing{Cluster: c, Facts: f, Plan: p}.switched().controlPlanes ||
		slices.ContainsFunc(p.Groups, func(g lcm.GroupChange) bool { return is(g.VduID) }) ||
		slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return is(l.VduID) })
}
