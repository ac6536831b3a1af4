package testbed

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Cluster is a cluster that the fake machines simulate.
type Cluster struct {
	// ID is the id of the VNF instance.
	ID      string `json:"id"`
	Members []struct {
		Node         string   `json:"node"`
		MachineID    string   `json:"machineId"`
		Address      string   `json:"address"`
		ControlPlane bool     `json:"controlPlane"`
		Joins        int      `json:"joins"`
		Ready        bool     `json:"ready"`
		Cordoned     bool     `json:"cordoned"`
		Hosts        []string `json:"hosts"`
		Registries   []string `json:"registries"`
	} `json:"members"`
	EtcdMembers []struct {
		Node    string `json:"node"`
		Started bool   `json:"started"`
	} `json:"etcdMembers"`
	Balancers []struct {
		MachineID string   `json:"machineId"`
		Servers   []string `json:"servers"`
	} `json:"balancers"`
	PersistentVolumes []struct {
		Name        string `json:"name"`
		UID         string `json:"uid"`
		Phase       string `json:"phase"`
		Claim       string `json:"claim"`
		Server      string `json:"server"`
		Path        string `json:"path"`
		Provisioner string `json:"provisioner"`
	} `json:"persistentVolumes"`
	StorageClasses []struct {
		Name    string `json:"name"`
		Default bool   `json:"default"`
		Reclaim string `json:"reclaim"`
		Server  string `json:"server"`
		Path    string `json:"path"`
		Running bool   `json:"running"`
	} `json:"storageClasses"`
	TokenCount int      `json:"tokenCount"`
	Violations []string `json:"violations"`
}

// Clusters returns all clusters of the lab.
func (b *Bed) Clusters(t testing.TB) []Cluster {
	t.Helper()
	a := b.Lab(t, http.MethodGet, "/clusters", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var out []Cluster
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out
}

// RequireCluster requires one cluster of that size, in which nothing was done twice.
func (b *Bed) RequireCluster(t testing.TB, controlPlanes, workers int) {
	t.Helper()
	all := b.Clusters(t)
	require.Len(t, all, 1)
	c := all[0]
	require.Empty(t, c.Violations)
	require.Len(t, c.Members, controlPlanes+workers)
	require.Len(t, c.EtcdMembers, controlPlanes)
	require.Zero(t, c.TokenCount, "no join token is left")
	for _, m := range c.Members {
		require.Equal(t, 1, m.Joins, "%s", m.Node)
		require.True(t, m.Ready, "%s", m.Node)
	}
}

// RequireMembers requires one cluster of that size; nodes may have joined again.
func (b *Bed) RequireMembers(t testing.TB, controlPlanes, workers int) {
	t.Helper()
	all := b.Clusters(t)
	require.Len(t, all, 1)
	require.Empty(t, all[0].Violations)
	require.Len(t, all[0].Members, controlPlanes+workers)
	require.Len(t, all[0].EtcdMembers, controlPlanes)
	require.Zero(t, all[0].TokenCount)
}
