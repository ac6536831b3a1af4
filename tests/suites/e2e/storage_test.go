package e2e

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// requireVolumes checks that the VNF's storage server mounts and exports the only volume, and that its
// PersistentVolumes are Available. It returns the ids of the volume and of the PersistentVolumes.
func (b *bed) requireVolumes(t *testing.T, vnf string) (volume string, uids []string) {
	t.Helper()
	server := b.VnfcOf(t, vnf, testbed.StorageVdu)
	s := b.Storage(t)
	require.Len(t, s.Disks, 1, "what was on other volumes is gone")
	require.Equal(t, 1, s.Disks[0].Made, "a file system is made once")
	require.Equal(t, "/volume", s.Disks[0].Directory)
	require.Equal(t, server, s.Disks[0].MachineID)
	require.Len(t, s.Exports, 3)
	for _, e := range s.Exports {
		require.Equal(t, server, e.MachineID)
		require.Equal(t, []string{b.Net0(t).String()}, e.Networks)
	}
	clusters := b.Clusters(t)
	require.Len(t, clusters, 1)
	require.Len(t, clusters[0].PersistentVolumes, 3)
	for _, v := range clusters[0].PersistentVolumes {
		require.Equal(t, "Available", v.Phase, v.Name)
		require.NotEqual(t, "0.0.0.0", v.Server, "the manifest has the server's address")
		uids = append(uids, v.UID)
	}
	require.Empty(t, clusters[0].Violations)
	return s.Disks[0].VolumeID, uids
}

// storageServer instantiates a cluster with a storage server, scales it, heals it in every way, and sends requests that
// must be refused.
func storageServer(t *testing.T, b *bed) {
	vnf := b.Create(t, "storage")
	b.refusedStorage(t, vnf)
	op := b.Begin(t, vnf, "instantiate", b.SampleRequest(t, "storage", "storage", nil))
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "storage-instantiate")
	b.RequireCluster(t, 1, 2)
	volume, uids := b.requireVolumes(t, vnf)
	require.Len(t, b.Vnfcs(t, vnf), 4, "the storage server is a VNFC")
	require.True(t, sound(b.CheckDriftUntil(t, vnf, sound)), "and no node of the cluster")

	op = b.Scale(t, vnf, "SCALE_OUT", "worker_instance")
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "storage-scale-out")
	require.Equal(t, []string{"DONE"}, b.NodeStates(t, op, "Let every new node mount the exports"))
	b.RequireCluster(t, 1, 3)
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/scale",
		map[string]any{"type": "SCALE_OUT", "aspectId": testbed.StorageVdu})
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	require.Contains(t, testbed.Problem(t, a), "the storage server cannot be scaled")

	b.storageInUse(t, vnf, volume, uids)
	b.storageHealFails(t, vnf, volume)
	b.volumeAttachedNowhere(t, vnf, volume)

	// The first heal keeps the volume, the second one replaces it.
	heal := func(name string, keep bool) {
		before := b.VnfcOf(t, vnf, testbed.StorageVdu)
		op := b.Begin(t, vnf, "heal", map[string]any{
			"vnfcInstanceId":   []string{before},
			"additionalParams": map[string]any{"keep_volumes": keep},
		})
		b.Await(t, op, quick, "COMPLETED")
		b.record(t, op, name)
		b.RequireChanged(t, op, 1, 1)
		require.NotEqual(t, before, b.VnfcOf(t, vnf, testbed.StorageVdu))
		require.Equal(t, []string{"DONE", "DONE", "DONE", "DONE"}, b.NodeStates(t, op, "Let every node mount the exports"))
		b.RequireCluster(t, 1, 3)
	}
	heal("storage-heal-keep", true)
	kept, again := b.requireVolumes(t, vnf)
	require.Equal(t, volume, kept)
	require.NotElementsMatch(t, uids, again, "they were registered anew")
	heal("storage-heal", false)
	replaced, _ := b.requireVolumes(t, vnf)
	require.NotEqual(t, volume, replaced)

	op = b.Heal(t, vnf, b.VnfcOf(t, vnf, "workerNode"))
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "storage-heal-worker")
	b.requireVolumes(t, vnf)
	op = b.Heal(t, vnf)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "storage-heal-whole")
	b.RequireCluster(t, 1, 3)
	b.requireVolumes(t, vnf)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
	require.Empty(t, b.Storage(t).Disks)
}

