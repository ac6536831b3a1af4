package faults

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	kubesprayPackage = "vnfpkg/samples/k8s-kubespray"
	kubesprayVnfdID  = "2d0c6f0a-3f0b-4a6b-9a53-7f2f4f0d1c77"
	ansibleServer    = "ansible"
	balancerVdu      = "externalLB"
)

// The states of a cluster that an Ansible server has made, behind an external load balancer.
var (
	played     = state{Sizes: testbed.Sizes{ControlPlanes: 3, Workers: 2}, ansible: true}
	playedWide = state{Sizes: testbed.Sizes{ControlPlanes: 3, Workers: 3}, ansible: true}
)

// ofKubespray are the rows of the matrix for such a cluster.
var ofKubespray = []operation{
	{"instantiate by kubespray", none, played, func(t testing.TB, s *site) string { return s.instantiateKubespray(t) }},
	{"scale out by kubespray", played, playedWide, scale("SCALE_OUT", "worker_instance")},
	{"scale in by kubespray", playedWide, played, scale("SCALE_IN", "worker_instance")},
	{"heal worker by kubespray", played, played, heal("workerNode")},
	{"heal control plane by kubespray", played, played, heal("masterNode")},
	{"heal all by kubespray", played, played, heal()},
	{"heal load balancer", played, played, heal(balancerVdu)},
	{"terminate by kubespray", played, none, terminate},
}

// instantiateKubespray begins to instantiate the cluster, and makes its Ansible server. The server exists as long as
// the cluster.
func (s *site) instantiateKubespray(t testing.TB) (op string) {
	t.Helper()
	s.bed.OnboardOnce(t, kubesprayPackage)
	made, err := kubespray.Machines(t.Context(), s.bed.Cloud.Login(), ansibleServer,
		kubespray.Server{Name: ansibleServer, Image: kubespray.AnsibleImage})
	require.NoError(t, err)
	s.ansible, s.name = made[ansibleServer], "vnf-"+s.unique()
	s.vnf = s.bed.CreateOf(t, kubesprayVnfdID, s.name)
	return s.bed.Begin(t, s.vnf, "instantiate", s.bed.SampleRequest(t, "kubespray-balanced", s.name,
		func(request, cluster map[string]any) {
			testbed.Impatient(request, cluster)
			request["instantiationLevelId"] = "instantiation_level_3"
			cluster["ansible"] = map[string]any{
				"ip_address": s.ansible.Address, "ssh_port": 2222, "username": "debian", "password": testbed.NodePassword,
				"kubespray_root_path": "/opt/kubespray", "transferring_inventory_path": "/home/debian/inventory",
			}
		}))
}

// approachKubespray does the same as approach, to and from such a cluster.
func (s *site) approachKubespray(t testing.TB, want state) (now state) {
	t.Helper()
	switch {
	case s.now == none:
		s.await(t, s.instantiateKubespray(t))
		return played
	case !s.now.ansible: // there is another VNF
		return s.approach(t, none)
	case !want.ansible:
		s.bed.Remove(t, s.vnf)
		s.removeAnsible(t)
		s.bed.RequireNothingLeft(t)
		s.vnf = ""
		return none
	case s.now.Workers < want.Workers:
		s.await(t, scale("SCALE_OUT", "worker_instance")(t, s))
	default:
		s.await(t, scale("SCALE_IN", "worker_instance")(t, s))
	}
	return want
}

// removeAnsible deletes the Ansible server, if there is one.
func (s *site) removeAnsible(t testing.TB) {
	t.Helper()
	if s.ansible.ID != "" {
		require.NoError(t, kubespray.RemoveMachines(t.Context(), s.bed.Cloud.Login(), ansibleServer))
	}
	s.ansible = kubespray.Machine{}
}

// requirePlayed checks that the cluster is the same everywhere, and that its load balancer has exactly its nodes.
func (s *site) requirePlayed(t testing.TB, want state) {
	t.Helper()
	clusters := s.bed.Clusters(t)
	require.Len(t, clusters, 1)
	cluster := clusters[0]
	require.Len(t, cluster.Members, want.ControlPlanes+want.Workers)
	require.Len(t, cluster.EtcdMembers, want.ControlPlanes)
	require.Empty(t, slices.DeleteFunc(cluster.Violations, func(v string) bool {
		// kubespray recovers from the loss of a control plane: its etcd member is removed after its server.
		return strings.HasSuffix(v, "was deleted while it was a member of etcd") && !strings.HasPrefix(v, "the node ")
	}))
	sizes := map[string]int{}
	var recorded []string
	for id, vdu := range s.bed.Vnfcs(t, s.vnf) {
		sizes[vdu]++
		recorded = append(recorded, id)
	}
	require.Equal(t, map[string]int{"masterNode": want.ControlPlanes, "workerNode": want.Workers, balancerVdu: 1}, sizes)
	require.ElementsMatch(t, append(recorded, s.ansible.ID), serversIn(t, s.bed))
	var nodes []string
	for _, m := range cluster.Members {
		require.True(t, m.Ready, m.Node)
		require.False(t, m.Cordoned, m.Node)
		require.Contains(t, recorded, m.MachineID, m.Node)
		nodes = append(nodes, m.Node)
	}
	require.ElementsMatch(t, nodes, s.balanced(t))
}

