package activities

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// locate finds the nodes of both roles and the address in front of the control planes.
func locate(
	inv *vim.Inventory, params k8s.Params, balances bool, in FindNodesInput, out *FindNodesOutput,
) error {
	for _, role := range []struct {
		role   lcm.Role
		params k8s.NodeParams
		path   string
	}{
		{lcm.ControlPlane, params.MasterNode, "master_node"},
		{lcm.Worker, params.WorkerNode, "worker_node"},
	} {
		nodes, err := nodesOf(inv, role.role, role.params, in.Left)
		if err != nil {
			return err
		}
		out.Nodes = append(out.Nodes, nodes...)
	}
	controlPlanes := out.Nodes.With(lcm.ControlPlane)
	if n := len(controlPlanes); !in.AnyNumber && (n == 0 || n > 1 && n%2 == 0 || balances && in.HighlyAvailable != (n > 1)) {
		return lcm.Errorf(lcm.KindInvalid, "The deployment has %d control planes (resource %q). It needs one, or an "+
			"odd number of at least three behind a virtual IP. Correct aspect_id or vdu_id, the level or the package.",
			n, cmp.Or(params.MasterNode.VduID, params.MasterNode.AspectID))
	}
	if in.HighlyAvailable {
		port, err := portNamed(inv, inv.ID, params.MasterNode.ClusterCpName)
		if err != nil {
			return err
		}
		out.VirtualIP, out.PublicAddress = port.Address, port.FloatingIP
	}
	if name := params.MasterNode.ClusterFipName; name != "" {
		r, ok := inv.In(inv.ID, name)
		if !ok && len(controlPlanes) == 1 { // as in Tacker
			r, ok = inv.In(controlPlanes[0].Part, name)
		}
		if !ok {
			return missing(name, "cluster_fip_name")
		}
		out.PublicAddress = inv.PublicAddrs[r.ID].Address
	}
	if len(controlPlanes) == 1 && out.PublicAddress == "" && !in.HighlyAvailable {
		return locateAlone(inv, params.MasterNode, controlPlanes[0], out)
	}
	return nil
}

// locateAlone finds where clients reach the only control plane: at the port of cluster_cp_name, else of nic_cp_name.
// Windlass may log in at another port, in a network that clients do not reach.
func locateAlone(inv *vim.Inventory, params k8s.NodeParams, node lcm.Node, out *FindNodesOutput) error {
	name := cmp.Or(params.NicCpName, params.SSHCpName)
	if _, own := inv.In(node.Part, params.ClusterCpName); own { // else it is the port of a load balancer
		name = params.ClusterCpName
	}
	port, err := portNamed(inv, node.Part, name)
	if err != nil {
		return err
	}
	out.PublicAddress = port.FloatingIP
	if out.PublicAddress == "" && port.Address != node.Address {
		out.PublicAddress = port.Address
	}
	return nil
}

func nodesOf(inv *vim.Inventory, role lcm.Role, params k8s.NodeParams, onlyComplete bool) (lcm.Nodes, error) {
	members, err := membersOf(inv, params)
	if err != nil {
		return nil, err
	}
	var nodes lcm.Nodes
	for _, part := range members {
		node, err := nodeOf(inv, part, role, params)
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

// nodeOf returns the node from one part of the deployment: a member of a group, or the deployment itself.
func nodeOf(inv *vim.Inventory, part string, role lcm.Role, params k8s.NodeParams) (lcm.Node, error) {
	ssh, err := portNamed(inv, part, params.SSHCpName)
	if err != nil {
		return lcm.Node{}, err
	}
	nic := ssh
	if params.NicCpName != "" {
		if nic, err = portNamed(inv, part, params.NicCpName); err != nil {
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

// portNamed finds a port by its name in the template, or the port behind a floating IP of that name.
func portNamed(inv *vim.Inventory, part, name string) (vim.Port, error) {
	r, ok := inv.In(part, name)
	if !ok {
		return vim.Port{}, missing(name, "ssh_cp_name, nic_cp_name or cluster_cp_name")
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

func missing(name, parameter string) error {
	return lcm.Errorf(lcm.KindInvalid, "The template has no resource %q: correct %s, or the package.", name, parameter)
}
