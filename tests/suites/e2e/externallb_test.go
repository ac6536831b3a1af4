package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const balancedVnfdID = "6c2b6f1e-4d0e-4f0b-9f6d-8a3a5b1c9e42"

// balancer is a load balancer in front of a cluster, as the fake machines report it.
type balancer struct {
	MachineID       string   `json:"machineId"`
	Servers         []string `json:"servers"`
	NodePorts       []int    `json:"nodePorts"`
	NodePortServers []string `json:"nodePortServers"`
}

// balanced instantiates a cluster of the sample external-lb, with three control planes and two workers.
func (b *bed) balanced(t *testing.T, request, name string, edit func(lb map[string]any)) (vnf string) {
	t.Helper()
	b.OnboardOnce(t, "vnfpkg/samples/external-lb")
	vnf = b.CreateOf(t, balancedVnfdID, name)
	op := b.Begin(t, vnf, "instantiate", b.SampleRequest(t, request, name, func(req, cluster map[string]any) {
		req["instantiationLevelId"] = "instantiation_level_3"
		lb := cluster["external_lb_param"].(map[string]any)
		if lb["octavia"] == nil {
			lb["ssh_password"] = testbed.NodePassword
		}
		if edit != nil {
			edit(lb)
		}
	}))
	b.Await(t, op, quick, "COMPLETED")
	return vnf
}

// requireBalanced checks that there are so many load balancers, and that each has exactly the nodes of the cluster as
// servers.
func (b *bed) requireBalanced(t *testing.T, count int) []balancer {
	t.Helper()
	var all []balancer
	b.LabInto(t, "/balancers", &all)
	require.Len(t, all, count)
	controlPlanes, nodes := b.backends(t)
	for _, lb := range all {
		slices.Sort(lb.Servers)
		slices.Sort(lb.NodePortServers)
		require.Equal(t, controlPlanes, lb.Servers)
		if len(lb.NodePorts) > 0 {
			require.Equal(t, nodes, lb.NodePortServers)
		}
	}
	return all
}

// backends returns the nodes of the only cluster, as "name address".
func (b *bed) backends(t *testing.T) (controlPlanes, nodes []string) {
	t.Helper()
	clusters := b.Clusters(t)
	require.Len(t, clusters, 1)
	require.Empty(t, clusters[0].Violations)
	for _, m := range clusters[0].Members {
		nodes = append(nodes, m.Node+" "+m.Address)
		if m.ControlPlane {
			controlPlanes = append(controlPlanes, m.Node+" "+m.Address)
		}
	}
	slices.Sort(controlPlanes)
	slices.Sort(nodes)
	return controlPlanes, nodes
}

