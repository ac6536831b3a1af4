package k8s_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/requests"
)

const (
	clusterAt = "$.additionalParams.k8s_cluster_installation_param."
	storageAt = clusterAt + "storage_server."
)

// checkStorage checks a cluster of one control plane and one worker with these further members.
func checkStorage(t *testing.T, members string) (k8s.Params, map[string]string) {
	t.Helper()
	doc := `{"k8s_cluster_installation_param": {
		"master_node": {"ssh_cp_name": "a", "username": "u", "password": "p", "cluster_cp_name": "a"},
		"worker_node": {"ssh_cp_name": "b", "username": "u", "password": "p"}, ` + members + `}}`
	require.True(t, json.Valid([]byte(doc)), doc)
	p, problems := checked([]byte(doc), 1, 1)
	got := map[string]string{}
	for _, problem := range problems {
		got[problem.Path] = problem.Detail
	}
	return p, got
}

// storageOfTheSeed is the example of the specification that these parameters follow.
const storageOfTheSeed = `
	"storage_server": {
		"ssh_cp_name": "storage_server_CP", "username": "ubuntu", "password": "ubuntu",
		"cinder_volume_setup_params": [{"volume_resource_id": "storage_server_volume", "mount_to": "/volume"}],
		"nfs_server_setup_params": [
			{"export_dir": "/volume/nfs/pv1", "export_to": "10.10.0.0/24"},
			{"export_dir": "/volume/nfs/pv2/", "export_to": "10.10.0.7/24"},
			{"export_dir": "/volume", "export_to": "10.10.0.9"}
		]
	},
	"pv_registration_params": [
		{"pv_manifest_file_path": "Files/kubernetes/nfs-pv1.yaml", "nfs_server_cp": "storage_server_CP"},
		{"pv_manifest_file_path": "Files/kubernetes/nfs-pv2.yaml", "nfs_server_cp": "storage_server_CP"}
	]`

func TestStorageParams_takesTheExampleOfTheSpecification(t *testing.T) {
	p, problems := checkStorage(t, storageOfTheSeed)
	assert.Empty(t, problems)
	assert.Equal(t, "storage_server_CP", p.StorageServer.NicCpName, "derived")
	assert.Equal(t, "/volume/nfs/pv2", p.StorageServer.Exports[1].ExportDir, "without the slash at its end")
	assert.Equal(t, "10.10.0.0/24", p.StorageServer.Exports[1].ExportTo, "without host bits")
	assert.Equal(t, "/volume", p.StorageServer.MountOf("/volume/nfs/pv1"))
	assert.Empty(t, p.StorageServer.MountOf("/volumes"))
	assert.True(t, p.StorageServer.Exported("/volume/nfs/pv1/deeper"))
	assert.False(t, p.StorageServer.Exported("/volumes"))
	assert.Equal(t, []string{"/volume/nfs/pv1", "/volume/nfs/pv2", "/volume"}, p.StorageServer.ExportDirs())
	assert.Len(t, p.PersistentVolumes, 2)
}

