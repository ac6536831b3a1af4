package e2e

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

const registryServerVnfdID = "7d7c4a18-1c6b-4d8a-9c53-0b6c3f1b8e20"

// registryServer installs an image registry with the image from the package, and heals it.
func registryServer(t *testing.T, b *bed) {
	b.onboardRegistry(t)
	vnf := b.CreateOf(t, registryServerVnfdID, "registry")
	request, server := b.registryRequest(t, "instantiate-registry")
	server["image_path"] = "Files/images/registry.tar"
	server["users"] = []any{map[string]any{"username": "push", "password": registryPassword}}

	b.ScriptFault(t, map[string]any{
		"script": "install-registry", "times": 1, "exit_code": 1,
		"output": "windlass: the registry does not answer on port 5000.",
	})
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
	op = b.Heal(t, vnf)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-all-registry-server")

	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/scale",
		map[string]any{"type": "SCALE_OUT", "aspectId": "x"})
	require.Equal(t, http.StatusNotFound, a.Status)
	require.Contains(t, testbed.Problem(t, a), "cannot be scaled")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// onboardRegistry on-boards the sample package of a registry with an image, unless this has been done.
func (b *bed) onboardRegistry(t *testing.T) {
	t.Helper()
	there := b.Call(t, http.MethodGet, "/vnfpkgm/v1/vnf_packages?filter=(eq,vnfdId,"+registryServerVnfdID+")", nil)
	require.Equal(t, http.StatusOK, there.Status, "%s", there.Body)
	if strings.Contains(string(there.Body), registryServerVnfdID) {
		return
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, "vnfpkg/samples/private-registry"))))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "Files/images"), 0o755))
	image := make([]byte, 17<<20) // larger than the files that the database keeps one by one, and incompressible
	_, _ = rand.Read(image)       // it never fails
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Files/images/registry.tar"), image, 0o600))
	archive := filepath.Join(t.TempDir(), "registry.zip")
	file, err := os.Create(archive)
	require.NoError(t, err)
	require.NoError(t, vnfpkg.Build(dir, file))
	require.NoError(t, file.Close())
	b.Onboard(t, archive)
}

// registryRequest returns a request of the sample package for this cloud, and in it the parameters of the registry.
func (b *bed) registryRequest(t *testing.T, name string) (request, server map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.Root, "vnfpkg/samples/requests/"+name+".json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &request))
	request["vimConnectionInfo"] = b.OnOpenStack()
	params := request["additionalParams"].(map[string]any)
	params["node_password"] = testbed.NodePassword
	server = params["private_registry_installation_param"].(map[string]any)
	server["ssh_password"] = testbed.NodePassword
	return request, server
}

// connection returns what Windlass says about a registry for clusters.
func (b *bed) connection(t *testing.T, vnf string) k8s.PrivateRegistry {
	t.Helper()
	out, err := b.Windlass(t.Context(), "vnf", "registry", vnf, "--json").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var told map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(out, &told))
	list, problems := k8s.CheckRegistries(told[lcm.RegistriesKey])
	require.Empty(t, problems, "a cluster takes it as it is")
	require.Len(t, list, 1)
	return list[0]
}

// requireOnVolume checks that the registry's machine has the only volume, and that its file system was made once.
func (b *bed) requireOnVolume(t *testing.T, vnf string) (volume string) {
	t.Helper()
	s := b.Storage(t)
	require.Len(t, s.Disks, 1)
	require.Equal(t, 1, s.Disks[0].Made, "a file system is made once")
	require.Equal(t, "/registry", s.Disks[0].Directory)
	require.Equal(t, b.VnfcOf(t, vnf, "PrivateRegistryVDU"), s.Disks[0].MachineID)
	return s.Disks[0].VolumeID
}

// registryOnVolume makes a registry that makes its own certificate. Its images and its CA survive a new machine.
func registryOnVolume(t *testing.T, b *bed) {
	b.onboardRegistry(t)
	vnf := b.CreateOf(t, registryServerVnfdID, "registry on a volume")
	request, server := b.registryRequest(t, "instantiate-registry-volume")
	server["users"] = []any{map[string]any{"username": "push", "password": registryPassword}}
	b.ScriptFault(t, map[string]any{
		"script": "set-up-volumes", "times": 1, "exit_code": 65,
		"output": "windlass: the volume holds a partition table.",
	})
	op := b.Begin(t, vnf, "instantiate", request)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "partition table")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate-registry-volume")
	volume, first := b.requireOnVolume(t, vnf), b.connection(t, vnf)
	require.Equal(t, "registry.example.com:5000", first.Server)
	require.Contains(t, first.HostsString, " registry.example.com")
	require.Contains(t, first.CACertificate, "-----BEGIN CERTIFICATE-----")
	out, err := b.Windlass(t.Context(), "vnf", "registry", vnf, "--ca").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, first.CACertificate, strings.TrimSpace(string(out)))

	heal := func(body map[string]any) string {
		before := b.VnfcOf(t, vnf, "PrivateRegistryVDU")
		op := b.Begin(t, vnf, "heal", body)
		b.Await(t, op, quick, "COMPLETED")
		require.NotEqual(t, before, b.VnfcOf(t, vnf, "PrivateRegistryVDU"))
		return op
	}
	for _, body := range []map[string]any{
		{"vnfcInstanceId": b.VnfcOf(t, vnf, "PrivateRegistryVDU")},
		{"cause": "as the standard has it"},
	} {
		op = heal(body)
		b.record(t, op, "heal-registry-volume")
		b.RequireChanged(t, op, 1, 1)
		require.Equal(t, volume, b.requireOnVolume(t, vnf), "the images are kept")
		require.Equal(t, first, b.connection(t, vnf), "clients go on to trust it")
	}
	b.healingOnVolumeFails(t, vnf, volume)
	require.Equal(t, first.CACertificate, b.connection(t, vnf).CACertificate)

	heal(map[string]any{
		"vnfcInstanceId":   b.VnfcOf(t, vnf, "PrivateRegistryVDU"),
		"additionalParams": map[string]any{"keep_volumes": false},
	})
	require.NotEqual(t, volume, b.requireOnVolume(t, vnf))
	require.NotEqual(t, first.CACertificate, b.connection(t, vnf).CACertificate, "the CA was on the volume, too")
	op = heal(map[string]any{"additionalParams": map[string]any{"keep_volumes": false}})
	b.record(t, op, "heal-all-registry-volume")
	b.requireOnVolume(t, vnf)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
	require.Empty(t, b.Storage(t).Disks)
}

// healingOnVolumeFails heals a registry with several failures. The volume is never lost.
func (b *bed) healingOnVolumeFails(t *testing.T, vnf, volume string) {
	t.Helper()
	b.Fault(t, map[string]any{
		"service": "nova", "method": "DELETE", "path": "/servers/", "status": 409, "count": 1,
		"message": "Instance is locked",
	})
	b.ScriptFault(t, map[string]any{
		"script": "install-registry", "times": 1, "exit_code": 1,
		"output": "windlass: the registry does not answer on port 5000.",
	})
	op := b.Heal(t, vnf)
	for _, why := range []string{"locked", "does not answer on port 5000"} {
		got := b.Await(t, op, quick, "FAILED_TEMP")
		require.Contains(t, got["error"].(map[string]any)["detail"], why)
		require.NotContains(t, got["_links"].(map[string]any), "rollback", "the machine may be gone")
		require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	}
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-registry-volume-retry")
	require.Equal(t, volume, b.requireOnVolume(t, vnf))
}
