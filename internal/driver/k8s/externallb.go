package k8s

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// ExternalLBParams is k8s_cluster_installation_param.external_lb_param, as Tacker's driver for kubespray takes it. It
// describes a load balancer between the cluster and its clients that is no node. It may be a server of the VNF, several
// servers that share an address, or a load balancer of the cloud. Any driver of clusters takes it. Tacker has
// ssh_cp_name, ssh_username, ssh_password and script_path.
type ExternalLBParams struct {
	// AspectID and VduID name several servers, as in NodeParams.
	AspectID string `json:"aspect_id,omitempty"`
	VduID    string `json:"vdu_id,omitempty"`
	// SSHCpName is the Heat port or floating IP that gives the address for SSH.
	SSHCpName string `json:"ssh_cp_name,omitempty"`
	// NicCpName is the Heat port whose fixed IP is the server's own address; default SSHCpName.
	NicCpName string `json:"nic_cp_name,omitempty"`
	// ClusterCpName is the Heat port that reserves the address before the cluster. It is the virtual IP of several
	// servers, or the address of the cloud's load balancer.
	ClusterCpName string     `json:"cluster_cp_name,omitempty"`
	Username      string     `json:"ssh_username,omitempty" param:"is=user name"`
	Password      lcm.Secret `json:"ssh_password,omitzero"`
	PrivateKey    lcm.Secret `json:"ssh_private_key,omitzero"`
	// ScriptPath is a file in the package that sets the server up; Windlass then does not.
	ScriptPath string `json:"script_path,omitempty" param:"is=package path"`
	// Port is the port of the Kubernetes API on the load balancer.
	Port int `json:"port,omitempty" param:"default=8383; min=1; max=65535"`
	// NodePorts are ports of Services that the load balancer also serves, under the same numbers.
	NodePorts []int `json:"node_ports,omitempty"`
	// IngressPorts are ports of an ingress controller. Nodes may have other numbers for them.
	IngressPorts []ServedPort `json:"ingress_ports,omitempty"`
	// Octavia makes the cloud balance, instead of servers.
	Octavia *OctaviaParams `json:"octavia,omitempty"`
}

// ServedPort is a port of all nodes that the load balancer serves.
type ServedPort struct {
	// Port is the port for clients.
	Port int `json:"port" param:"required=it is the port for clients of the ingress controller, such as 443; min=1; max=65535"`
	// NodePort is the nodes' port: of a Service of type NodePort, or a hostPort; default Port.
	NodePort int `json:"node_port,omitempty" param:"min=1; max=65535"`
}

// Settle implements params.Settler.
func (p *ServedPort) Settle() { p.NodePort = cmp.Or(p.NodePort, p.Port) }

// Served are the ports of Services and of ingress controllers.
func (p ExternalLBParams) Served() (ports []ServedPort) {
	for _, port := range p.NodePorts {
		ports = append(ports, ServedPort{port, port})
	}
	return append(ports, p.IngressPorts...)
}

// OctaviaParams is a load balancer of OpenStack.
type OctaviaParams struct {
	// Provider is a provider of Octavia, as "openstack load balancer provider list" names it; "" for the cloud's default.
	Provider string `json:"provider,omitempty"`
	// FlavorID is a flavor of Octavia; "" for the default.
	FlavorID string `json:"flavor_id,omitempty"`
}

// Members say how to find the servers, in the same way as nodes of the cluster.
func (p ExternalLBParams) Members() NodeParams {
	return NodeParams{AspectID: p.AspectID, VduID: p.VduID, SSHCpName: p.SSHCpName, NicCpName: p.NicCpName}
}

// Shared tells whether several servers share one address.
func (p ExternalLBParams) Shared() bool { return p.Octavia == nil && p.ClusterCpName != "" }

// Settle implements params.Settler. Tacker's requests write paths with a dot before them.
func (p *ExternalLBParams) Settle() {
	p.NicCpName = cmp.Or(p.NicCpName, p.SSHCpName)
	p.ScriptPath = strings.TrimPrefix(p.ScriptPath, "./")
}

// CheckMembers implements params.Checker.
func (p ExternalLBParams) CheckMembers(wrong params.Wrong) {
	if p.Octavia != nil {
		p.checkOctavia(wrong)
	} else {
		p.checkServers(wrong)
	}
	seen := map[int]bool{22: true, p.Port: true}
	for i, port := range p.NodePorts {
		if port < 1 || port > 65535 || seen[port] {
			wrong(fmt.Sprintf("node_ports[%d]", i), "must be a port between 1 and 65535 that nothing else uses, not %d",
				port)
		}
		seen[port] = true
	}
	for i, served := range p.IngressPorts {
		if seen[served.Port] {
			wrong(fmt.Sprintf("ingress_ports[%d].port", i), "must be a port that nothing else uses, not %d",
				served.Port)
		}
		seen[served.Port] = true
	}
}

func (p ExternalLBParams) checkServers(wrong params.Wrong) {
	if p.SSHCpName == "" {
		wrong("ssh_cp_name", "is missing: it names the port or floating IP for SSH")
	}
	if p.Username == "" {
		wrong("ssh_username", "is missing: it is the user for SSH")
	}
	if p.Password.IsZero() && p.PrivateKey.IsZero() {
		wrong("ssh_password", "is missing: give ssh_password or ssh_private_key")
	}
	if p.AspectID != "" && p.VduID != "" {
		wrong("vdu_id", "must not be given together with aspect_id: each says which servers are meant")
	}
	if p.ScriptPath != "" && p.ClusterCpName != "" {
		wrong("script_path", "sets up one load balancer; for several with a virtual IP leave it out, Windlass does it itself")
	}
}

// checkOctavia refuses parameters that are only for servers.
func (p ExternalLBParams) checkOctavia(wrong params.Wrong) {
	if p.ClusterCpName == "" {
		wrong("cluster_cp_name", "is missing: it names the port with the address at which Octavia serves")
	}
	for _, m := range []struct {
		name  string
		given bool
	}{
		{"aspect_id", p.AspectID != ""},
		{"vdu_id", p.VduID != ""},
		{"ssh_cp_name", p.SSHCpName != ""},
		{"script_path", p.ScriptPath != ""},
	} {
		if m.given {
			wrong(m.name, "is for a server, but octavia uses no server: give only one of them")
		}
	}
}

// APIPort is the port of the cluster's API at the clients' address.
func (p Params) APIPort() int {
	if p.ExternalLB != nil {
		return p.ExternalLB.Port
	}
	return p.LoadBalancer.Port
}

// SharedCp is the connection point whose address the control planes share, or the load balancers before them; "" if
// there is none.
func (p Params) SharedCp() string {
	if name := p.MasterNode.ClusterCpName; name != "" || p.ExternalLB == nil {
		return name
	}
	return p.ExternalLB.ClusterCpName
}

// BalancerCps are the connection points of the load balancers before the cluster. byCloud tells that the cloud balances
// instead.
func (p Params) BalancerCps() (cps []string, byCloud bool) {
	lb := p.ExternalLB
	if lb == nil {
		return nil, false
	}
	cps = slices.DeleteFunc([]string{lb.SSHCpName, lb.NicCpName}, func(s string) bool { return s == "" })
	return cps, lb.Octavia != nil
}