// balanced returns the nodes to which the load balancer sends traffic.
func (s *site) balanced(t testing.TB) (nodes []string) {
	t.Helper()
	vims := s.bed.Get(t, "/v1.0/vims?name=cluster-"+s.name)["vims"].([]any)
	require.Len(t, vims, 1)
	at, err := url.Parse(vims[0].(map[string]any)["auth_url"].(string))
	require.NoError(t, err)
	dialer := &remote.Dialer{HostKeys: &remotetest.Pins{}}
	host, err := dialer.Dial(t.Context(), remote.Target{
		Node: balancerVdu, Address: net.JoinHostPort(at.Hostname(), "2222"), User: "debian", Password: testbed.NodePassword,
		ServerID: s.bed.VnfcOf(t, s.vnf, balancerVdu),
	})
	require.NoError(t, err)
	defer func() { _ = host.Close() }()
	text, err := host.Get(t.Context(), "/etc/haproxy/haproxy.cfg", 1<<20)
	require.NoError(t, err)
	for _, server := range regexp.MustCompile(`(?m)^ *server (\S+)`).FindAllSubmatch(text, -1) {
		if name := string(server[1]); !slices.Contains(nodes, name) {
			nodes = append(nodes, name)
		}
	}
	return nodes
}

// TestSample_ofKubespray runs a part of the matrix in CI: most of its operations, each with one fault.
func TestSample_ofKubespray(t *testing.T) {
	if *all || *onlyOps != "" || *onlyKinds != "" || *onlySteps != "" {
		t.Skip("The matrix runs.")
	}
	s, results := newSite(t), &results{}
	defer func() { results.show(t, *tableIn) }()
	for i, row := range []struct{ operation, step, fault string }{
		{"instantiate by kubespray", "Install Kubernetes with kubespray (cluster.yml)", "worker killed"},
		{"scale out by kubespray", "Join the new nodes with kubespray (scale.yml)", "SSH cut"},
		{"scale in by kubespray", "Take the nodes out of the cluster with kubespray (remove-node.yml)", "API server killed"},
		{"heal worker by kubespray", "Send traffic to the new nodes, too", "node killed"},
		{"heal control plane by kubespray", "Make the control plane whole with kubespray (recover-control-plane.yml)", "worker killed"},
		{"heal load balancer", "Set up the external load balancer", "node rebooted"},
		{"terminate by kubespray", "Remove the inventory from the Ansible server", "Temporal restarted"},
	} {
		s = runCell(t, s, &cell{
			operation: named(ofKubespray, row.operation), step: row.step, fault: faultOf(row.fault),
			decision: []string{"retry", "rollback"}[i%2],
		}, results)
		require.False(t, t.Failed(), "The cells after this one were not run.")
	}
}

// TestSample_kubesprayWithoutAPodNetwork stops kubespray after it has made a control plane and before there is a pod
// network. kubespray cannot go on from there, so the next try must begin with clean nodes.
func TestSample_kubesprayWithoutAPodNetwork(t *testing.T) {
	if onRealMachines() || *all || *onlyOps != "" || *onlyKinds != "" || *onlySteps != "" {
		t.Skip("The matrix runs, or the machines do not simulate kubespray.")
	}
	s := newSite(t)
	s.bed.Pace(t, 0, 500*time.Millisecond)
	op := s.instantiateKubespray(t)
	var made []testbed.Cluster
	require.Eventually(t, func() bool {
		made = s.bed.Clusters(t)
		return len(made) == 1 && len(made[0].Members) == 1
	}, time.Minute, 20*time.Millisecond)
	first := made[0].Members[0].MachineID
	order := func(what string) {
		require.Less(t, s.bed.Lab(t, http.MethodPost, "/machines/"+first+"/"+what, nil).Status, 300)
	}
	order("kill")
	s.bed.Await(t, op, time.Minute, "FAILED_TEMP")
	order("start")
	s.bed.Pace(t, 0, 0)
	require.Equal(t, http.StatusAccepted, s.bed.Act(t, op, "retry", nil).Status)
	s.await(t, op)
	s.requirePlayed(t, played)
	var plays []struct{ Playbook, State string }
	s.bed.LabInto(t, "/plays", &plays)
	var ended []string
	for _, play := range plays {
		ended = append(ended, play.Playbook+" "+play.State)
	}
	require.Equal(t, []string{"cluster failed", "reset done", "cluster done"}, ended)
	s.bed.Remove(t, s.vnf)
}
