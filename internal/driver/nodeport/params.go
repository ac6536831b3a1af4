package nodeport

import (
	"encoding/json"
	"net/netip"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// Member is the member of additionalParams that says where to expose Services.
const Member = "lcm-kubernetes-external-lb"

const paramsPath = "$.additionalParams." + Member

// Params is additionalParams.lcm-kubernetes-external-lb, as Tacker's driver takes it.
type Params struct {
	// ScriptPath is a file in the package that exposes Services on a load balancer that Windlass has not set up.
	ScriptPath string   `json:"script_path,omitempty" param:"is=package path"`
	Balancer   Balancer `json:"external_lb_param"`
}

// Balancer says how to reach the load balancer before the cluster by SSH. ssh_ips, ssh_port and ssh_private_key are
// additions.
type Balancer struct {
	Address string `json:"ssh_ip,omitempty"`
	// Addresses are the SSH addresses of several load balancers that share one address.
	Addresses  []string   `json:"ssh_ips,omitempty"`
	Port       int        `json:"ssh_port,omitempty" param:"default=22; min=1; max=65535"`
	Username   string     `json:"ssh_username" param:"required=it is the user for SSH; is=user name"`
	Password   lcm.Secret `json:"ssh_password,omitzero"`
	PrivateKey lcm.Secret `json:"ssh_private_key,omitzero"`
}

// Read reads the parameters out of additionalParams.
func Read(additionalParams json.RawMessage) (p Params, wrong params.Mistakes) {
	wrong.Types, wrong.Unknown = k8s.Manner.ReadMember("$.additionalParams", additionalParams, Member,
		"it says which load balancer exposes the VNF's Services", &p)
	return p, wrong
}

// Settle implements params.Settler.
func (p *Params) Settle() { p.ScriptPath = strings.TrimPrefix(p.ScriptPath, "./") }

// CheckMembers implements params.Checker.
func (b Balancer) CheckMembers(wrong params.Wrong) {
	switch {
	case b.Address == "" && len(b.Addresses) == 0:
		wrong("ssh_ip", "is missing: it is the address of the load balancer for SSH")
	case b.Address != "" && len(b.Addresses) > 0:
		wrong("ssh_ips", "must not be given together with ssh_ip: it has the addresses of all load balancers")
	}
	for _, address := range b.All() {
		if _, err := netip.ParseAddr(address); err != nil {
			wrong("ssh_ip", "must be an IP address, not %q", address)
		}
	}
	if b.Password.IsZero() && b.PrivateKey.IsZero() {
		wrong("ssh_password", "is missing: give ssh_password or ssh_private_key")
	}
}

// All are the addresses of the load balancers.
func (b Balancer) All() []string {
	if b.Address != "" {
		return []string{b.Address}
	}
	return b.Addresses
}
