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

	"github.com/windlass-nfv/windlass/tests/environment"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// cloudFile names a file that tells of a real OpenStack: the cloud.json that tests/openstack writes, or one like it.
const cloudFile = "WINDLASS_TEST_OPENSTACK"

// TestOnRealOpenStack is the main job on the real thing: a cluster of virtual machines in an OpenStack that is none of
// ours, made and taken down again with nothing left.
func TestOnRealOpenStack(t *testing.T) {
	cloud := realOpenStack(t)
	b := &bed{testbed.NewIn(t, cloud)}
	vnf, op := b.Instantiate(t, "openstack", simple)
	t.Cleanup(func() { removeStack(t, cloud.Login(), "vnf-"+vnf) }) // of a test that fails on the way
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

// haVariable asks for a cluster with three control planes on the real OpenStack, which is more than emulated
// processors of a small machine can carry in an hour.
const haVariable = "WINDLASS_TEST_OPENSTACK_HA"

// TestOnRealOpenStack_highlyAvailable makes the whole cluster of the sample there, and heals a control plane of it.
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

// realOpenStack skips the test where there is none.
func realOpenStack(t *testing.T) *environment.OpenStack {
	t.Helper()
	file := os.Getenv(cloudFile)
	if file == "" {
		t.Skipf("set %s to the cloud.json of a running tests/openstack to use a real OpenStack", cloudFile)
	}
	return &environment.OpenStack{File: file}
}

// terminateOnOpenStack wants nothing left of what the stack consists of now.
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

// simple asks for one control plane and one worker.
func simple(request, cluster map[string]any) {
	request["flavourId"] = "simple"
	cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no virtual IP
}

// requireVirtualNodes wants so many nodes, Ready and each with a kernel of its own.
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
