package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
)

// storageRequest returns the sample's request for a cluster with a storage server.
func storageRequest(t *testing.T, vim string) (request, cluster, storage map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../../vnfpkg/samples/requests/instantiate-storage.json")
	require.NoError(t, err)
	replaced := strings.NewReplacer("REPLACE-WITH-THE-ID-OF-THE-VIM", vim, "REPLACE-WITH-THE-PASSWORD",
		servertest.Marker).Replace(string(text))
	require.NoError(t, json.Unmarshal([]byte(replaced), &request))
	cluster = request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)
	return request, cluster, cluster["storage_server"].(map[string]any)
}

func item(list any, i int) map[string]any { return list.([]any)[i].(map[string]any) }

func TestStorageServerIsCheckedAgainstThePackage(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	vim := b.RegisterVim("lab", true)
	for name, c := range map[string]struct {
		edit   func(cluster, storage map[string]any)
		status int
		paths  []string // below the cluster's parameters
		says   string
	}{
		"names of what is not there": {func(cluster, storage map[string]any) {
			item(storage["cinder_volume_setup_params"], 0)["volume_resource_id"] = "nothing"
			storage["ssh_cp_name"], storage["nic_cp_name"] = "no_CP", "none_CP"
			item(cluster["pv_registration_params"], 0)["nfs_server_cp"] = "other_CP"
			item(cluster["pv_registration_params"], 1)["pv_manifest_file_path"] = "Files/none.yaml"
		}, http.StatusUnprocessableEntity, []string{
			"storage_server.ssh_cp_name", "storage_server.nic_cp_name",
			"storage_server.cinder_volume_setup_params[0].volume_resource_id",
			"pv_registration_params[0].nfs_server_cp", "pv_registration_params[1].pv_manifest_file_path",
		}, "no resource"},
		"a server for a volume": {
			func(_, storage map[string]any) {
				item(storage["cinder_volume_setup_params"], 0)["volume_resource_id"] = "storage_server"
			}, http.StatusUnprocessableEntity,
			[]string{"storage_server.cinder_volume_setup_params[0].volume_resource_id"},
			"is a OS::Nova::Server; a volume is needed",
		},
		"no manifest of volumes": {
			func(cluster, _ map[string]any) {
				item(cluster["pv_registration_params"], 0)["pv_manifest_file_path"] = "Files/kubernetes/kubeadm-lab.yaml"
			}, http.StatusUnprocessableEntity,
			[]string{"pv_registration_params[0].pv_manifest_file_path"},
			"has no PersistentVolume",
		},
		"a volume that is not exported": {func(_, storage map[string]any) {
			item(storage["nfs_server_setup_params"], 1)["export_dir"] = "/volume/nfs/other"
		}, http.StatusUnprocessableEntity, []string{"pv_registration_params[1].pv_manifest_file_path"}, "nfs-pv2"},
		"classes of what is not there": {
			func(cluster, _ map[string]any) {
				cluster["storage_class_params"] = []any{map[string]any{
					"name": "files", "export_dir": "/volume/nfs/pv2", "nfs_server_cp": "other_CP", "image": "nfs:1",
				}}
			}, http.StatusUnprocessableEntity,
			[]string{
				"storage_class_params[0].nfs_server_cp",
				"pv_registration_params[1].pv_manifest_file_path",
			},
			"where claims of the StorageClass files get their directories (/volume/nfs/pv2)",
		},
		"types and names at once": {func(cluster, storage map[string]any) {
			item(storage["nfs_server_setup_params"], 2)["export_to"] = "everybody"
			item(cluster["pv_registration_params"], 1)["pv_manifest_file_path"] = "Files/none.yaml"
		}, http.StatusBadRequest, []string{
			"storage_server.nfs_server_setup_params[2].export_to",
			"pv_registration_params[1].pv_manifest_file_path",
		}, "must be a network"},
	} {
		t.Run(name, func(t *testing.T) {
			request, cluster, storage := storageRequest(t, vim)
			c.edit(cluster, storage)
			var want []string
			for _, p := range c.paths {
				want = append(want, "$.additionalParams."+k8s.ParamsKey+"."+p)
			}
			a := b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", request)
			a.Want(c.status)
			require.ElementsMatch(t, want, a.Paths())
			require.Contains(t, string(a.Body), c.says)
		})
	}
}
