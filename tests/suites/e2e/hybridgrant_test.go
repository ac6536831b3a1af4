package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// TestHybrid_grantedByAnNFVO runs operations of a VNF of servers and Pods. The NFVO chooses a flavour for the servers,
// and a zone and an image for the Pods.
func TestHybrid_grantedByAnNFVO(t *testing.T) {
	n := nfvotest.New(t)
	n.Authentication = "OAUTH2"
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(nfvotest.Secret+"\n"), 0o600))
	for name, value := range map[string]string{
		"ENDPOINT": n.URL, "CLIENT_ID": nfvotest.ClientID, "SECRET_FILE": secret, "TOKEN_ENDPOINT": n.URL + "/token",
		"GRANT_POLL": "100ms",
	} {
		t.Setenv("WINDLASS_NFVO_"+name, value)
	}
	cluster := kubetest.Start(t)
	_, err := cluster.Client.CoreV1().Nodes().Patch(t.Context(), kubetest.Node, types.StrategicMergePatchType,
		[]byte(`{"metadata":{"labels":{"topology.kubernetes.io/zone":"north"}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	b := newBed(t, "fake")
	b.Onboard(t, hybridPackage)
	h := hybrid{b, cluster, b.registerCluster(t, cluster, "default")}

	n.Decide(func(request map[string]any) nfvotest.Decision {
		return chosenForPods(request, "north", "lab.local/web:v2")
	})
	vnf := h.instantiate(t, nil)
	h.requireChosen(t, "north", "lab.local/web:v2")
	h.Await(t, h.Scale(t, vnf, "SCALE_OUT", "web_pods"), quick, "COMPLETED")
	h.requireVdus(t, vnf, map[string]int{"gateway": 1, "web": 2})
	op := h.Heal(t, vnf, h.VnfcOf(t, vnf, "web"), h.VnfcOf(t, vnf, "gateway"))
	h.Await(t, op, quick, "COMPLETED")
	h.requireChosen(t, "north", "lab.local/web:v2")
	require.Empty(t, h.CheckDrift(t, vnf).Findings)

	// Another zone would move the existing Pods.
	n.Decide(func(request map[string]any) nfvotest.Decision {
		return chosenForPods(request, "south", "lab.local/web:v2")
	})
	for task, body := range map[string]map[string]any{
		"scale": {"type": "SCALE_OUT", "aspectId": "web_pods"},
		"heal":  {"vnfcInstanceId": []string{h.VnfcOf(t, vnf, "web")}},
	} {
		got := h.Await(t, h.Begin(t, vnf, task, body), quick, "ROLLED_BACK")
		require.Contains(t, got["error"].(map[string]any)["detail"],
			`the existing Pods of web have the zone "north"; with "south"`, task)
	}
	h.requireChosen(t, "north", "lab.local/web:v2")
	h.changesGranted(t, n, vnf)
	h.terminate(t, vnf)
	h.requireNothing(t)

	// Containers have no flavours.
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"vimAssets": map[string]any{"computeResourceFlavours": []any{
			map[string]any{"vnfdVirtualComputeDescId": "web", "vimFlavourId": "m1.large"},
		}}}}
	})
	vnf = h.CreateOf(t, hybridVnfdID, "refused")
	got := h.Await(t, h.Begin(t, vnf, "instantiate", h.request(t, nil)), quick, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"], "containers have no flavours")
	h.Delete(t, vnf)
	h.requireNothing(t)
}

// changesGranted changes the VNF's package. The NFVO refuses the first attempt, and chooses an image in the second one.
func (h hybrid) changesGranted(t *testing.T, n *nfvotest.NFVO, vnf string) {
	t.Helper()
	const laterID = "0f5a8d61-5d0c-4b0e-9d0e-6d3a0c6f1a03"
	dir := h.ChangedPackage(t, hybridPackage, strings.NewReplacer(hybridVnfdID, laterID))
	h.Onboard(t, dir)
	v2 := secondForm{h.bed, "/vnflcm/v2/vnf_instances/" + vnf}
	change := map[string]any{"vnfdId": laterID}
	server := h.VnfcOf(t, vnf, "gateway")

	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Status: http.StatusForbidden, Detail: "Not in the busy hour."}
	})
	got := h.Await(t, v2.begin(t, "change_vnfpkg", change), quick, "ROLLED_BACK")
	require.Equal(t, "The NFVO refuses the grant: Not in the busy hour.", got["error"].(map[string]any)["detail"])
	require.Equal(t, hybridVnfdID, h.Get(t, v2.path)["vnfdId"])
	h.requireChosen(t, "north", "lab.local/web:v2")

	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"vimAssets": map[string]any{"softwareImages": []any{
			map[string]any{"vnfdSoftwareImageId": "server", "vimSoftwareImageId": "lab.local/web:v3"},
		}}}}
	})
	v2.done(t, "change_vnfpkg", change)
	asked := lastOf(n)
	require.Equal(t, []any{"CHANGE_VNFPKG", laterID}, []any{asked["operation"], asked["vnfdId"]})
	updated := map[any]int{}
	for _, r := range resourcesOf(asked, "updateResources", "COMPUTE") {
		updated[r["vduId"]]++
	}
	require.Equal(t, map[any]int{"gateway": 1, "web": 2}, updated)
	require.Equal(t, laterID, h.Get(t, v2.path)["vnfdId"])
	h.requireChosen(t, "north", "lab.local/web:v3")
	require.Contains(t, h.Vnfcs(t, vnf), server)
	h.requireVdus(t, vnf, map[string]int{"gateway": 1, "web": 2})
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
}

// chosenForPods grants the request. It chooses a zone and an image for the Pods, and a flavour for the servers.
func chosenForPods(request map[string]any, zone, image string) nfvotest.Decision {
	var list []any
	all, _ := request["addResources"].([]any)
	for _, r := range all {
		r := r.(map[string]any)
		one := map[string]any{"resourceDefinitionId": r["id"]}
		if r["vduId"] == "web" {
			one["zoneId"] = "z"
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return nfvotest.Decision{}
	}
	return nfvotest.Decision{Grant: map[string]any{
		"addResources": list, "zones": []any{map[string]any{"id": "z", "zoneId": zone}},
		"vimAssets": map[string]any{
			"computeResourceFlavours": []any{map[string]any{"vnfdVirtualComputeDescId": "gateway", "vimFlavourId": "m1.large"}},
			"softwareImages":          []any{map[string]any{"vnfdSoftwareImageId": "server", "vimSoftwareImageId": image}},
		},
	}}
}

func (h hybrid) requireChosen(t *testing.T, zone, image string) {
	t.Helper()
	all := h.deployments(t)
	require.Len(t, all, 1)
	pods := all[0].Spec.Template.Spec
	require.Equal(t, map[string]string{"topology.kubernetes.io/zone": zone}, pods.NodeSelector)
	require.Equal(t, image, pods.Containers[0].Image)
}
