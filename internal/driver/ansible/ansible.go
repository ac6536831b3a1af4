// Package ansible is the driver that lets Ansible run playbooks of the VNF package at hooks of operations. It reads the
// config.yaml of Tacker's Ansible driver. Ansible runs on an Ansible server, or confined on the worker's host.
package ansible

import (
	"cmp"
	"encoding/json"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/vdu"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// ParamsKey is the member of additionalParams with the driver's parameters.
const ParamsKey = "ansible"

const paramsPath = "$.additionalParams." + ParamsKey

// Params is additionalParams.ansible.
type Params struct {
	// Server is the Ansible server. Without it, playbooks run on the worker's host.
	Server *Server `json:"server,omitempty"`
	// Servers is how Ansible logs in to the servers of each VDU. It takes precedence over config.yaml.
	Servers vdu.Logins `json:"servers,omitempty"`
	// Variables and Secrets replace _VAR_NAME in config.yaml, and take precedence over its own values. Secrets are sealed
	// and never shown.
	Variables map[string]string     `json:"variables,omitempty"`
	Secrets   map[string]lcm.Secret `json:"secrets,omitempty"`
	Timeouts  vdu.Timeouts          `json:"timeouts,omitzero"`
}

// Server is how to reach the Ansible server by SSH. Ansible runs there as this user.
type Server struct {
	Address    string     `json:"address" param:"required=it is the address of the Ansible server; is=host"`
	Port       int        `json:"ssh_port,omitempty" param:"default=22; min=1; max=65535"`
	Username   string     `json:"username" param:"required=it is the user for SSH; is=user name"`
	Password   lcm.Secret `json:"password,omitzero"`
	PrivateKey lcm.Secret `json:"private_key,omitzero"`
}

// CheckMembers implements params.Checker.
func (s Server) CheckMembers(wrong params.Wrong) {
	if s.Password.IsZero() && s.PrivateKey.IsZero() {
		wrong("password", "is missing: give password or private_key")
	}
}

// Driver runs playbooks.
type Driver struct{}

// Optional interfaces that this driver implements.
var (
	_ driver.HealChecker = (*Ansible)(nil)
	_ lifecycle.Reacher  = (*Ansible)(nil)
)

// Name implements driver.Driver.
func (Driver) Name() string { return descriptor.DriverAnsible }

// Describe implements driver.Driver.
func (Driver) Describe() driver.Description {
	return driver.Description{Member: ParamsKey, Params: Params{}, Optional: true}
}

// Bind implements driver.Driver.
func (Driver) Bind(additionalParams json.RawMessage) (driver.Binding, params.Mistakes) {
	var of struct {
		Ansible Params `json:"ansible,omitzero"`
	}
	var wrong params.Mistakes
	wrong.Types, wrong.Unknown = k8s.Manner.Read("$.additionalParams", additionalParams, &of)
	wrong.Unknown = slices.DeleteFunc(wrong.Unknown,
		func(p lcm.Problem) bool { return !strings.HasPrefix(p.Path, paramsPath+".") })
	return &Ansible{Params: of.Ansible, Given: given(additionalParams)}, wrong
}

// given are the texts and numbers at the top of additionalParams: Tacker's driver takes each for a variable. Values
// whose names sound like secrets are sealed.
func given(additionalParams json.RawMessage) map[string]lcm.Secret {
	var all map[string]json.RawMessage
	if json.Unmarshal(additionalParams, &all) != nil {
		return nil // read reports this
	}
	out := map[string]lcm.Secret{}
	for name, text := range all {
		var scalar any
		var sealed lcm.Secret
		_ = json.Unmarshal(text, &scalar)
		switch v := scalar.(type) {
		case string:
			out[name] = lcm.Secret{Clear: v}
		case float64, bool:
			out[name] = lcm.Secret{Clear: string(text)}
		case map[string]any:
			if sealed.ReadParam(text) == "" {
				out[name] = sealed
			}
		}
	}
	return out
}

// Ansible is the driver of one VNF.
type Ansible struct {
	Params Params
	Given  map[string]lcm.Secret
}

// Name implements lifecycle.VnfDriver.
func (*Ansible) Name() string { return descriptor.DriverAnsible }

// Access implements lifecycle.Reacher.
func (a *Ansible) Access(role lcm.Role) (lifecycle.Access, bool) {
	s := a.Params.Server
	if role != lcm.PlaybookServer || s == nil {
		return a.Params.Servers.Access(descriptor.DriverAnsible, role, a.Params.Timeouts)
	}
	access, _ := vdu.Logins{}.Access("", "", a.Params.Timeouts) // the limits alone
	access.User, access.Password, access.PrivateKey = s.Username, s.Password, s.PrivateKey
	access.HostPort = net.JoinHostPort(s.Address, strconv.Itoa(s.Port))
	return access, true
}

// Limit is how long one playbook may run.
func (a *Ansible) Limit() time.Duration {
	return time.Duration(cmp.Or(a.Params.Timeouts.Run, 1800)) * time.Second
}

// Boot is how long a server may take until it answers.
func (a *Ansible) Boot() time.Duration {
	return time.Duration(cmp.Or(a.Params.Timeouts.SSH, 600)) * time.Second
}

// In is the driver among a VNF's drivers that runs playbooks, nil when none does.
func In(drivers []lifecycle.VnfDriver) *Ansible {
	for _, d := range drivers {
		if a, ok := d.(*Ansible); ok {
			return a
		}
	}
	return nil
}

// list names VDUs in a sentence.
func list(vdus []string) string { return strings.Join(slices.Compact(slices.Clone(vdus)), ", ") }