// externalLoadBalancer runs the operations of a kubeadm cluster behind a load balancer.
func externalLoadBalancer(t *testing.T, b *bed) {
	vnf := b.balanced(t, "external-lb", "balanced", nil)
	b.RequireCluster(t, 3, 2)
	first := b.requireBalanced(t, 1)
	require.Equal(t, []int{30080}, first[0].NodePorts)
	for _, c := range b.Clusters(t) {
		require.Empty(t, c.Balancers, "control planes have no HAProxy of their own")
	}

	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	b.RequireCluster(t, 3, 3)
	b.requireBalanced(t, 1)
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "worker_instance"), quick, "COMPLETED")
	b.requireBalanced(t, 1)
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "master_instance"), quick, "COMPLETED")
	b.RequireMembers(t, 5, 2)
	b.requireBalanced(t, 1)
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "master_instance"), quick, "COMPLETED")
	b.RequireMembers(t, 3, 2)
	b.requireBalanced(t, 1)

	for _, vdu := range []string{"masterNode", "workerNode", "externalLB"} {
		op := b.Heal(t, vnf, b.VnfcOf(t, vnf, vdu))
		b.Await(t, op, quick, "COMPLETED")
		b.RequireChanged(t, op, 1, 1)
		b.requireBalanced(t, 1)
	}
	require.NotEqual(t, first[0].MachineID, b.requireBalanced(t, 1)[0].MachineID, "another server balances")
	b.RequireMembers(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// pairOfLoadBalancers runs the operations of a cluster behind two load balancers with a virtual IP.
func pairOfLoadBalancers(t *testing.T, b *bed) {
	vnf := b.balanced(t, "external-lb-pair", "pair", nil)
	b.RequireCluster(t, 3, 2)
	first := b.requireBalanced(t, 2)

	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "balancer_instance"), quick, "COMPLETED")
	b.requireBalanced(t, 3)
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	b.RequireCluster(t, 3, 3)
	b.requireBalanced(t, 3)
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "balancer_instance"), quick, "COMPLETED")
	b.requireBalanced(t, 2)

	b.ScriptFault(t, map[string]any{
		"script": "balance-externally", "times": 1, "exit_code": 1, "output": "windlass: HAProxy refuses its configuration: no.",
	})
	op := b.Scale(t, vnf, "SCALE_OUT", "balancer_instance")
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.requireBalanced(t, 2)

	op = b.Heal(t, vnf, b.VnfcOf(t, vnf, "externalLB"))
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 1, 1)
	require.NotEqual(t, first, b.requireBalanced(t, 2))
	b.RequireMembers(t, 3, 3)
	op = b.Heal(t, vnf)
	b.Await(t, op, quick, "COMPLETED")
	b.requireBalanced(t, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// balancedByOctavia runs the operations of a cluster behind a load balancer of the cloud.
func balancedByOctavia(t *testing.T, b *bed) {
	vnf := b.balanced(t, "external-lb-octavia", "octavia", nil)
	b.RequireCluster(t, 3, 2)
	first := b.requireBalanced(t, 1)
	require.Empty(t, first[0].MachineID, "it is no machine")
	require.Equal(t, []int{30080}, first[0].NodePorts)

	b.Fault(t, map[string]any{
		"service": "octavia", "method": "PUT", "path": "/members$", "status": 500, "count": 1, "message": "the amphora has lost its way",
	})
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	b.requireBalanced(t, 1)
	for _, vdu := range []string{"masterNode", "workerNode"} {
		b.Await(t, b.Heal(t, vnf, b.VnfcOf(t, vnf, vdu)), quick, "COMPLETED")
		b.requireBalanced(t, 1)
	}
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "worker_instance"), quick, "COMPLETED")
	b.requireBalanced(t, 1)
	b.Await(t, b.Heal(t, vnf), quick, "COMPLETED")
	b.requireBalanced(t, 1)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// scriptedLoadBalancer sets the load balancer up with a script of the package, with the arguments that Tacker passes.
func scriptedLoadBalancer(t *testing.T, b *bed) {
	vnf := b.balanced(t, "external-lb", "scripted-lb", func(lb map[string]any) {
		lb["script_path"] = "./Scripts/balance.sh"
		delete(lb, "node_ports")
	})
	b.requireScripted(t)
	for _, way := range []string{"SCALE_OUT", "SCALE_IN"} {
		b.Await(t, b.Scale(t, vnf, way, "worker_instance"), quick, "COMPLETED")
	}
	for _, vdu := range []string{"masterNode", balancerVdu} {
		b.Await(t, b.Heal(t, vnf, b.VnfcOf(t, vnf, vdu)), quick, "COMPLETED")
		b.requireScripted(t)
	}
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// requireScripted checks the load balancer that a script of the package has set up. Only the addresses can be compared:
// the script does not get the names.
func (b *bed) requireScripted(t *testing.T) {
	t.Helper()
	var all []balancer
	b.LabInto(t, "/balancers", &all)
	require.Len(t, all, 1)
	controlPlanes, _ := b.backends(t)
	require.ElementsMatch(t, addresses(controlPlanes), addresses(all[0].Servers))
}

// addresses returns the addresses of backends.
func addresses(backends []string) (out []string) {
	for _, backend := range backends {
		_, address, _ := strings.Cut(backend, " ")
		out = append(out, address)
	}
	return out
}
