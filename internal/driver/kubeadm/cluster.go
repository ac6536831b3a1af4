// Package kubeadm is the driver mgmt-drivers-kubernetes: it makes a highly available Kubernetes cluster of a VNF's
// servers with kubeadm, and keeps it when the VNF is scaled, healed, stopped and started.
package kubeadm

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Driver makes clusters.
type Driver struct{}

// What drivers need not do, and this one does.
var (
	_ driver.Modifier        = Driver{}
	_ driver.Registrar       = Driver{}
	_ lifecycle.Substitute   = (*Cluster)(nil)
	_ lifecycle.Healer       = (*Cluster)(nil)
	_ lifecycle.VolumeKeeper = (*Cluster)(nil)
	_ lifecycle.Fixer        = (*Cluster)(nil)
	_ lifecycle.Reacher      = (*Cluster)(nil)
	_ lifecycle.Deployer     = (*Cluster)(nil)
)

// Name implements driver.Driver.
func (Driver) Name() string { return vnfpkg.DriverKubernetes }

// Bind implements driver.Driver.
func (Driver) Bind(additionalParams json.RawMessage) (lifecycle.Driver, error) {
	params, err := k8s.ParseParams(additionalParams)
	return &Cluster{Params: params}, err
}

// Cluster is the driver of one VNF, which is a cluster.
type Cluster struct{ Params k8s.Params }

// Makes tells whether the driver makes something of the VNFs of a flavour.
func Makes(f *vnfpkg.Flavour) bool {
	return f != nil && slices.Contains(f.Drivers(), vnfpkg.DriverKubernetes)
}

// Of is the driver of a VNF that is a cluster, nil for others.
func Of(f lifecycle.Facts) *Cluster { return In(f.Drivers) }

// In is the one of a VNF's drivers that makes a cluster, nil when none does.
func In(drivers []lifecycle.Driver) *Cluster {
	for _, d := range drivers {
		if c, ok := d.(*Cluster); ok {
			return c
		}
	}
	return nil
}

// Name implements lifecycle.Driver.
func (*Cluster) Name() string { return vnfpkg.DriverKubernetes }

// Access implements lifecycle.Reacher.
func (c *Cluster) Access(role lcm.Role) (lifecycle.Access, bool) {
	t := c.Params.Timeouts
	a := lifecycle.Access{Login: time.Duration(t.Login) * time.Second, SSH: time.Duration(t.SSH) * time.Second}
	switch s := c.Params.StorageServer; {
	case role == lcm.ControlPlane:
		a.User, a.Password, a.PrivateKey = c.Params.MasterNode.Username, c.Params.MasterNode.Password,
			c.Params.MasterNode.PrivateKey
	case role == lcm.Worker:
		a.User, a.Password, a.PrivateKey = c.Params.WorkerNode.Username, c.Params.WorkerNode.Password,
			c.Params.WorkerNode.PrivateKey
	case role == lcm.Storage && s != nil:
		a.User, a.Password, a.PrivateKey = s.Username, s.Password, s.PrivateKey
	default:
		return a, false
	}
	return a, true
}

// HealsInPlace implements lifecycle.Healer: the servers of a cluster cannot all go at once without the cluster.
func (*Cluster) HealsInPlace(lcm.HealRequest) bool { return false }

// NotReconnected implements lifecycle.Fixer.
func (c *Cluster) NotReconnected(cpdID string) string {
	for _, n := range []k8s.NodeParams{c.Params.MasterNode, c.Params.WorkerNode} {
		if cpdID != "" && slices.Contains([]string{n.SSHCpName, n.NicCpName, n.ClusterCpName}, cpdID) {
			return "The nodes of the cluster have their addresses on the connection point " + cpdID +
				": without them it would fall apart. Instantiate the VNF anew to have it on another network."
		}
	}
	return ""
}

// DeployTimeout implements lifecycle.Deployer.
func (c *Cluster) DeployTimeout() time.Duration {
	return time.Duration(c.Params.Timeouts.Stack) * time.Second
}

// controlPlaneVdus are the VDUs whose servers are control planes.
func (c *Cluster) controlPlaneVdus(f lifecycle.Facts) []string {
	return c.Params.MasterNode.Vdus(f.Flavour)
}

// ControlPlanes reports whether control planes come or go, start or stop, where p is carried out.
func (c *Cluster) ControlPlanes(f lifecycle.Facts, p lcm.Plan) bool {
	if f.Instance.Instantiated == nil {
		return true
	}
	controlPlanes := f.Instance.Instantiated.Nodes.With(lcm.ControlPlane)
	is := func(vdu string) bool {
		return slices.ContainsFunc(controlPlanes, func(n lcm.Node) bool { return n.VduID == vdu })
	}
	return listing{cluster: c, facts: f, plan: p}.switched().controlPlanes ||
		slices.ContainsFunc(p.Groups, func(g lcm.GroupChange) bool { return is(g.VduID) }) ||
		slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return is(l.VduID) })
}

// HighlyAvailable tells whether the cluster has several control planes. A VNFD that does not tell how many servers the
// role has is believed when the request puts an address in front of a group of them.
func (c *Cluster) HighlyAvailable(f lifecycle.Facts, p lcm.Plan) bool {
	master, vdus := c.Params.MasterNode, c.controlPlaneVdus(f)
	if len(vdus) == 0 {
		return master.AspectID != "" && master.ClusterCpName != ""
	}
	sizes, n := f.Sizes(p), 0
	for _, vdu := range vdus {
		n += sizes[vdu]
	}
	return n > 1
}
