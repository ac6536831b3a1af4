package kubenode_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// apartDeployment has one control plane and two workers with floating IPs. Each of them is a separate part that belongs
// to no group.
func apartDeployment() *vim.Inventory {
	inv := &vim.Inventory{
		ID: "top", Servers: map[string]vim.Server{}, Ports: map[string]vim.Port{},
		PublicAddrs: map[string]vim.PublicAddress{},
	}
	for deployment, vdu := range map[string]string{"m-0": "master", "w-0": "worker", "w-1": "worker"} {
		inv.Resources = append(inv.Resources,
			vim.Resource{Name: deployment, VimType: "member.yaml", ID: deployment, Part: "top"},
			vim.Resource{Name: vdu, Kind: vim.Compute, ID: "server-of-" + deployment, Part: deployment},
			vim.Resource{Name: vdu + "_CP", Kind: vim.LinkPort, ID: "port-of-" + deployment, Part: deployment},
			vim.Resource{
				Name: vdu + "_FIP", Kind: vim.PublicAddr, ID: "fip-of-" + deployment, Part: deployment,
			},
		)
		inv.Servers["server-of-"+deployment] = vim.Server{ID: "server-of-" + deployment}
		inv.Ports["port-of-"+deployment] = vim.Port{
			ID: "port-of-" + deployment, ServerID: "server-of-" + deployment, Address: "10.0.0.1",
		}
		inv.PublicAddrs["fip-of-"+deployment] = vim.PublicAddress{
			Address: "public-of-" + deployment,
			PortID:  "port-of-" + deployment,
		}
	}
	return inv
}

// paramsOf are the parameters of every cluster.
type paramsOf k8s.Params

func (p paramsOf) Vnf(context.Context, lcm.OpOccID) (activities.VnfContext, error) {
	return activities.VnfContext{Drivers: []lifecycle.VnfDriver{kubeadm.New(k8s.Params(p))}}, nil
}

func TestFindNodes_byTheirVdu(t *testing.T) {
	t.Parallel()
	params := k8s.Params{
		MasterNode: k8s.NodeParams{
			VduID: "master", SSHCpName: "master_FIP", NicCpName: "master_CP",
			ClusterCpName: "master_CP", ClusterFipName: "master_FIP",
		},
		WorkerNode: k8s.NodeParams{VduID: "worker", SSHCpName: "worker_FIP", NicCpName: "worker_CP"},
	}
	infra := &kubenode.Finder{
		Cloud: resources.Cloud{
			VIMs: &activitytest.ChangingCloud{
				Settled: apartDeployment(),
			}, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{},
		},
		Vnfs: paramsOf(params),
	}
	for range 2 {
		out := activitytest.Must(t, infra.FindNodes, kubenode.FindNodesInput{OpOccID: activitytest.OpOcc, Cluster: true})
		require.Len(t, out.Nodes, 3)
		require.Equal(t, "public-of-m-0", out.PublicAddress, "of a single control plane it is beside its server")
		seen := map[string]lcm.Role{}
		for _, n := range out.Nodes {
			seen[n.Part] = n.Role
			require.Equal(t, []string{"server-of-" + n.Part, "public-of-" + n.Part, "10.0.0.1"},
				[]string{n.ServerID, n.SSHAddress, n.Address})
		}
		require.Equal(t, map[string]lcm.Role{"m-0": lcm.ControlPlane, "w-0": lcm.Worker, "w-1": lcm.Worker}, seen)
	}
	params.MasterNode.VduID = "nobody"
	infra.Vnfs = paramsOf(params)
	_, err := activitytest.Do(t, infra.FindNodes, kubenode.FindNodesInput{OpOccID: activitytest.OpOcc, Cluster: true})
	require.ErrorContains(t, err, `The deployment has 0 control planes (resource "nobody")`)
}
