package e2e

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// foreignImages are the names of the images that Tacker's sample package requires.
var foreignImages = []string{
	"--image-alias", "Image for masterNode HA kubernetes", "--image-alias", "Image for workerNode HA kubernetes",
}

// onboardAsItIs zips a folder and on-boards it. Windlass's own builder would add digests.
func (b *bed) onboardAsItIs(t *testing.T, dir string) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "foreign.zip")
	file, err := os.Create(archive)
	require.NoError(t, err)
	w := zip.NewWriter(file)
	require.NoError(t, w.AddFS(os.DirFS(dir)))
	require.NoError(t, errors.Join(w.Close(), file.Close()))
	b.Onboard(t, archive)
}

// foreignPackages is the directory of Tacker's packages.
func foreignPackages(root string) string {
	if *seeds != "" {
		return filepath.Join(*seeds, "../packages")
	}
	return filepath.Join(root, "../shared/packages")
}

// foreignPackage on-boards Tacker's own sample package without changes, and instantiates it with a request from
// Tacker's guides. The request has a pod_cidr with host bits, and a script_path.
func foreignPackage(t *testing.T, b *bed) {
	dir := filepath.Join(foreignPackages(b.Root), "kubernetes_vnf_package")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("Tacker's sample package is not here: it is data of the project's workplace and not ours to copy.")
	}
	b.onboardAsItIs(t, dir)
	a := b.Call(t, "POST", "/vnflcm/v1/vnf_instances",
		map[string]any{"vnfdId": "b1db0ce7-ebca-1fb7-95ed-4840d70a1163", "vnfInstanceName": "foreign"})
	require.Equal(t, 201, a.Status, "%s", a.Body)
	vnf := filepath.Base(a.Header.Get("Location"))
	node := func(cp string) map[string]any {
		return map[string]any{"ssh_cp_name": cp, "nic_cp_name": cp, "username": "debian", "password": testbed.NodePassword}
	}
	master, worker := node("masterNode_CP1"), node("workerNode_CP2")
	master["aspect_id"], worker["aspect_id"] = "master_instance", "worker_instance"
	master["pod_cidr"], master["cluster_cidr"], master["cluster_cp_name"] = "192.168.3.0/16", "10.199.187.0/24", "vip_CP"
	op := b.Begin(t, vnf, "instantiate", map[string]any{
		"flavourId": "complex",
		"extVirtualLinks": []any{map[string]any{"id": "net0", "resourceId": "net0", "extCps": []any{
			map[string]any{"cpdId": "masterNode_CP1", "cpConfig": []any{map[string]any{"linkPortId": "a"}}},
			map[string]any{"cpdId": "workerNode_CP2", "cpConfig": []any{map[string]any{"linkPortId": "b"}}},
		}}},
		"vimConnectionInfo": b.OnOpenStack(),
		"additionalParams": map[string]any{
			"lcm-operation-user-data":       "./UserData/k8s_cluster_user_data.py",
			"lcm-operation-user-data-class": "KubernetesClusterUserData",
			"k8s_cluster_installation_param": map[string]any{
				"script_path": "Scripts/install_k8s_cluster.sh", "vim_name": "cluster-foreign", "master_node": master,
				"worker_node": worker,
			},
		},
	})
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}