func TestStorageParams_tellsEveryMistakeAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		members string
		want    map[string]string // by path, a part of the message
	}{
		"empty": {`"storage_server": {}`, map[string]string{
			storageAt + "ssh_cp_name": "is missing", storageAt + "username": "is missing", storageAt + "password": "is missing",
			storageAt + "cinder_volume_setup_params": "is missing", storageAt + "nfs_server_setup_params": "is missing",
		}},
		"of other types": {`"storage_server": {"ssh_cp_name": 7, "username": "u", "password": "p", "cinder_volume_setup_params": {}, "nfs_server_setup_params": [7, null]}, "pv_registration_params": "x"`, map[string]string{
			storageAt + "ssh_cp_name": "must be a string", storageAt + "cinder_volume_setup_params": "must be a list of objects",
			storageAt + "nfs_server_setup_params[0]": "must be an object", storageAt +
				"nfs_server_setup_params[1].export_dir": "is missing", storageAt +
				"nfs_server_setup_params[1].export_to": "is missing",
			clusterAt + "pv_registration_params": "must be a list of objects",
		}},
		"bad values": {
			`"storage_server": {"ssh_cp_name": "cp", "username": "u v", "private_key": "k",
			"cinder_volume_setup_params": [
				{"volume_resource_id": "", "mount_to": "volume"}, {"volume_resource_id": "v", "mount_to": "/etc/x"},
				{"volume_resource_id": "v", "mount_to": "/a b"}, {"volume_resource_id": "w", "mount_to": "/data"}, {"volume_resource_id": "y", "mount_to": "/data/inner"}],
			"nfs_server_setup_params": [
				{"export_dir": "/elsewhere", "export_to": "10.10.0.0/33"}, {"export_dir": "/data/../etc", "export_to": ""},
				{"export_dir": "/data/x", "export_to": "*"}, {"export_dir": "/data/x", "export_to": "10.0.0.0/8"}, {"export_dir": "/data/x", "export_to": "10.9.9.9/8"}]},
			"pv_registration_params": [
				{"pv_manifest_file_path": "../x.yaml", "nfs_server_cp": "cp"}, {"pv_manifest_file_path": "a.yaml"}, {"pv_manifest_file_path": "a.yaml", "nfs_server_cp": "cp"}, {}]`,
			map[string]string{
				storageAt + "username": "Linux user name",
				storageAt + "cinder_volume_setup_params[0].volume_resource_id": "is missing",
				storageAt + "cinder_volume_setup_params[0].mount_to":           "absolute path",
				storageAt + "cinder_volume_setup_params[1].mount_to":           "belongs to the system",
				storageAt + "cinder_volume_setup_params[2].volume_resource_id": "there twice",
				storageAt + "cinder_volume_setup_params[2].mount_to":           "letters, digits",
				storageAt + "cinder_volume_setup_params[4].mount_to":           "overlap",
				storageAt + "nfs_server_setup_params[0].export_dir":            "on none of the volumes",
				storageAt + "nfs_server_setup_params[0].export_to":             "must be a network",
				storageAt + "nfs_server_setup_params[1].export_dir":            "letters, digits",
				storageAt + "nfs_server_setup_params[1].export_to":             "is missing",
				storageAt + "nfs_server_setup_params[2].export_to":             "must be a network",
				storageAt + "nfs_server_setup_params[4]":                       "twice",
				clusterAt + "pv_registration_params[0].pv_manifest_file_path":  "leaves the package",
				clusterAt + "pv_registration_params[1].nfs_server_cp":          "is missing",
				clusterAt + "pv_registration_params[2].pv_manifest_file_path":  "there twice",
				clusterAt + "pv_registration_params[3].pv_manifest_file_path":  "is missing",
				clusterAt + "pv_registration_params[3].nfs_server_cp":          "is missing",
			},
		},
		"volumes of nobody": {
			`"pv_registration_params": [{"pv_manifest_file_path": "a.yaml", "nfs_server_cp": "cp"}]`,
			map[string]string{
				clusterAt + "pv_registration_params": "needs storage_server",
			},
		},
		"misspelt": {strings.Replace(storageOfTheSeed, `"mount_to"`, `"mount_two": 1, "mount_to"`, 1), map[string]string{
			storageAt + "cinder_volume_setup_params[0].mount_two": "is not a parameter",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := checkStorage(t, c.members)
			for path, part := range c.want {
				assert.Contains(t, got[path], part, path)
			}
			assert.Len(t, got, len(c.want), "%v", got)
		})
	}
}

// withClasses returns these storage classes together with the storage server of the seed.
func withClasses(classes string) string {
	return storageOfTheSeed + `, "storage_class_params": ` + classes
}

