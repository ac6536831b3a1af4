package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const hybridSample = "../../vnfpkg/samples/hybrid"

// hybridRequest returns the sample's request with these VIMs.
func hybridRequest(t *testing.T, openstack, kubernetes string) (doc map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../../vnfpkg/samples/requests/instantiate-hybrid.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &doc))
	for i, id := range []string{openstack, kubernetes} {
		doc["vimConnectionInfo"].([]any)[i].(map[string]any)["vimId"] = id
	}
	return doc
}

func TestHybrid_isAcceptedOnAVimOfEachKind(t *testing.T) {
	b := servertest.New(t)
	vnfdID, vim, cluster := b.OnboardDir(hybridSample), b.RegisterVim("cloud", false), b.RegisterCluster("c")
	b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", hybridRequest(t, vim, cluster)).Want(http.StatusAccepted)
	b.Do("POST", b.Create("/vnflcm/v2", vnfdID)+"/instantiate", servertest.AsV2(t, hybridRequest(t, vim, cluster))).
		Want(http.StatusAccepted)

	untyped := hybridRequest(t, vim, cluster) // as Tacker's clients of v1 may send it
	for _, c := range untyped["vimConnectionInfo"].([]any) {
		delete(c.(map[string]any), "vimType")
	}
	instance := b.Create("/vnflcm/v1", vnfdID)
	b.Do("POST", instance+"/instantiate", untyped).Want(http.StatusAccepted)
	var types []string
	for _, c := range b.Instance(instance).VimConnections {
		types = append(types, c.VimType)
	}
	require.ElementsMatch(t, []string{"openstack", "kubernetes"}, types)
}

func TestHybrid_takesTheDefaultVimForAPartThatTheRequestDoesNotName(t *testing.T) {
	b := servertest.New(t)
	vnfdID, vim, cluster := b.OnboardDir(hybridSample), b.RegisterVim("cloud", true), b.RegisterCluster("c")
	instance := b.Create("/vnflcm/v1", vnfdID)
	request := hybridRequest(t, vim, cluster)
	list := request["vimConnectionInfo"].([]any)
	request["vimConnectionInfo"] = list[:1]
	a := b.Do("POST", instance+"/instantiate", request)
	require.Contains(
		t,
		a.Problem(http.StatusUnprocessableEntity),
		"has no connection to a VIM of type kubernetes, which a part "+
			"of the VNF needs, and the default VIM cloud is of type openstack",
	)
	request["vimConnectionInfo"] = list[1:]
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
	require.Len(t, b.Instance(instance).VimConnections, 2)
}

func TestHybrid_isToldTheMistakesOfBothParts(t *testing.T) {
	b := servertest.New(t)
	request := hybridRequest(t, b.RegisterVim("cloud", false), b.RegisterCluster("c"))
	request["extVirtualLinks"] = []any{}
	request["additionalParams"].(map[string]any)["page"] = []any{"no text"}
	a := b.Do("POST", b.Create("/vnflcm/v1", b.OnboardDir(hybridSample))+"/instantiate", request)
	a.Want(http.StatusBadRequest)
	require.Contains(t, a.Paths(), "$.additionalParams.page")
	require.Contains(t, string(a.Body), "gateway_public")
}

func TestVMs_areNotGivenManifestsThatNobodyApplies(t *testing.T) {
	b := servertest.New(t)
	request := map[string]any{
		"flavourId": "simple",
		"additionalParams": map[string]any{
			"lcm-kubernetes-def-files": []string{"Files/kubernetes/web.yaml"}, "namespace": "default",
		},
		"vimConnectionInfo": []any{
			map[string]any{"id": "os", "vimId": b.RegisterVim("cloud", false), "vimType": "openstack"},
		},
	}
	a := b.Do("POST", b.Create("/vnflcm/v1", b.OnboardDir("../../vnfpkg/samples/tosca-only"))+"/instantiate", request)
	a.Want(http.StatusBadRequest)
	require.Contains(t, a.Paths(), "$.additionalParams.lcm-kubernetes-def-files")
	require.Contains(t, string(a.Body), "all VDUs of the flavour simple are VMs")
}

// hybridRuns creates an instance of the sample with a server and a Pod.
func hybridRuns(b *servertest.Bench) (instance string) {
	b.Helper()
	vim, cluster := b.RegisterVim("cloud", false), b.RegisterCluster("c")
	instance = b.Create("/vnflcm/v2", b.OnboardDir(hybridSample))
	inst := b.Instance(instance)
	inst.VimConnections = []lcm.VimConnectionInfo{
		{
			ID:      "os",
			VimID:   lcm.VimID(vim),
			VimType: "openstack",
		},
		{ID: "k8s", VimID: lcm.VimID(cluster), VimType: "kubernetes"},
	}
	inst.InstantiationState = lcm.Instantiated
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "simple", VnfState: lcm.VnfStarted, AdditionalParams: json.RawMessage(`{}`),
		ScaleStatus: []lcm.ScaleInfo{{AspectID: "gateways"}, {AspectID: "web_pods"}},
	}
	for vdu, on := range map[string]string{"gateway": "os", "web": "k8s"} {
		inst.Instantiated.VnfcResources = append(inst.Instantiated.VnfcResources, lcm.VnfcResourceInfo{
			ID: vdu + "-1", VduID: vdu, ComputeResource: lcm.ResourceHandle{VimConnectionID: on, ResourceID: vdu + "-1"},
		})
	}
	require.NoError(b, b.Store.UpdateInstance(b.Context(), inst))
	return instance
}

// variantOf copies the sample, with another VNFD id and one text replaced.
func variantOf(t *testing.T, dir, vnfdID, was, is string) (to string) {
	t.Helper()
	to = t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	files, err := filepath.Glob(to + "/Definitions/*.yaml")
	require.NoError(t, err)
	change := strings.NewReplacer("6a1e0b52-93c7-4d1f-b7a4-d0c95e3f8b16", vnfdID, was, is)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(change.Replace(string(text))), 0o600))
	}
	return to
}

func TestHybrid_getsAnotherPackageForItsContainersOnly(t *testing.T) {
	b := servertest.New(t)
	instance := hybridRuns(b)
	vms := b.OnboardDir(
		variantOf(t, hybridSample, "0f5a8d61-5d0c-4b0e-9d0e-6d3a0c6f1a01", "name: debian-12-k8s", "name: other"),
	)
	a := b.Do("POST", instance+"/change_vnfpkg", map[string]any{"vnfdId": vms})
	require.Contains(t, a.Problem(http.StatusConflict), "can get another package for its containers only, but the VMs")
	size := b.OnboardDir(
		variantOf(t, hybridSample, "0f5a8d61-5d0c-4b0e-9d0e-6d3a0c6f1a02", "max_scale_level: 2", "max_scale_level: 1"),
	)
	b.Do("POST", instance+"/change_vnfpkg", map[string]any{"vnfdId": size}).Problem(http.StatusConflict)
	plain := b.OnboardDir("../../vnfpkg/samples/tosca-only")
	b.Do("POST", instance+"/change_vnfpkg", map[string]any{"vnfdId": plain}).Problem(http.StatusUnprocessableEntity)
	pods := b.OnboardDir(
		variantOf(t, hybridSample, "0f5a8d61-5d0c-4b0e-9d0e-6d3a0c6f1a03", "lab.local/web", "other.local/web"),
	)
	b.Do("POST", instance+"/change_vnfpkg", map[string]any{"vnfdId": pods}).Want(http.StatusAccepted)
}
