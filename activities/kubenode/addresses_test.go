package kubenode_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// networksApart is a control plane, a load balancer and a worker, each with ports for management, clients and storage.
func networksApart() *vim.Inventory {
	inv := &vim.Inventory{
		ID: "top", Servers: map[string]vim.Server{}, Ports: map[string]vim.Port{},
		PublicAddrs: map[string]vim.PublicAddress{},
	}
	for n, name := range []string{"master", "lb", "worker"} {
		inv.Resources = append(inv.Resources, vim.Resource{Name: name, Kind: vim.Compute, ID: name, Part: "top"})
		inv.Servers[name] = vim.Server{ID: name}
		for net, port := range []string{"MGMT", "CP1", "STORAGE"} {
			id := name + "_" + port
			inv.Resources = append(inv.Resources, vim.Resource{Name: id, Kind: vim.LinkPort, ID: id, Part: "top"})
			inv.Ports[id] = vim.Port{ID: id, ServerID: name, Address: fmt.Sprintf("10.%d.0.%d", net, n+1)}
		}
	}
	return inv
}

// withFloatingIP gives a port a floating IP, as OpenStack reports it.
func withFloatingIP(inv *vim.Inventory, port, address string) *vim.Inventory {
	p := inv.Ports[port]
	p.FloatingIP = address
	inv.Ports[port] = p
	fip := vim.Resource{Name: port + "_FIP", Kind: vim.PublicAddr, ID: port + "_FIP", Part: "top"}
	inv.Resources = append(inv.Resources, fip)
	inv.PublicAddrs[port+"_FIP"] = vim.PublicAddress{Address: address, PortID: port}
	return inv
}

// TestFindNodes_registersTheAddressOfClients checks where clients reach the cluster when Windlass logs in at another
// port.
func TestFindNodes_registersTheAddressOfClients(t *testing.T) {
	t.Parallel()
	node := k8s.NodeParams{SSHCpName: "master_MGMT", NicCpName: "master_CP1", ClusterCpName: "master_CP1"}
	worker := k8s.NodeParams{SSHCpName: "worker_MGMT", NicCpName: "worker_CP1"}
	change := func(of func(n *k8s.NodeParams)) k8s.Params {
		n := node
		of(&n)
		return k8s.Params{MasterNode: n, WorkerNode: worker}
	}
	plain := k8s.Params{MasterNode: node, WorkerNode: worker}
	balanced := k8s.Params{
		MasterNode: node, WorkerNode: worker,
		ExternalLB: &k8s.ExternalLBParams{SSHCpName: "lb_MGMT", NicCpName: "lb_CP1", Port: 8383},
	}
	for name, c := range map[string]struct {
		inv    *vim.Inventory
		params k8s.Params
		want   []string // virtual IP and public address
	}{
		"at the port of clients": {networksApart(), plain, []string{"", ""}},
		"behind its floating IP": {
			withFloatingIP(networksApart(), "master_CP1", "198.51.100.1"), plain,
			[]string{"", "198.51.100.1"},
		},
		"not behind that of the management": {
			withFloatingIP(networksApart(), "master_MGMT", "198.51.100.1"), plain, []string{"", ""},
		},
		"at a port beside the node's own": {
			networksApart(), change(func(n *k8s.NodeParams) { n.NicCpName = "master_STORAGE" }), []string{"", "10.1.0.1"},
		},
		"log in through a floating IP of that port": {
			withFloatingIP(networksApart(), "master_CP1", "198.51.100.1"),
			change(func(n *k8s.NodeParams) { n.SSHCpName = "master_CP1_FIP" }),
			[]string{"", "198.51.100.1"},
		},
		"at the load balancer's port of clients": {networksApart(), balanced, []string{"10.1.0.2", ""}},
		"behind its floating IP, by the load balancer": {
			withFloatingIP(networksApart(), "lb_CP1", "198.51.100.2"), balanced, []string{"10.1.0.2", "198.51.100.2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			infra := &kubenode.Finder{
				Cloud: resources.Cloud{
					VIMs: &activitytest.ChangingCloud{Settled: c.inv}, Deployments: activitytest.FixedDeployment{},
					Output: &activitytest.Output{},
				},
				Vnfs: paramsOf(c.params),
			}
			for range 2 {
				out := activitytest.Must(
					t,
					infra.FindNodes,
					kubenode.FindNodesInput{OpOccID: activitytest.OpOcc, Cluster: true, AnyNumber: true},
				)
				require.Equal(t, c.want, []string{out.VirtualIP, out.PublicAddress})
				require.NotEmpty(t, out.Nodes.With(lcm.ControlPlane))
			}
		})
	}
}
