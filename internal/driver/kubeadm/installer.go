// Package kubeadm is the driver mgmt-drivers-kubernetes. It makes a VNF's servers a highly available Kubernetes cluster
// with kubeadm. It keeps the cluster when the VNF is scaled, healed, stopped and started.
package kubeadm

import (
	"context"
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Driver makes clusters.
type Driver struct{}

// Optional interfaces that this driver implements.
var (
	_ driver.HealReader    = Driver{}
	_ driver.Modifier      = Driver{}
	_ driver.Registrar     = (*Installer)(nil)
	_ cluster.Installer    = (*Installer)(nil)
	_ lifecycle.Substitute = (*Installer)(nil)
)

// Name implements driver.Driver.
func (Driver) Name() string { return descriptor.DriverKubernetes }

// Describe implements driver.Driver.
func (Driver) Describe() driver.Description {
	return driver.Description{Member: k8s.ParamsKey, Params: k8s.Params{}, Without: []string{"ansible"}}
}

// HealProblems implements driver.HealReader.
func (Driver) HealProblems(asked, had json.RawMessage) []lcm.Problem {
	return k8s.HealProblems(asked, had)
}

// Bind implements driver.Driver.
func (Driver) Bind(additionalParams json.RawMessage) (driver.Binding, params.Mistakes) {
	p, wrong := k8s.Read(additionalParams)
	return New(p), wrong
}

// CheckModify implements driver.Modifier.
func (d Driver) CheckModify(ctx context.Context, m driver.Modification) error {
	return cluster.CheckModify(ctx, m, d.Name())
}

// Installer is the driver of one VNF that is a cluster.
type Installer struct{ cluster.Common }

// New is the driver of a VNF with these parameters.
func New(params k8s.Params) *Installer { return &Installer{cluster.Common{Params: params}} }

// Name implements lifecycle.VnfDriver.
func (*Installer) Name() string { return descriptor.DriverKubernetes }

// Balances implements cluster.Installer. HAProxy and keepalived are on the control planes, unless an external load
// balancer stands before them.
func (c *Installer) Balances() bool { return c.Params.ExternalLB == nil }

// HighlyAvailable tells whether the cluster has several control planes. If the VNFD does not say how many servers the
// role has, an address before a group of them in the request is enough.
func (c *Installer) HighlyAvailable(f lifecycle.Facts, p lcm.Plan) bool {
	if !c.Balances() {
		return false
	}
	master, vdus := c.Params.MasterNode, c.ControlPlaneVdus(f)
	if len(vdus) == 0 {
		return master.AspectID != "" && master.ClusterCpName != ""
	}
	sizes, n := f.Sizes(p), 0
	for _, vdu := range vdus {
		n += sizes[vdu]
	}
	return n > 1
}
