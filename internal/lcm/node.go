package lcm

// Role is what a node does in a cluster.
type Role string

// The roles of nodes.
const (
	ControlPlane Role = "control-plane"
	Worker       Role = "worker"
)

// Node is one VM as the workflow knows it: data, not a connection. It holds no secret.
type Node struct {
	// Name is the node's host name and Kubernetes node name: a prefix of the role and the first eight
	// digits of the server's id. It does not depend on an address, and a replaced VM gets a new one.
	Name string `json:"name"`
	Role Role   `json:"role"`
	// ServerID is the id of the Nova server.
	ServerID string `json:"serverId"`
	// StackID is the nested Heat stack that holds the server, the parent stack's id when not nested.
	StackID string `json:"stackId"`
	VduID   string `json:"vduId"`
	// SSHAddress is where Windlass reaches the node: a fixed or a floating IP.
	SSHAddress string `json:"sshAddress"`
	// Address is the node's own IP, from nic_cp_name.
	Address string `json:"address"`
	// ComputeHost is the hypervisor, for the label CIS-node; "" when the VIM does not tell.
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

// NodeName makes the name of a node of that role on that server.
func NodeName(role Role, serverID string) string {
	prefix := map[Role]string{ControlPlane: "cp", Worker: "worker"}[role]
	return prefix + "-" + shortID(serverID)
}

func shortID(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}