// refusedStorage sends a request with several mistakes. The answer must name all of them.
func (b *bed) refusedStorage(t *testing.T, vnf string) {
	t.Helper()
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate",
		b.SampleRequest(t, "storage", "storage", func(_, cluster map[string]any) {
			s := cluster["storage_server"].(map[string]any)
			s["cinder_volume_setup_params"].([]any)[0].(map[string]any)["volume_resource_id"] = "nothing"
			s["nfs_server_setup_params"].([]any)[0].(map[string]any)["export_dir"] = "/elsewhere"
			s["nfs_server_setup_params"].([]any)[1].(map[string]any)["export_to"] = "10.0.0.0/64"
			cluster["pv_registration_params"].([]any)[2].(map[string]any)["pv_manifest_file_path"] = "Files/missing.yaml"
		}))
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	for at, said := range map[string]string{
		"storage_server.cinder_volume_setup_params[0].volume_resource_id": `no resource \"nothing\"`,
		"storage_server.nfs_server_setup_params[0].export_dir":            "on none of the volumes",
		"storage_server.nfs_server_setup_params[1].export_to":             "must be a network",
		"pv_registration_params[2].pv_manifest_file_path":                 "the VNF package has no file",
		"pv_registration_params[0].pv_manifest_file_path":                 "in none of nfs_server_setup_params",
	} {
		require.Contains(t, string(a.Body), "$.additionalParams.k8s_cluster_installation_param."+at, "all at once")
		require.Contains(t, string(a.Body), said)
	}
}

// storageInUse heals a storage server that a Pod uses. Windlass refuses it and changes nothing.
func (b *bed) storageInUse(t *testing.T, vnf, volume string, uids []string) {
	t.Helper()
	worker := ""
	for _, m := range b.Clusters(t)[0].Members {
		if !m.ControlPlane {
			worker = m.Node
		}
	}
	a := b.Lab(t, http.MethodPost, "/clusters/"+vnf+"/pods",
		map[string]any{"name": "web", "node": worker, "claim": "data"})
	require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
	b.Bind(t, vnf, "nfs-pv2", "default/data")
	server := b.VnfcOf(t, vnf, testbed.StorageVdu)
	for _, keep := range []bool{false, true} {
		op := b.Begin(t, vnf, "heal", map[string]any{
			"vnfcInstanceId":   []string{server},
			"additionalParams": map[string]any{"keep_volumes": keep},
		})
		got := b.Await(t, op, quick, "ROLLED_BACK")
		require.Contains(t, got["error"].(map[string]any)["detail"],
			"nfs-pv2 (claim default/data, used by the Pod default/web)")
		if !keep {
			b.record(t, op, "storage-heal-refused")
		}
	}
	require.Equal(t, server, b.VnfcOf(t, vnf, testbed.StorageVdu))
	require.Equal(t, volume, b.Storage(t).Disks[0].VolumeID)
	var now []string
	for _, v := range b.Clusters(t)[0].PersistentVolumes {
		now = append(now, v.UID)
	}
	require.Equal(t, uids, now, "nothing was deleted")
	b.Bind(t, vnf, "nfs-pv2", "")

	for body, said := range map[string]map[string]any{
		"heal the storage server alone": {"additionalParams": map[string]any{"keep_volumes": true}},
		"has volumes to keep": {
			"additionalParams": map[string]any{"keep_volumes": true},
			"vnfcInstanceId":   []string{worker},
		},
		"must be true or false": {
			"additionalParams": map[string]any{"keep_volumes": "perhaps"},
			"vnfcInstanceId":   []string{server},
		},
	} {
		a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/heal", said)
		require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
		require.Contains(t, testbed.Problem(t, a), body)
	}
}

