package k8s

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// ExternalLBParams is k8s_cluster_installation_param.external_lb_param, as Tacker's driver for kubespray takes it: a
// server of the VNF that is no node, before which clients of the cluster stand. Any driver of clusters has it.
// nic_cp_name, ssh_private_key, port and node_ports are additions.
type ExternalLBParams struct {
	// SSHCpName is the Heat port or floating IP that gives the address for SSH.
	SSHCpName string `json:"ssh_cp_name" param:"required=it names the port or floating IP for SSH"`
	// NicCpName is the Heat port whose fixed IP is the server's own address; default SSHCpName.
	NicCpName  string     `json:"nic_cp_name,omitempty"`
	Username   string     `json:"ssh_username" param:"required=it is the user for SSH; is=user name"`
	Password   lcm.Secret `json:"ssh_password,omitzero"`
	PrivateKey lcm.Secret `json:"ssh_private_key,omitzero"`
	// ScriptPath is a file in the package that sets the server up instead of Windlass.
	ScriptPath string `json:"script_path,omitempty" param:"is=package path"`
	// Port is where the Kubernetes API is served.
	Port int `json:"port,omitempty" param:"default=8383; min=1; max=65535"`
	// NodePorts are ports of Services that are served, too, under the same numbers.
	NodePorts []int `json:"node_ports,omitempty"`
}

// Settle implements params.Settler. Tacker's requests write paths with a dot before them.
func (p *ExternalLBParams) Settle() {
	p.NicCpName = cmp.Or(p.NicCpName, p.SSHCpName)
	p.ScriptPath = strings.TrimPrefix(p.ScriptPath, "./")
}

// CheckMembers implements params.Checker.
func (p ExternalLBParams) CheckMembers(wrong params.Wrong) {
	if p.Password.IsZero() && p.PrivateKey.IsZero() {
		wrong("ssh_password", "is missing: give ssh_password or ssh_private_key")
	}
	seen := map[int]bool{22: true, p.Port: true}
	for i, port := range p.NodePorts {
		if port < 1 || port > 65535 || seen[port] {
			wrong(fmt.Sprintf("node_ports[%d]", i), "must be a port between 1 and 65535 that nothing else has, not %d", port)
		}
		seen[port] = true
	}
}

// APIPort is the port of the cluster's API at the address that clients use.
func (p Params) APIPort() int {
	if p.ExternalLB != nil {
		return p.ExternalLB.Port
	}
	return p.LoadBalancer.Port
}
