// Package script is the driver that runs scripts of VNF packages at hooks of operations. It runs Python as in Tacker's
// v2, in a sandbox on the worker's host, and shell scripts on servers of the VNF.
package script

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/vdu"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// ParamsKey is the member of additionalParams with the driver's parameters.
const ParamsKey = "scripts"

const paramsPath = "$.additionalParams." + ParamsKey

// Params is additionalParams.scripts. Python scripts need none of it.
type Params struct {
	// Servers is how to reach the servers of each VDU on which shell scripts run.
	Servers vdu.Logins `json:"servers,omitempty"`
	// Parameters and Secrets are variables of shell scripts. Secrets are sealed and never shown.
	Parameters map[string]string     `json:"parameters,omitempty"`
	Secrets    map[string]lcm.Secret `json:"secrets,omitempty"`
	Timeouts   vdu.Timeouts          `json:"timeouts,omitzero"`
}

// Driver runs scripts.
type Driver struct{}

// Optional interfaces that this driver implements.
var (
	_ driver.HealChecker = (*Scripts)(nil)
	_ lifecycle.Reacher  = (*Scripts)(nil)
)

// Name implements driver.Driver.
func (Driver) Name() string { return descriptor.DriverScripts }

// Describe implements driver.Driver.
func (Driver) Describe() driver.Description {
	return driver.Description{Member: ParamsKey, Params: Params{}, Optional: true}
}

// Bind implements driver.Driver.
func (Driver) Bind(additionalParams json.RawMessage) (driver.Binding, params.Mistakes) {
	var of struct {
		Scripts Params `json:"scripts,omitzero"`
	}
	var wrong params.Mistakes
	wrong.Types, wrong.Unknown = lcm.Tackers.Read("$.additionalParams", additionalParams, &of)
	wrong.Unknown = slices.DeleteFunc(wrong.Unknown,
		func(p lcm.Problem) bool { return !strings.HasPrefix(p.Path, paramsPath+".") })
	return &Scripts{Params: of.Scripts}, wrong
}

// Scripts is the driver of one VNF.
type Scripts struct{ Params Params }

// Name implements lifecycle.VnfDriver.
func (*Scripts) Name() string { return descriptor.DriverScripts }

// Access implements lifecycle.Reacher.
func (s *Scripts) Access(role lcm.Role) (lifecycle.Access, bool) {
	return s.Params.Servers.Access(descriptor.DriverScripts, role, s.Params.Timeouts)
}

// In is the driver among a VNF's drivers that runs scripts, nil when none does.
func In(drivers []lifecycle.VnfDriver) *Scripts {
	for _, d := range drivers {
		if s, ok := d.(*Scripts); ok {
			return s
		}
	}
	return nil
}
