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
	file := os.Getenv(cloudFile)
	if file == "" {
		t.Skipf("set %s to the cloud.json of a running tests/openstack to use a real OpenStack", cloudFile)
	}
	cloud := &environment.OpenStack{File: file}
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

	op = b.Begin(t, vnf, "terminate", map[string]any{"terminationType": "GRACEFUL", "gracefulTerminationTimeout": 90})
	b.Await(t, op, 20*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	require.Empty(t, made.among(existing(t, cloud.Login())), "what is left")
	require.Empty(t, b.Get(t, "/v1.0/vims?name=cluster-openstack")["vims"])
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
	nodes, err := b.kubernetes(t, cluster).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, nodes.Items, count)
	var host unix.Utsname
	require.NoError(t, unix.Uname(&host))
	boots := map[string]bool{}
	for _, n := range nodes.Items {
		require.True(t, ready(n), n.Name)
		require.NotEqual(t, unix.ByteSliceToString(host.Release[:]), n.Status.NodeInfo.KernelVersion)
		boots[strings.TrimSpace(n.Status.NodeInfo.BootID)] = true
	}
	require.Len(t, boots, count, "each has booted by itself")
}
