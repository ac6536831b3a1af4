// Package kubespray is the driver mgmt-drivers-kubespray. It lets an Ansible server make a VNF's servers a Kubernetes
// cluster with kubespray's playbooks. It keeps the cluster when the VNF is scaled, healed, stopped and started.
package kubespray

import (
	"context"
	"encoding/json"
	"path"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Driver makes clusters with kubespray.
type Driver struct{}

// Optional interfaces that this driver implements.
var (
	_ driver.HealReader    = Driver{}
	_ driver.Modifier      = Driver{}
	_ driver.Registrar     = (*Installer)(nil)
	_ cluster.Installer    = (*Installer)(nil)
	_ lifecycle.Substitute = (*Installer)(nil)
	_ lifecycle.Reacher    = (*Installer)(nil)
)

// Name implements driver.Driver.
func (Driver) Name() string { return descriptor.DriverKubespray }

// Describe implements driver.Driver.
func (Driver) Describe() driver.Description {
	return driver.Description{Member: k8s.ParamsKey, Params: k8s.Params{}}
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

// In is the driver among a VNF's drivers that uses kubespray, nil when none does.
func In(drivers []lifecycle.VnfDriver) *Installer {
	for _, d := range drivers {
		if c, ok := d.(*Installer); ok {
			return c
		}
	}
	return nil
}

// Name implements lifecycle.VnfDriver.
func (*Installer) Name() string { return descriptor.DriverKubespray }

// Balances implements cluster.Installer. kubespray puts a proxy on each node, and no virtual IP before the control planes.
func (*Installer) Balances() bool { return false }

// HighlyAvailable implements cluster.Installer.
func (*Installer) HighlyAvailable(lifecycle.Facts, lcm.Plan) bool { return false }

// Access implements lifecycle.Reacher. It also covers the Ansible server, which is no node.
func (c *Installer) Access(role lcm.Role) (lifecycle.Access, bool) {
	a := c.Params.Ansible
	if role != lcm.AnsibleServer || a == nil {
		return c.Common.Access(role)
	}
	return lifecycle.Access{
		User: a.Username, Password: a.Password, PrivateKey: a.PrivateKey, HostPort: a.HostPort(),
		Login: time.Duration(c.Params.Timeouts.Login) * time.Second, SSH: time.Duration(c.Params.Timeouts.SSH) * time.Second,
	}, true
}

// Directory is the directory on the Ansible server for the inventory of this VNF instance only.
func (c *Installer) Directory(id lcm.VnfInstanceID) string {
	return path.Join(c.Params.Ansible.InventoryPath, "windlass-"+string(id))
}
