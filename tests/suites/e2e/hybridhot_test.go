package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const hybridHotVnfdID = "6a1e0b52-93c7-4d1f-b7a4-d0c95e3f8b17"

// byTemplatesAndManifests runs operations of a hybrid VNF with manifests for the containers and a Base HOT for the VMs.
// StandardUserData makes each VM a resource of its own.
func (h hybrid) byTemplatesAndManifests(t *testing.T) {
	t.Helper()
	h.Onboard(t, h.hotPackage(t))
	vnf := h.CreateOf(t, hybridHotVnfdID, "templates and manifests")
	request := h.request(t, nil)
	request["additionalParams"] = map[string]any{
		"lcm-operation-user-data": "./UserData/userdata_standard.py", "lcm-operation-user-data-class": "StandardUserData",
		"lcm-kubernetes-def-files": []string{"Files/kubernetes/web.yaml"}, "namespace": "default",
	}
	h.Await(t, h.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	h.requireVdus(t, vnf, map[string]int{"gateway": 1, "web": 1})
	h.requireEachOnItsVim(t, vnf)

	for _, aspect := range []string{"gateways", "web_pods"} {
		h.Await(t, h.Scale(t, vnf, "SCALE_OUT", aspect), quick, "COMPLETED")
	}
	h.requireVdus(t, vnf, map[string]int{"gateway": 2, "web": 2})
	leaving := []string{h.VnfcOf(t, vnf, "gateway"), h.VnfcOf(t, vnf, "web")}
	op := h.Heal(t, vnf, leaving...)
	h.Await(t, op, quick, "COMPLETED")
	h.RequireChanged(t, op, 2, 2)
	h.requireVdus(t, vnf, map[string]int{"gateway": 2, "web": 2})
	h.requireEachOnItsVim(t, vnf)
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
	h.terminate(t, vnf)
	h.requireNothing(t)
}

// hotPackage makes the sample with a Base HOT, and removes the image of the container from the VNFD.
func (h hybrid) hotPackage(t *testing.T) (dir string) {
	t.Helper()
	dir = h.ChangedPackage(t, hybridPackage, strings.NewReplacer(hybridVnfdID, hybridHotVnfdID))
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/hybridhot")))
	file := filepath.Join(dir, "Definitions/hybrid_df_simple.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), "      artifacts:\n")
	require.True(t, found)
	_, after, found := strings.Cut(rest, "    # Becomes a Service.")
	require.True(t, found)
	require.NoError(t, os.WriteFile(file, []byte(before+"    # Becomes a Service."+after), 0o600))
	return dir
}
