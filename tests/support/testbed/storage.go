package testbed

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// StorageVdu is the VDU of the sample's storage server.
const StorageVdu = "storage_server"

// Storage is the state of volumes and exports on the fake machines.
type Storage struct {
	Disks []struct {
		VolumeID  string `json:"volumeId"`
		UUID      string `json:"uuid"`
		Made      int    `json:"made"`
		MachineID string `json:"machineId"`
		Directory string `json:"directory"`
	} `json:"disks"`
	Exports []struct {
		MachineID string   `json:"machineId"`
		Directory string   `json:"directory"`
		Networks  []string `json:"networks"`
	} `json:"exports"`
}

// Storage returns the state of the lab's storage.
func (b *Bed) Storage(t testing.TB) (s Storage) {
	t.Helper()
	a := b.Lab(t, http.MethodGet, "/storage", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	require.NoError(t, json.Unmarshal(a.Body, &s))
	return s
}

// Bind binds a PersistentVolume of a cluster to a claim, "namespace/name", or releases it for "".
func (b *Bed) Bind(t testing.TB, cluster, volume, claim string) {
	t.Helper()
	a := b.Lab(t, http.MethodPost, "/clusters/"+cluster+"/volumes/"+volume, map[string]any{"claim": claim})
	require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
}

// Provision creates a volume of a storage class of a cluster for a claim, "namespace/name": at the storage server's
// address, or at the given one.
func (b *Bed) Provision(t testing.TB, cluster, class, claim, server string) {
	t.Helper()
	a := b.Lab(t, http.MethodPost, "/clusters/"+cluster+"/classes/"+class,
		map[string]any{"claim": claim, "server": server})
	require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
}
