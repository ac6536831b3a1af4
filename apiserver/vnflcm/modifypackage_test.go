package vnflcm_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/onboard"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// variant onboards the sample package with another VNFD id and with changes: for each file, pairs of texts to replace.
func onboardVariant(b *servertest.Bench, changes map[string][]string) (path, vnfdID string) {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "package")
	require.NoError(b, os.CopyFS(dir, os.DirFS("../../vnfpkg/samples/k8s-ha")))
	vnfdID = uuid.NewString()
	change := func(file string, pairs ...string) {
		name := filepath.Join(dir, file)
		text, err := os.ReadFile(name)
		require.NoError(b, err)
		changed := strings.NewReplacer(pairs...).Replace(string(text))
		require.NotEqual(b, string(text), changed, file)
		require.NoError(b, os.WriteFile(name, []byte(changed), 0o600))
	}
	for _, file := range []string{"Definitions/k8s_ha_top.vnfd.yaml", "Definitions/k8s_ha_types.yaml"} {
		change(file, "ee1f8f34-7c92-4023-840d-6f3b6885d92e", vnfdID)
	}
	for file, pairs := range changes {
		change(file, pairs...)
	}
	var csar bytes.Buffer
	require.NoError(b, vnfpkg.Build(dir, &csar))
	path = b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{}).Path()
	b.Do("PUT", path+"/package_content", &csar, "Content-Type: application/zip").Want(http.StatusAccepted)
	require.Equal(b, vnfdID, b.Do("GET", path, nil).Want(http.StatusOK)["vnfdId"])
	return path, vnfdID
}

const flavourHA = "Definitions/k8s_ha_df_ha.yaml"

// TestModify_givesAnInstantiatedVnfAPackageOfOtherImagesOnly checks a rule of SOL003 clause 5.5.2.2: for an
// instantiated VNF, a new VNFD may differ only in its software images.
func TestModify_givesAnInstantiatedVnfAPackageOfOtherImagesOnly(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	running := b.Runs("/vnflcm/v1", vnfdID, "ha", 3, 2)
	for want, changes := range map[string]map[string][]string{
		"flavours[ha].vdus[masterNode].computeFlavour": {flavourHA: {
			"requested_additional_capability_name: ",
			"requested_additional_capability_name: x-",
		}},
		"BaseHOT/ha/nested/ha_nested_worker.yaml": {"BaseHOT/ha/nested/ha_nested_worker.yaml": {"image: { get_param: image }", "image: another"}},
		"provider": {
			"Definitions/k8s_ha_top.vnfd.yaml": {"provider: Windlass", "provider: Someone"},
			"Definitions/k8s_ha_types.yaml":    {"Windlass", "Someone"},
		},
	} {
		_, other := onboardVariant(b, changes)
		said := b.Do("PATCH", running, `{"vnfdId":"`+other+`"}`).Problem(http.StatusConflict)
		require.Contains(t, said, "in software images only")
		require.Contains(t, said, want)
	}
	require.Empty(t, b.Starter.Starts)

	// Another description, comment or name of the file does not change the stack.
	pkg, other := onboardVariant(b, map[string][]string{
		flavourHA: {"debian-12-k8s", "debian-13-k8s"},
		"BaseHOT/ha/ha_hot_top.yaml": {
			"\nparameters:", "\n# The cluster's own.\nparameters:", "description: Three",
			"description: Now three",
		},
	})
	b.Do("PATCH", running, `{"vnfdId":"`+other+`"}`).Want(http.StatusAccepted)
	require.Len(t, b.Starter.Starts, 1)

	// The worker determines the same.
	inst := b.Instance(running)
	found, err := b.Store.Package(t.Context(), lcm.VnfPkgID(servertest.LastPart(pkg)))
	require.NoError(t, err)
	next, err := onboard.Successor(t.Context(), b.Store, inst, &found)
	require.NoError(t, err)
	require.True(t, next.Succeeds)
	require.Equal(t, map[string]string{"masterNode": "debian-12-k8s", "workerNode": "debian-12-k8s"}, next.KeptImages)

	scripted := inst
	info := *inst.Instantiated
	info.AdditionalParams = []byte(`{"lcm-operation-user-data":"UserData/own.py","lcm-operation-user-data-class":"Own"}`)
	scripted.Instantiated = &info
	_, err = onboard.Successor(t.Context(), b.Store, scripted, &found)
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.ErrorContains(t, err, "user data class Own")
}
