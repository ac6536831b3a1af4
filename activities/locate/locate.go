// Package locate finds nodes, ports and volumes in the inventory of a deployment, by the names that a request gives.
package locate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// NodesOf finds the nodes of a role, sorted by their names.
func NodesOf(inv *vim.Inventory, role lcm.Role, params k8s.NodeParams, onlyComplete bool) (lcm.Nodes, error) {
	members, err := membersOf(inv, params)
	if err != nil {
		return nil, err
	}
	var nodes lcm.Nodes
	for _, part := range members {
		node, err := NodeOf(inv, part, role, params)
		switch {
		case err == nil:
			nodes = append(nodes, node)
		case !onlyComplete:
			return nil, err
		}
	}
	slices.SortFunc(nodes, func(a, b lcm.Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes, nil
}

// NodeOf returns the node from one part of the deployment: a member of a group, or the deployment itself.
func NodeOf(inv *vim.Inventory, part string, role lcm.Role, params k8s.NodeParams) (lcm.Node, error) {
	ssh, err := PortNamed(inv, part, params.SSHCpName)
	if err != nil {
		return lcm.Node{}, err
	}
	nic := ssh
	if params.NicCpName != "" {
		if nic, err = PortNamed(inv, part, params.NicCpName); err != nil {
			return lcm.Node{}, err
		}
	}
	node := lcm.Node{
		Name: lcm.NodeName(role, nic.ServerID), Role: role, ServerID: nic.ServerID, Part: part, SSHAddress: ssh.Address,
		Address: nic.Address, ComputeHost: computeHost(inv.Servers[nic.ServerID]), Zone: inv.Servers[nic.ServerID].Zone,
	}
	if ssh.FloatingIP != "" {
		node.SSHAddress = ssh.FloatingIP
	}
	if node.ServerID == "" || node.Address == "" {
		return node, lcm.Errorf(lcm.KindUnavailable, "The port %s of %s has no server or no address yet.",
			params.NicCpName, part)
	}
	for _, r := range inv.OfKind(vim.Compute) {
		if r.ID == node.ServerID {
			node.VduID = r.Name
		}
	}
	return node, nil
}

// computeHost is the hypervisor's name. If the credentials may not read the name, it is the VIM's hostId, by which a
// project can distinguish hypervisors.
func computeHost(s vim.Server) string { return cmp.Or(s.Host, s.HostID) }

// PortNamed finds a port by its name in the template, or the port behind a floating IP of that name.
func PortNamed(inv *vim.Inventory, part, name string) (vim.Port, error) {
	r, ok := inv.In(part, name)
	if !ok {
		return vim.Port{}, Missing(name, "ssh_cp_name, nic_cp_name or cluster_cp_name")
	}
	if fip, ok := inv.PublicAddrs[r.ID]; ok {
		port := inv.Ports[fip.PortID]
		port.FloatingIP = fip.Address
		return port, nil
	}
	port, ok := inv.Ports[r.ID]
	if !ok {
		return vim.Port{}, lcm.Errorf(lcm.KindInvalid,
			"The resource %q of the template is a %s, but it must be a port or a floating IP.", name, r.VimType)
	}
	return port, nil
}

// Missing is the error for a name in a request that the template lacks.
func Missing(name, parameter string) error {
	return lcm.Errorf(lcm.KindInvalid, "The template has no resource %q: correct %s, or the package.", name, parameter)
}
