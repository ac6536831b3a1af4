package kubenode

import (
	"cmp"
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/locate"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// locateRoles finds the nodes of both roles and the address in front of the control planes.
func locateRoles(
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
		nodes, err := locate.NodesOf(inv, role.role, role.params, in.Left)
		if err != nil {
			return err
		}
		out.Nodes = append(out.Nodes, nodes...)
	}
	controlPlanes := out.Nodes.With(lcm.ControlPlane)
	if n := len(controlPlanes); !in.AnyNumber &&
		(n == 0 || n > 1 && n%2 == 0 || balances && in.HighlyAvailable != (n > 1)) {
		return lcm.Errorf(lcm.KindInvalid, "The deployment has %d control planes (resource %q). It needs one, or an "+
			"odd number of at least three behind a virtual IP. Correct aspect_id or vdu_id, the level or the package.",
			n, cmp.Or(params.MasterNode.VduID, params.MasterNode.AspectID))
	}
	if in.HighlyAvailable {
		port, err := locate.PortNamed(inv, inv.ID, params.MasterNode.ClusterCpName)
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
			return locate.Missing(name, "cluster_fip_name")
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
	port, err := locate.PortNamed(inv, node.Part, name)
	if err != nil {
		return err
	}
	out.PublicAddress = port.FloatingIP
	if out.PublicAddress == "" && port.Address != node.Address {
		out.PublicAddress = port.Address
	}
	return nil
}

// locateBalancers finds the request's external load balancers: clients reach the cluster at their address.
func locateBalancers(inv *vim.Inventory, p k8s.Params, in FindNodesInput, out *FindNodesOutput) (err error) {
	lb := p.ExternalLB
	if lb == nil {
		return nil
	}
	if lb.Octavia == nil {
		if out.Balancers, err = locate.NodesOf(inv, lcm.LoadBalancer, lb.Members(), in.Left); err != nil && !in.Left {
			return err
		}
	}
	if lb.ClusterCpName != "" {
		port, err := locate.PortNamed(inv, inv.ID, lb.ClusterCpName)
		out.VirtualIP, out.PublicAddress = port.Address, port.FloatingIP
		return err
	}
	switch len(out.Balancers) {
	case 0: // a given-up operation may have left no load balancer
		return nil
	case 1:
	default:
		return lcm.Errorf(
			lcm.KindInvalid,
			"The deployment has %d external load balancers, which need a virtual IP: name its "+
				"port in external_lb_param.cluster_cp_name.",
			len(out.Balancers),
		)
	}
	node := out.Balancers[0]
	port, err := locate.PortNamed(inv, node.Part, cmp.Or(lb.NicCpName, lb.SSHCpName)) // SSH may go to another port
	out.VirtualIP, out.PublicAddress = node.Address, port.FloatingIP
	return err
}

// Finder finds the servers of a VNF, and for a cluster the node that each server is.
type Finder struct {
	Cloud resources.Cloud
	Vnfs  activities.Vnfs
}

// FindNodesInput names the operation whose nodes the activity looks for.
type FindNodesInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	// Cluster is set when the VMs are the nodes of a cluster.
	Cluster bool `json:"cluster,omitempty"`
	// HighlyAvailable is set when several control planes are expected.
	HighlyAvailable bool `json:"highlyAvailable,omitempty"`
	// AnyNumber accepts any number of control planes: a given-up operation may have left only some.
	AnyNumber bool `json:"anyNumber,omitempty"`
	// Left is set after a given-up operation: the activity waits until the VIM is done, and skips VMs without an address.
	Left bool `json:"left,omitempty"`
	// Keepers are servers whose volumes must survive them. It is a Conflict when the VIM would delete a volume with its
	// server.
	Keepers []string `json:"keepers,omitempty"`
}

// FindNodesOutput lists the parts of the deployment.
type FindNodesOutput struct {
	DeploymentID string        `json:"stackId"`
	Vnfcs        []record.Vnfc `json:"vnfcs"`
	// Networks are the networks that the deployment has made.
	Networks []record.Network `json:"networks,omitempty"`
	Nodes    lcm.Nodes        `json:"nodes,omitempty"`
	// VirtualIP is the address in front of the API servers, "" without high availability.
	VirtualIP string `json:"virtualIp,omitempty"`
	// PublicAddress is where clients reach the API servers, if it is not the cluster's own address: a floating IP, or the
	// address of another port; "" for none.
	PublicAddress string `json:"publicAddress,omitempty"`
	// Balancers are the external load balancers; none if the request has none, or if the cloud's load balancer is used.
	Balancers lcm.Nodes `json:"balancers,omitempty"`
	// Storage is the storage server, nil when the request asks for none.
	Storage *lcm.StorageServer `json:"storage,omitempty"`
}

// FindNodes reads the VMs of the deployment and, for a cluster, the node that each VM is.
// Idempotent: it only reads.
func (i *Finder) FindNodes(ctx context.Context, in FindNodesInput) (out FindNodesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "find the nodes", err) }()
	defer activities.Heartbeat(ctx)()
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	if in.Left {
		if err := deployment.Settle(ctx); err != nil {
			return out, err
		}
	}
	inv, err := i.Cloud.Inventory(ctx, deployment.Cloud, in.OpOccID, deployment.Name)
	if err != nil {
		return out, err
	}
	for _, server := range in.Keepers {
		if err := resources.VolumesStay(ctx, deployment.Cloud, server, resources.DeployedVolumes(inv)...); err != nil &&
			!lcm.Is(err, lcm.KindNotFound) {
			return out, err
		}
	}
	out.DeploymentID, out.Vnfcs, out.Networks = inv.ID, resources.VnfcsOf(inv), resources.NetworksOf(inv)
	if !in.Cluster {
		return out, nil
	}
	vnf, err := i.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	cluster, err := reach.ClusterDriver(vnf)
	if err != nil {
		return out, err
	}
	if out.Storage, err = locate.FindStorage(inv, cluster.Params); err != nil && !in.Left {
		return out, err
	}
	if err := locateRoles(inv, cluster.Params, reach.Balances(vnf), in, &out); err != nil {
		return out, err
	}
	return out, locateBalancers(inv, cluster.Params, in, &out)
}
