package e2e

import (
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// TestOnRealOpenStack_storage makes a cluster with a storage server on virtual machines, with a volume of Cinder and
// the NFS of their own kernels. The files must survive a reboot of the storage server, and a heal that keeps the
// volume.
func TestOnRealOpenStack_storage(t *testing.T) {
	cloud := realOpenStack(t)
	if testing.Short() {
		t.Skip("It takes some twenty minutes where processors are emulated.")
	}
	b := &bed{testbed.NewIn(t, cloud)}
	vnf := b.Create(t, "files")
	op := b.Begin(t, vnf, "instantiate", b.SampleRequest(t, "storage", "files", func(request, _ map[string]any) {
		request["instantiationLevelId"] = "instantiation_level_3"
		environment.ExportTo(request, testbed.SubnetOf(t, testbed.Service(t, cloud.Login(), openstack.NewNetworkV2), "net0"))
	}))
	t.Cleanup(func() { removeStack(t, cloud.Login(), "vnf-"+vnf) })
	b.Await(t, op, 40*time.Minute, "COMPLETED")
	t.Log(b.Timings(t, op))
	day := dayTwo{bed: b, vnf: vnf, cluster: "cluster-files", controlPlanes: 1, workers: 1, limit: 40 * time.Minute}
	s := sharedFiles{realPods{dayTwo: &day, c: b.Kubernetes(t, day.cluster)}}
	worker, controlPlane := s.workers(t)[0], s.controlPlane(t)
	volume := volumesOf(t, cloud.Login(), "vnf-"+vnf)
	require.Len(t, volume, 1)

	s.claim(t)
	s.write(t, worker)
	s.read(t, "reader", controlPlane)
	server := b.VnfcOf(t, vnf, testbed.StorageVdu)
	day.powerCycle(t, day.serverOf(t, server))
	s.read(t, "after-boot", controlPlane)

	heal := map[string]any{"vnfcInstanceId": []string{server}, "additionalParams": map[string]any{"keep_volumes": true}}
	got := b.Await(t, b.Begin(t, vnf, "heal", heal), 15*time.Minute, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"],
		"nfs-pv1 (claim default/data, used by the Pod default/writer-")
	s.letGo(t)
	day.operate(t, "heal", heal)
	require.NotEqual(t, server, b.VnfcOf(t, vnf, testbed.StorageVdu))
	require.Equal(t, volume, volumesOf(t, cloud.Login(), "vnf-"+vnf), "the volume is the same")
	s.claim(t)
	s.read(t, "afterwards", worker)
	s.letGo(t)
	day.requireNodes(t)
	terminateOnOpenStack(t, b, vnf, day.cluster)
}

// volumesOf lists the ids of a stack's volumes. Each must be attached to one server.
func volumesOf(t *testing.T, login environment.Login, stack string) (ids []string) {
	t.Helper()
	cinder := testbed.Service(t, login, openstack.NewBlockStorageV3)
	for id, kind := range resourcesIn(t, login, stack) {
		if kind == "OS::Cinder::Volume" {
			volume, err := volumes.Get(t.Context(), cinder, id).Extract()
			require.NoError(t, err)
			require.Len(t, volume.Attachments, 1, "volume %s", id)
			ids = append(ids, id)
		}
	}
	return ids
}

// powerCycle switches a server off and on, so that its guest boots again.
func (d *dayTwo) powerCycle(t *testing.T, server string) {
	t.Helper()
	d.switchOff(t, server)
	nova := testbed.Service(t, d.Cloud.Login(), openstack.NewComputeV2)
	require.NoError(t, servers.Start(t.Context(), nova, server).ExtractErr())
	require.Eventually(t, func() bool {
		s, err := servers.Get(t.Context(), nova, server).Extract()
		return err == nil && s.Status == "ACTIVE"
	}, 5*time.Minute, time.Second, "the server %s is not switched on", server)
}

// controlPlane returns the name of the control plane. It runs a Pod only if the Pod names it.
func (s *sharedFiles) controlPlane(t *testing.T) string {
	t.Helper()
	nodes, err := s.c.CoreV1().Nodes().List(t.Context(),
		metav1.ListOptions{LabelSelector: "node-role.kubernetes.io/control-plane"})
	require.NoError(t, err)
	require.Len(t, nodes.Items, 1)
	return nodes.Items[0].Name
}
