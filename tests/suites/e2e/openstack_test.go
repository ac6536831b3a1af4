package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// cloudFile is the variable that names a file about a real OpenStack: the cloud.json that tests/support/openstack
// writes, or a file of the same form.
const cloudFile = "WINDLASS_TEST_OPENSTACK"

// TestOnRealOpenStack makes a cluster of virtual machines in a real OpenStack, and terminates it. Nothing of it may be
// left.
func TestOnRealOpenStack(t *testing.T) {
	cloud := realOpenStack(t)
	b := &bed{testbed.NewIn(t, cloud)}
	vnf, op := b.Instantiate(t, "openstack", simple)
	t.Cleanup(func() { removeStack(t, cloud.Login(), "vnf-"+vnf) }) // the test may fail before it terminates the VNF
	b.Await(t, op, 40*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))

	made := resourcesIn(t, cloud.Login(), "vnf-"+vnf)
	require.Equal(t, 2, made.count("OS::Nova::Server"))
	require.Equal(t, 2, made.count("OS::Neutron::Port"))
	require.Equal(t, 1, made.count("OS::Neutron::SecurityGroup"))
	require.Len(t, made.among(existing(t, cloud.Login())), made.real(), "each service shows what Heat has made")
	b.requireVirtualNodes(t, "cluster-openstack", 2)
	if !testing.Short() {
		day := dayTwo{bed: b, vnf: vnf, cluster: "cluster-openstack", controlPlanes: 1, workers: 1, limit: 40 * time.Minute}
		day.pass(t)
		b.requireVirtualNodes(t, "cluster-openstack", 2)
	}
	terminateOnOpenStack(t, b, vnf, "cluster-openstack")
}

// haVariable enables a cluster with three control planes on the real OpenStack. With emulated processors on a small
// machine, this takes more than an hour.
const haVariable = "WINDLASS_TEST_OPENSTACK_HA"

// TestOnRealOpenStack_highlyAvailable makes the sample's entire cluster there, and heals one of its control planes.
func TestOnRealOpenStack_highlyAvailable(t *testing.T) {
	cloud := realOpenStack(t)
	if os.Getenv(haVariable) == "" {
		t.Skipf("set %s=1 where virtual machines are not emulated, or for a long night", haVariable)
	}
	b := &bed{testbed.NewIn(t, cloud)}
	vnf, op := b.Instantiate(t, "openstack-ha", nil)
	t.Cleanup(func() { removeStack(t, cloud.Login(), "vnf-"+vnf) })
	b.Await(t, op, 2*time.Hour, "COMPLETED")
	t.Log(b.Timings(t, op))
	day := dayTwo{bed: b, vnf: vnf, cluster: "cluster-openstack-ha", controlPlanes: 3, workers: 2, limit: time.Hour}
	day.requireNodes(t)
	day.healSwitchedOff(t, "masterNode")
	terminateOnOpenStack(t, b, vnf, "cluster-openstack-ha")
}

// realOpenStack returns the real OpenStack. It skips the test if there is none.
func realOpenStack(t *testing.T) *environment.OpenStack {
	t.Helper()
	file := os.Getenv(cloudFile)
	if file == "" {
		t.Skipf("set %s to the cloud.json of a running tests/support/openstack to use a real OpenStack", cloudFile)
	}
	return &environment.OpenStack{File: file}
}

// terminateOnOpenStack terminates the VNF, and checks that nothing of the stack is left.
func terminateOnOpenStack(t *testing.T, b *bed, vnf, cluster string) {
	t.Helper()
	made := resourcesIn(t, b.Cloud.Login(), "vnf-"+vnf)
	op := b.Begin(t, vnf, "terminate", map[string]any{"terminationType": "GRACEFUL", "gracefulTerminationTimeout": 90})
	b.Await(t, op, 20*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	require.Empty(t, made.among(existing(t, b.Cloud.Login())), "what is left")
	require.Empty(t, b.Get(t, "/v1.0/vims?name="+cluster)["vims"])
	a := b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
	require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
}

// simple changes a request to one control plane and one worker.
func simple(request, cluster map[string]any) {
	request["flavourId"] = "simple"
	cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no virtual IP
}

// requireVirtualNodes checks that there are so many nodes, that all are Ready, and that each has its own kernel.
func (b *bed) requireVirtualNodes(t *testing.T, cluster string, count int) {
	t.Helper()
	nodes, err := b.Kubernetes(t, cluster).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, nodes.Items, count)
	var host unix.Utsname
	require.NoError(t, unix.Uname(&host))
	boots := map[string]bool{}
	for _, n := range nodes.Items {
		require.True(t, testbed.Ready(n), n.Name)
		require.NotEqual(t, unix.ByteSliceToString(host.Release[:]), n.Status.NodeInfo.KernelVersion)
		boots[strings.TrimSpace(n.Status.NodeInfo.BootID)] = true
	}
	require.Len(t, boots, count, "each has booted by itself")
}
