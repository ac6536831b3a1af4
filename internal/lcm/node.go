package lcm

import "slices"

// Role is what a node does in a cluster.
type Role string

// The roles of nodes.
const (
	ControlPlane Role = "control-plane"
	Worker       Role = "worker"
	// Storage is a storage server. It is no node of the cluster, but a VM that Windlass reaches in the same way.
	Storage Role = "storage"
	// AnsibleServer runs playbooks. It is no server of the VNF.
	AnsibleServer Role = "ansible"
	// PlaybookServer is also an Ansible server, for the playbooks of packages.
	PlaybookServer Role = "ansible-playbooks"
	// LoadBalancer is a server in front of the cluster, and no node of it.
	LoadBalancer Role = "load-balancer"
	// RegistryServer is the machine of a VNF that provides a registry of images.
	RegistryServer Role = "registry"
)

// Node is one VM as the workflow knows it: data, not a connection. It holds no secret.
type Node struct {
	// Name is the node's host name and Kubernetes node name: a prefix for the role and the first eight digits of the
	// server's id. It does not depend on an address. A VM that replaces another gets a new name.
	Name string `json:"name"`
	Role Role   `json:"role"`
	// ServerID is the VIM's id of the server.
	ServerID string `json:"serverId"`
	// Part is the id of the part of the deployment that holds the server, or the deployment's own id when it has no
	// parts.
	Part  string `json:"stackId"`
	VduID string `json:"vduId"`
	// SSHAddress is the fixed or floating IP at which Windlass reaches the node.
	SSHAddress string `json:"sshAddress"`
	// Address is the node's own IP, from nic_cp_name.
	Address string `json:"address"`
	// ComputeHost is the hypervisor, or the project's id for it, for the label CIS-node. It is "" when the VIM does not
	// tell it.
	ComputeHost string `json:"computeHost,omitempty"`
	// Zone is the availability zone, for the label kubernetes.io/zone; "" when the grant names none.
	Zone string `json:"zone,omitempty"`
}

// Nodes is a slice, never a map: workflows replay in one order.
type Nodes []Node

// With returns the nodes of that role, in order.
func (n Nodes) With(role Role) Nodes {
	var out Nodes
	for _, node := range n {
		if node.Role == role {
			out = append(out, node)
		}
	}
	return out
}

// Without returns the nodes whose servers are not among those of others, in order.
func (n Nodes) Without(others Nodes) Nodes {
	var out Nodes
	for _, node := range n {
		if !others.HasServer(node.ServerID) {
			out = append(out, node)
		}
	}
	return out
}

// OfVdu returns the nodes of that VDU, in order.
func (n Nodes) OfVdu(id string) Nodes {
	var out Nodes
	for _, node := range n {
		if node.VduID == id {
			out = append(out, node)
		}
	}
	return out
}

// On returns the nodes on those servers, in order.
func (n Nodes) On(servers []string) Nodes {
	var out Nodes
	for _, node := range n {
		if slices.Contains(servers, node.ServerID) {
			out = append(out, node)
		}
	}
	return out
}

// Servers are the ids of the nodes' servers, in order.
func (n Nodes) Servers() []string {
	var out []string
	for _, node := range n {
		out = append(out, node.ServerID)
	}
	return out
}

// HasServer reports whether one of the nodes is on that server.
func (n Nodes) HasServer(id string) bool {
	return slices.ContainsFunc(n, func(node Node) bool { return node.ServerID == id })
}

// InOrderOf returns the nodes in first's order, and after them the nodes that are not in first. So configuration by
// position changes for new nodes only.
func (n Nodes) InOrderOf(first Nodes) Nodes {
	var out Nodes
	for _, old := range first {
		out = append(out, n.On([]string{old.ServerID})...)
	}
	return append(out, n.Without(first)...)
}

// NodeName makes the name of a node of that role on that server.
func NodeName(role Role, serverID string) string {
	prefix := map[Role]string{ControlPlane: "cp", Worker: "worker", Storage: "storage", RegistryServer: "registry", LoadBalancer: "lb"}[role]
	return prefix + "-" + shortID(serverID)
}

func shortID(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}

// Elsewhere reports whether the VNF has no server for the role, so that its VIM does not know the node.
func (r Role) Elsewhere() bool { return r == AnsibleServer || r == PlaybookServer }
