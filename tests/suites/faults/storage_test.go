package faults

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// instantiateStorage begins to instantiate a cluster with a storage server.
func (s *site) instantiateStorage(t testing.TB) (op string) {
	t.Helper()
	s.name = "vnf-" + s.unique()
	s.vnf, s.volume = s.bed.Create(t, s.name), ""
	return s.bed.Begin(t, s.vnf, "instantiate", s.bed.SampleRequest(t, "storage", s.name, testbed.Impatient))
}

// healStorage begins to replace the storage server. The new one gets the volume.
func (s *site) healStorage(t testing.TB) (op string) {
	t.Helper()
	return s.bed.Begin(t, s.vnf, "heal", map[string]any{
		"vnfcInstanceId":   []string{s.bed.VnfcOf(t, s.vnf, testbed.StorageVdu)},
		"additionalParams": map[string]any{"keep_volumes": true},
	})
}

// requireStored checks that there is only the first volume, that the storage server mounts and exports it, and that its
// PersistentVolumes are Available.
func (s *site) requireStored(t testing.TB) {
	t.Helper()
	s.bed.RequireRecorded(t, s.vnf)
	server := s.bed.VnfcOf(t, s.vnf, testbed.StorageVdu)
	seen := s.bed.Storage(t)
	require.Len(t, seen.Disks, 1)
	require.Equal(t, 1, seen.Disks[0].Made, "a file system is made once")
	require.Equal(t, server, seen.Disks[0].MachineID)
	if s.volume == "" {
		s.volume = seen.Disks[0].VolumeID
	}
	require.Equal(t, s.volume, seen.Disks[0].VolumeID, "what is on the volume is kept")
	require.Len(t, seen.Exports, 3)
	for _, e := range seen.Exports {
		require.Equal(t, server, e.MachineID, e.Directory)
	}
	clusters := s.bed.Clusters(t)
	require.Len(t, clusters, 1)
	require.Empty(t, clusters[0].Violations)
	require.Len(t, clusters[0].PersistentVolumes, 3)
	for _, v := range clusters[0].PersistentVolumes {
		require.Equal(t, "Available", v.Phase, v.Name)
	}
}

const (
	registryPackage = "vnfpkg/samples/private-registry"
	registryVnfdID  = "7d7c4a18-1c6b-4d8a-9c53-0b6c3f1b8e20"
	registryVdu     = "PrivateRegistryVDU"
)

// instantiateRegistry begins to instantiate an image registry with a volume.
func (s *site) instantiateRegistry(t testing.TB) (op string) {
	t.Helper()
	s.bed.OnboardOnce(t, registryPackage)
	s.vnf = s.bed.CreateOf(t, registryVnfdID, "registry-"+s.unique())
	request := s.bed.RequestOf(t, "registry-volume")
	params := request["additionalParams"].(map[string]any)
	params["node_password"] = testbed.NodePassword
	server := params["private_registry_installation_param"].(map[string]any)
	server["ssh_password"] = testbed.NodePassword
	server["timeouts"] = map[string]any{"stack": 300, "ssh": 30, "login": 5, "install": 60}
	server["users"] = []any{map[string]any{"username": "push", "password": "images-of-the-matrix"}}
	return s.bed.Begin(t, s.vnf, "instantiate", request)
}

// requireRegistry checks that one machine has the volume, and that its file system was made once.
func (s *site) requireRegistry(t testing.TB) {
	t.Helper()
	s.bed.RequireRecorded(t, s.vnf)
	seen := s.bed.Storage(t)
	require.Len(t, seen.Disks, 1)
	require.Equal(t, 1, seen.Disks[0].Made, "a file system is made once")
	require.Equal(t, s.bed.VnfcOf(t, s.vnf, registryVdu), seen.Disks[0].MachineID)
}

// startRegistries starts the registries with which clusters are connected.
func (s *site) startRegistries(t testing.TB) {
	t.Helper()
	for i := range s.registries {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"repositories":[]}`))
		}))
		t.Cleanup(server.Close)
		s.registries[i] = server.Listener.Addr().String()
	}
}

// connect begins to connect the cluster with exactly these registries.
func (s *site) connect(t testing.TB, servers ...string) (op string) {
	t.Helper()
	var list []any
	for _, server := range servers {
		list = append(list, map[string]any{"connection_type": "0", "server": server})
	}
	return s.bed.Modify(t, s.vnf, map[string]any{"vnfConfigurableProperties": map[string]any{"private_registry_connection_info": list}})
}

// connectOther begins to connect the cluster with the other registry than last time.
func (s *site) connectOther(t testing.TB) (op string) {
	t.Helper()
	s.wanted = 1 - s.wanted
	return s.connect(t, s.registries[s.wanted])
}

// requireRegistries checks that every node is connected to the registry of the VnfInstance, or to none.
func (s *site) requireRegistries(t testing.TB, connected bool) {
	t.Helper()
	var want []string
	if connected {
		properties := s.bed.Get(t, "/vnflcm/v1/vnf_instances/"+s.vnf)["vnfConfigurableProperties"].(map[string]any)
		list := properties["private_registry_connection_info"].([]any)
		require.Len(t, list, 1)
		want = []string{list[0].(map[string]any)["server"].(string)}
		s.wanted = slices.Index(s.registries[:], want[0])
	}
	for _, m := range s.bed.Clusters(t)[0].Members {
		require.ElementsMatch(t, want, m.Registries, m.Node)
	}
}
