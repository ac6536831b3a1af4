package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const flavouredHybridVnfdID = "6a1e0b52-93c7-4d1f-b7a4-d0c95e3f8b18"

// packageOfFlavours makes a package of the sample with two flavours more: wide has larger servers and Pods, and the
// Pods of broken have an image that does not exist.
func (h hybrid) packageOfFlavours(t *testing.T) (dir string) {
	t.Helper()
	dir = h.ChangedPackage(t, hybridPackage, strings.NewReplacer(hybridVnfdID, flavouredHybridVnfdID,
		"valid_values: [ simple ]", "valid_values: [ simple, wide, broken ]",
		"  - hybrid_df_simple.yaml", "  - hybrid_df_simple.yaml\n  - hybrid_df_wide.yaml\n  - hybrid_df_broken.yaml"))
	simple, err := os.ReadFile(filepath.Join(dir, "Definitions/hybrid_df_simple.yaml"))
	require.NoError(t, err)
	wide := strings.NewReplacer("flavour_id: simple", "flavour_id: wide", "m1.small", "m1.medium", "num_virtual_cpu: 1",
		"num_virtual_cpu: 2", "virtual_mem_size: 2 GB", "virtual_mem_size: 4 GB", "128 MB", "256 MB").Replace(string(simple))
	broken := strings.NewReplacer("flavour_id: wide", "flavour_id: broken",
		"lab.local/web", "broken.local/web").Replace(wide)
	for name, text := range map[string]string{"wide": wide, "broken": broken} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Definitions/hybrid_df_"+name+".yaml"), []byte(text), 0o600))
	}
	return dir
}

// changesFlavour changes the flavour of servers and Pods in one operation: to a flavour whose Pods do not start, which
// is rolled back on both VIMs, then to another one, and back.
func (h hybrid) changesFlavour(t *testing.T) {
	t.Helper()
	h.Onboard(t, h.packageOfFlavours(t))
	vnf := h.CreateOf(t, flavouredHybridVnfdID, "flavours")
	h.Await(t, h.Begin(t, vnf, "instantiate", h.request(t, nil)), quick, "COMPLETED")
	former := h.parts(t, vnf)
	require.Len(t, former, 1)

	op := h.Begin(t, vnf, "change_flavour", map[string]any{"newFlavourId": "broken"})
	failed := h.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "ImagePullBackOff")
	require.Equal(t, http.StatusAccepted, h.Act(t, op, "rollback", nil).Status)
	h.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, former, h.parts(t, vnf))
	h.requireVdus(t, vnf, map[string]int{"gateway": 1, "web": 1})
	require.Empty(t, h.CheckDrift(t, vnf).Findings)

	op = h.Begin(t, vnf, "change_flavour", map[string]any{"newFlavourId": "wide", "instantiationLevelId": "large"})
	h.KillWorker(t)
	h.Await(t, op, quick, "COMPLETED")
	h.requireVdus(t, vnf, map[string]int{"gateway": 2, "web": 3})
	wide := h.parts(t, vnf)
	for id, part := range former {
		require.Equal(t, part.kept(), wide[id].kept(), "the server, its volumes and addresses stay")
		require.Equal(t, "m1.medium", wide[id].flavour)
	}
	require.Equal(t, int64(256<<20), h.memoryLimit(t))
	require.Empty(t, h.CheckDrift(t, vnf).Findings)

	op = h.BeginV2(t, vnf, "change_flavour", map[string]any{"newFlavourId": "simple"})
	h.Await(t, op, quick, "COMPLETED")
	h.requireVdus(t, vnf, map[string]int{"gateway": 1, "web": 1})
	require.Equal(t, int64(128<<20), h.memoryLimit(t))
	h.terminate(t, vnf)
	h.requireNothing(t)
}

// memoryLimit is the limit of the container of the only Deployment, in bytes.
func (h hybrid) memoryLimit(t *testing.T) int64 {
	t.Helper()
	all := h.deployments(t)
	require.Len(t, all, 1)
	return all[0].Spec.Template.Spec.Containers[0].Resources.Limits.Memory().Value()
}