// storageHealFails heals a storage server with several failures. A rollback is possible only before the machine is
// replaced. The volume to keep is never lost.
func (b *bed) storageHealFails(t *testing.T, vnf, volume string) {
	t.Helper()
	begin := func() string {
		return b.Begin(t, vnf, "heal", map[string]any{
			"vnfcInstanceId":   []string{b.VnfcOf(t, vnf, testbed.StorageVdu)},
			"additionalParams": map[string]any{"keep_volumes": true},
		})
	}
	b.Fault(t, map[string]any{
		"service": "nova", "method": "DELETE", "path": "/servers/", "status": 409, "count": 1,
		"message": "Instance is locked",
	})
	op := begin()
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "locked")
	require.NotContains(t, got["_links"].(map[string]any), "rollback", "the machine may be gone")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	kept, _ := b.requireVolumes(t, vnf)
	require.Equal(t, volume, kept)

	b.ScriptFault(t, map[string]any{
		"script": "remove-volumes", "times": 1, "exit_code": 1, "output": "windlass: something holds it.",
	})
	op = begin()
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "storage-heal-rollback")
	b.requireVolumes(t, vnf)

	b.ScriptFault(t, map[string]any{
		"script": "set-up-volumes", "times": 1, "exit_code": 65,
		"output": "windlass: the volume holds a partition table.",
	})
	op = begin()
	got = b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "partition table")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "storage-heal-retry")
	kept, _ = b.requireVolumes(t, vnf)
	require.Equal(t, volume, kept)

	plan := b.Get(t, "/windlass/v1/vnf_lcm_op_occs/"+filepath.Base(op)+"/plan")
	require.Equal(t, true, plan["keepVolumes"])
	require.NotContains(t, plan, "leavingVolumes")
}

// volumeAttachedNowhere detaches the volume from the storage server during its heal. The error says so, and a retry
// succeeds when the volume is attached again.
func (b *bed) volumeAttachedNowhere(t *testing.T, vnf, volume string) {
	t.Helper()
	nova := testbed.Service(t, b.Cloud.Login(), openstack.NewComputeV2)
	former := b.VnfcOf(t, vnf, testbed.StorageVdu)
	b.ScriptFault(t, map[string]any{
		"script": "check-storage-server", "times": 1, "exit_code": 65, "output": "windlass: wait a moment.",
	})
	op := b.Begin(t, vnf, "heal", map[string]any{
		"vnfcInstanceId":   []string{former},
		"additionalParams": map[string]any{"keep_volumes": true},
	})
	b.Await(t, op, quick, "FAILED_TEMP")
	cinder := testbed.Service(t, b.Cloud.Login(), openstack.NewBlockStorageV3)
	held, err := volumes.Get(t.Context(), cinder, volume).Extract()
	require.NoError(t, err)
	require.Len(t, held.Attachments, 1)
	server := held.Attachments[0].ServerID
	require.NotEqual(t, former, server)
	require.NoError(t, volumeattach.Delete(t.Context(), nova, server, volume).ExtractErr())
	require.Eventually(t, func() bool {
		v, err := volumes.Get(t.Context(), cinder, volume).Extract()
		return err == nil && v.Status == "available"
	}, quick, 100*time.Millisecond)
	for range 2 { // the error stays until somebody attaches the volume
		require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
		got := b.Await(t, op, quick, "FAILED_TEMP")
		require.Contains(t, got["error"].(map[string]any)["detail"], "The volume "+volume+" (storage_server_volume of the "+
			"template) is attached to no server of the VNF. Attach it to "+server)
	}
	_, err = volumeattach.Create(t.Context(), nova, server, volumeattach.CreateOpts{VolumeID: volume}).Extract()
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	kept, _ := b.requireVolumes(t, vnf)
	require.Equal(t, volume, kept)
}