func TestStorageClassParams_areFilledUp(t *testing.T) {
	p, problems := checkStorage(t, withClasses(`[
		{"name": "files", "export_dir": "/volume/dynamic/", "image": "192.168.0.10:5000/nfs-provisioner:v4"},
		{"name": "kept", "export_dir": "/volume/dynamic", "nfs_server_cp": "other_CP", "image": "nfs@sha256:00ff", "default": true, "reclaim_policy": "Retain", "archive_on_delete": false}]`))
	assert.Empty(t, problems)
	assert.Equal(t, []k8s.StorageClassParams{
		{
			Name: "files", ExportDir: "/volume/dynamic", NFSServerCp: "storage_server_CP",
			Image: "192.168.0.10:5000/nfs-provisioner:v4", ReclaimPolicy: "Delete", ArchiveOnDelete: true,
		},
		{
			Name: "kept", ExportDir: "/volume/dynamic", NFSServerCp: "other_CP", Image: "nfs@sha256:00ff", Default: true,
			ReclaimPolicy: "Retain",
		},
	}, p.StorageClasses)
	assert.Equal(t, "files", p.ClassOver("/volume/dynamic/inner").Name)
	assert.Equal(t, "files", p.ClassOver("/volume").Name, "the directory of the class lies in it")
	assert.Nil(t, p.ClassOver("/volume/nfs/pv1"))
}

func TestStorageClassParams_tellEveryMistakeAtOnce(t *testing.T) {
	_, got := checkStorage(t, withClasses(`[
		{}, {"name": "Files", "export_dir": "/volume/x", "image": "a b", "default": true, "reclaim_policy": "Recycle", "size": 1},
		{"name": "a", "export_dir": "/elsewhere", "image": "i:1", "default": true}, {"name": "a", "export_dir": "/volume/x/y", "image": "i:1", "archive_on_delete": "no"}]`))
	const at = clusterAt + "storage_class_params"
	want := map[string]string{
		at + "[0].name": "is missing", at + "[0].export_dir": "is missing", at + "[0].image": "is missing",
		at + "[1].name": "40 small letters", at + "[1].image": "the name of an image", at +
			"[1].reclaim_policy": `must be "Delete" or "Retain"`, at + "[1].size": "is not a parameter",
		at + "[2].export_dir": "in none of nfs_server_setup_params", at + "[2].default": "another class is the default",
		at + "[3].name": "there twice", at + "[3].export_dir": "overlap", at +
			"[3].archive_on_delete": "true or false",
	}
	for path, part := range want {
		assert.Contains(t, got[path], part, path)
	}
	assert.Len(t, got, len(want), "%v", got)

	_, got = checkStorage(t, `"storage_class_params": [{"name": "a"}]`)
	assert.Contains(t, got[at], "needs storage_server")
	assert.Len(t, got, 1)
}

func TestHealRequest_keepsVolumes(t *testing.T) {
	for body, want := range map[string]bool{
		`{}`: false, `{"additionalParams":null}`: false, `{"additionalParams":{"keep_volumes":true}}`: true,
		`{"additionalParams":{"keep_volumes":"true"}}`: true, `{"additionalParams":{"keep_volumes":false}}`: false,
	} {
		req, err := lcmtest.Read[lcm.HealRequest](json.RawMessage(body))
		require.NoError(t, err)
		keep, _ := req.KeepsVolumes()
		assert.Equal(t, want, keep, body)
	}
	asked := json.RawMessage(`{"keep_volumes":"perhaps","k8s_cluster_installation_param":{"storage_server":{"password":"x","ssh_cp_name":"y"}}}`)
	_, err := requests.Read(lcm.OpHeal, 1, []byte(`{"additionalParams":`+string(asked)+`}`),
		func(asked json.RawMessage) []lcm.Problem { return k8s.HealProblems(asked, nil) })
	var wrong *lcm.Error
	require.ErrorAs(t, err, &wrong)
	require.Len(t, wrong.Problems, 2)
	assert.Equal(t, "$.additionalParams.keep_volumes", wrong.Problems[0].Path)
	assert.Equal(t, clusterAt+"storage_server.ssh_cp_name", wrong.Problems[1].Path)
}
