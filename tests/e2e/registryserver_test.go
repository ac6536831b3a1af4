package e2e

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/testbed"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

const registryServerVnfdID = "7d7c4a18-1c6b-4d8a-9c53-0b6c3f1b8e20"

// registryServer installs a registry of images, with the image from the package, and heals it.
func registryServer(t *testing.T, b *bed) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, "vnfpkg/samples/private-registry"))))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "Files/images"), 0o755))
	image := make([]byte, 17<<20) // more than what the database keeps of a package file by file, and not to be packed
	_, _ = rand.Read(image)       // never fails
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Files/images/registry.tar"), image, 0o600))
	archive := filepath.Join(t.TempDir(), "registry.zip")
	file, err := os.Create(archive)
	require.NoError(t, err)
	require.NoError(t, vnfpkg.Build(dir, file))
	require.NoError(t, file.Close())
	out, err := b.Windlass(t.Context(), "package", "create", archive).CombinedOutput()
	require.NoError(t, err, "%s", out)

	vnf := b.createOf(t, registryServerVnfdID, "registry")
	text, err := os.ReadFile(filepath.Join(b.Root, "vnfpkg/samples/requests/instantiate-registry.json"))
	require.NoError(t, err)
	var request map[string]any
	require.NoError(t, json.Unmarshal(text, &request))
	request["vimConnectionInfo"] = []any{map[string]any{"id": "openstack", "vimId": b.Vim, "vimType": "openstack"}}
	params := request["additionalParams"].(map[string]any)
	params["node_password"] = testbed.NodePassword
	server := params["private_registry_installation_param"].(map[string]any)
	server["ssh_password"], server["image_path"] = testbed.NodePassword, "Files/images/registry.tar"
	server["users"] = []any{map[string]any{"username": "push", "password": registryPassword}}

	b.ScriptFault(t, map[string]any{"script": "install-registry", "times": 1, "exit_code": 1, "output": "windlass: the registry does not answer on port 5000."})
	op := b.Begin(t, vnf, "instantiate", request)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "the registry does not answer")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate-registry-server")

	machine := b.VnfcOf(t, vnf, "PrivateRegistryVDU")
	op = b.Begin(t, vnf, "heal", map[string]any{"vnfcInstanceId": machine})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-registry-server")
	b.RequireChanged(t, op, 1, 1)
	require.NotContains(t, b.Vnfcs(t, vnf), machine)
	for _, s := range b.Steps(t, op) {
		require.Equal(t, "DONE", s.State, "%s %s", s.Title, s.Node)
	}
	op = b.Begin(t, vnf, "heal", map[string]any{})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-all-registry-server")

	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/scale", map[string]any{"type": "SCALE_OUT", "aspectId": "x"})
	require.Equal(t, http.StatusNotFound, a.Status)
	require.Contains(t, testbed.Problem(t, a), "cannot be scaled")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}
