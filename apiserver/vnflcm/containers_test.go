package vnflcm_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const foreignCnfs = "../../../shared/packages/cnf/"

// onboardForeign onboards a package as it is, without the digests that Windlass's own builder would add.
func onboardForeign(b *servertest.Bench, t *testing.T, dir string) (vnfdID string) {
	t.Helper()
	if _, err := os.Stat(dir); err != nil {
		t.Skip("Tacker's packages of containerised VNFs are not at hand: their compatibility is NOT tested")
	}
	var csar bytes.Buffer
	w := zip.NewWriter(&csar)
	require.NoError(t, w.AddFS(os.DirFS(dir)))
	require.NoError(t, w.Close())
	created := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	b.Do("PUT", created.Path()+"/package_content", &csar, "Content-Type: application/zip").Want(http.StatusAccepted)
	doc := b.Do("GET", created.Path(), nil).Want(http.StatusOK)
	require.Equal(t, "ONBOARDED", doc["onboardingState"])
	return doc["vnfdId"].(string)
}

func manifestsRequest(vim string, params map[string]any) map[string]any {
	return map[string]any{
		"flavourId":         "simple",
		"vimConnectionInfo": []any{map[string]any{"id": "1", "vimId": vim, "vimType": "kubernetes"}},
		"additionalParams":  params,
	}
}

func TestCnf_ofTackersPackagesIsAcceptedInBothVersions(t *testing.T) {
	for dir, params := range map[string]map[string]any{
		"v1_scale": {"lcm-kubernetes-def-files": []any{"Files/kubernetes/deployment_scale.yaml"}},
		"v2_change": {
			"lcm-kubernetes-def-files": []any{"Files/kubernetes/namespace.yaml", "Files/kubernetes/deployment.yaml"},
			"namespace":                "curry",
		},
	} {
		t.Run(dir, func(t *testing.T) {
			b := servertest.New(t)
			vnfdID, request := onboardForeign(b, t, foreignCnfs+dir), manifestsRequest(b.RegisterCluster("c"), params)
			b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", request).Want(http.StatusAccepted)
			b.Do("POST", b.Create("/vnflcm/v2", vnfdID)+"/instantiate", servertest.AsV2(t, request)).Want(http.StatusAccepted)
		})
	}
}

func TestCnf_ofTheSampleIsAcceptedAsItIsShipped(t *testing.T) {
	for _, sample := range []string{"cnf-manifests", "cnf-helm", "cnf-tosca", "cnf-networks"} {
		b := servertest.New(t)
		vnfdID := b.OnboardDir("../../vnfpkg/samples/" + sample)
		text, err := os.ReadFile("../../vnfpkg/samples/requests/instantiate-" + sample + ".json")
		require.NoError(t, err)
		request := strings.ReplaceAll(string(text), "REPLACE-WITH-THE-ID-OF-THE-VIM", b.RegisterCluster("c"))
		b.Do("POST", b.Create("/vnflcm/v1", vnfdID)+"/instantiate", request).Want(http.StatusAccepted)
		var doc map[string]any
		require.NoError(t, json.Unmarshal([]byte(request), &doc))
		b.Do("POST", b.Create("/vnflcm/v2", vnfdID)+"/instantiate", servertest.AsV2(t, doc)).Want(http.StatusAccepted)
	}
}

func TestCnf_ofAChartIsCheckedWithItsRequest(t *testing.T) {
	b := servertest.New(t)
	vnfdID, vim := b.OnboardDir("../../vnfpkg/samples/cnf-helm"), b.RegisterCluster("c")
	v1, v2 := b.Create("/vnflcm/v1", vnfdID), b.Create("/vnflcm/v2", vnfdID)
	const chart = "Files/kubernetes/web"
	for says, params := range map[string]map[string]any{
		"the VNF package has no chart":  {"helm_chart_path": "Files/none.tgz"},
		"got string, want integer":      {"helm_chart_path": chart, "helm_parameters": map[string]any{"service.port": "none"}},
		"Chart.yaml file is missing":    {"helm_chart_path": "Files/kubernetes"},
		"the flavour simple has no VDU": {"helm_chart_path": chart, "helm_value_names": map[string]any{"other": map[string]any{"replica": "x"}}},
	} {
		a := b.Do("POST", v2+"/instantiate", servertest.AsV2(t, manifestsRequest(vim, params)))
		require.Contains(t, string(a.Body), says)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.Status)
	}
	wrong := manifestsRequest(vim, map[string]any{
		"helm_chart_path": chart, "helm_value_names": map[string]any{"web": map[string]any{"replica": "replicas"}},
	})
	wrong["instantiationLevelId"] = "large"
	a := b.Do("POST", v2+"/instantiate", servertest.AsV2(t, wrong))
	require.Contains(
		t,
		a.Problem(http.StatusBadRequest),
		"the value replicas of the chart does not set the number of Pods of the VDU web: "+
			"with the value 3, the Deployment web has 1",
	)
	require.Equal(t, []string{"$.additionalParams.helm_value_names.web.replica"}, a.Paths())

	b.Do("POST", v1+"/instantiate", manifestsRequest(vim, map[string]any{
		"use_helm": "true",
		"using_helm_install_param": []any{
			map[string]any{
				"exthelmchart":       "false",
				"helmchartfile_path": chart,
				"helmreleasename":    "web",
				"helmparameter":      []any{"service.port=8081"},
			},
		},
		"helm_replica_values": map[string]any{"web_pods": "replicaCount"},
		"vdu_mapping": map[string]any{
			"web": map[string]any{"kind": "Deployment", "name": "web", "helmreleasename": "web"},
		},
	})).Want(http.StatusAccepted)
}

func TestCnf_ofAChartScalesByValuesOnly(t *testing.T) {
	b := servertest.New(t)
	vnfdID, vim := b.OnboardDir("../../vnfpkg/samples/cnf-helm"), b.RegisterCluster("c")
	for params, status := range map[string]int{
		`{"helm_chart_path":"Files/kubernetes/web"}`:                                                       http.StatusBadRequest,
		`{"helm_chart_path":"Files/kubernetes/web","helm_value_names":{"web":{"replica":"replicaCount"}}}`: http.StatusAccepted,
	} {
		instance := b.Create("/vnflcm/v2", vnfdID)
		inst := b.Instance(instance)
		inst.VimConnections = []lcm.VimConnectionInfo{{ID: "vim1", VimID: lcm.VimID(vim), VimType: "kubernetes"}}
		inst.InstantiationState = lcm.Instantiated
		inst.Instantiated = &lcm.InstantiatedVnfInfo{
			FlavourID: "simple", VnfState: "STARTED", AdditionalParams: json.RawMessage(params),
			ScaleStatus: []lcm.ScaleInfo{{AspectID: "web_pods"}}, VnfcResources: []lcm.VnfcResourceInfo{{
				ID: "pod", VduID: "web", ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "pod"},
			}},
		}
		require.NoError(t, b.Store.UpdateInstance(b.Context(), inst))
		a := b.Do("POST", instance+"/scale", map[string]any{"type": "SCALE_OUT", "aspectId": "web_pods", "numberOfSteps": 1})
		require.Equal(t, status, a.Status, "%s", a.Body)
	}
}

func TestCnf_isRefusedWithEveryMistakeOfItsRequest(t *testing.T) {
	b := servertest.New(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../vnfpkg/samples/cnf-manifests")))
	for name, text := range map[string]string{
		"broken": "a: [\n",
		"apart":  "apiVersion: v1\nkind: Pod\nmetadata: { name: web, namespace: x }\n---\napiVersion: v1\nkind: Pod\nmetadata: { name: z, namespace: z }\n",
	} {
		require.NoError(t, os.WriteFile(dir+"/Files/kubernetes/"+name+".yaml", []byte(text), 0o600))
	}
	vnfdID := b.OnboardDir(dir)
	v1, v2 := b.Create("/vnflcm/v1", vnfdID), b.Create("/vnflcm/v2", vnfdID)
	vim := b.RegisterCluster("c")
	const web = "Files/kubernetes/web.yaml"
	const files, at = "$.additionalParams.lcm-kubernetes-def-files", "$.additionalParams."
	for name, c := range map[string]struct {
		params map[string]any
		status int
		paths  []string
	}{
		"nothing": {nil, http.StatusBadRequest, []string{files}},
		"several": {
			map[string]any{
				"lcm-kubernetes-def-files": []any{"Files/none.yaml", "http://example.com/x.yaml", "Files/kubernetes/broken.yaml"},
				"namespace":                "X",
			},
			http.StatusBadRequest,
			[]string{files + "[1]", at + "namespace", files + "[0]", files + "[2]"},
		},
		"a file that is not there": {
			map[string]any{"lcm-kubernetes-def-files": []any{"Files/none.yaml"}},
			http.StatusUnprocessableEntity,
			[]string{files + "[0]"},
		},
		"no workload": {
			map[string]any{"lcm-kubernetes-def-files": []any{"Files/kubernetes/page.yaml"}},
			http.StatusBadRequest,
			[]string{files},
		},
		"a mapping to another VDU": {
			map[string]any{"lcm-kubernetes-def-files": []any{web}, "vdu_mapping": map[string]any{
				"web": map[string]any{"kind": "Deployment", "name": "web"}, "x": map[string]any{"kind": "Pod", "name": "x"},
			}},
			http.StatusBadRequest,
			[]string{at + "vdu_mapping.x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := manifestsRequest(vim, c.params)
			for _, a := range []servertest.Answer{
				b.Do("POST", v1+"/instantiate", request), b.Do("POST", v2+"/instantiate", servertest.AsV2(t, request)),
			} {
				a.Want(c.status)
				require.ElementsMatch(t, c.paths, a.Paths())
			}
		})
	}
	apart := manifestsRequest(vim, map[string]any{"lcm-kubernetes-def-files": []any{"Files/kubernetes/apart.yaml"}})
	a := b.Do("POST", v2+"/instantiate", servertest.AsV2(t, apart))
	a.Want(http.StatusBadRequest)
	require.Equal(t, []string{at + "namespace"}, a.Paths())
	b.Do("POST", v1+"/instantiate", apart).Want(http.StatusAccepted)
}

func TestCnf_isOnAKubernetes(t *testing.T) {
	b := servertest.New(t)
	vnfdID := b.OnboardDir("../../vnfpkg/samples/cnf-manifests")
	instance := b.Create("/vnflcm/v1", vnfdID)
	request := manifestsRequest(
		b.RegisterVim("lab", true),
		map[string]any{"lcm-kubernetes-def-files": []any{"Files/kubernetes/web.yaml"}},
	)
	request["vimConnectionInfo"].([]any)[0].(map[string]any)["vimType"] = "openstack"
	a := b.Do("POST", instance+"/instantiate", request)
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), "this VNF needs a VIM of type kubernetes")
	delete(request, "vimConnectionInfo")
	a = b.Do("POST", instance+"/instantiate", request)
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), "the default VIM lab is of type openstack")
}

// cnf creates an instance of Tacker's package with Pods of VDU2 only.
func createCnf(b *servertest.Bench, t *testing.T) (instance string) {
	t.Helper()
	vnfdID := onboardForeign(b, t, foreignCnfs+"v2_change")
	vim := b.RegisterCluster("c")
	instance = b.Create("/vnflcm/v2", vnfdID)
	inst := b.Instance(instance)
	inst.VimConnections = []lcm.VimConnectionInfo{{ID: "vim1", VimID: lcm.VimID(vim), VimType: "kubernetes"}}
	inst.InstantiationState = lcm.Instantiated
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID:        "simple",
		VnfState:         "STARTED",
		AdditionalParams: json.RawMessage(`{"lcm-kubernetes-def-files":["Files/kubernetes/deployment.yaml"]}`),
		ScaleStatus: []lcm.ScaleInfo{
			{AspectID: "vdu2_aspect", ScaleLevel: 1},
			{AspectID: "vdu3_aspect"},
			{AspectID: "vdu5_aspect"},
		},
	}
	for _, pod := range []string{"vdu2-a", "vdu2-b"} {
		inst.Instantiated.VnfcResources = append(inst.Instantiated.VnfcResources, lcm.VnfcResourceInfo{
			ID: pod, VduID: "VDU2", ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: pod},
		})
	}
	require.NoError(t, b.Store.UpdateInstance(b.Context(), inst))
	return instance
}

func TestCnf_keepsToItsKindOfVimWhenItIsModified(t *testing.T) {
	b := servertest.New(t)
	instance := createCnf(b, t)
	own := map[string]any{
		"vimType":       "ETSINFV.KUBERNETES.V_1",
		"interfaceInfo": map[string]any{"endpoint": "https://192.0.2.7:6443", "ssl_ca_cert": "None"},
		"accessInfo":    map[string]any{"bearer_token": servertest.Marker},
	}
	patch := map[string]any{"vimConnectionInfo": map[string]any{"more": own}}
	b.Do("PATCH", instance, patch).Want(http.StatusAccepted)

	b = servertest.New(t)
	instance = createCnf(b, t)
	patch["vimConnectionInfo"] = map[string]any{
		"more": map[string]any{"vimId": b.RegisterVim("cloud", false), "vimType": "openstack"},
	}
	a := b.Do("PATCH", instance, patch)
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), "this VNF needs a VIM of type kubernetes")
}

func TestCnf_scalesWhatItsManifestsHave(t *testing.T) {
	b := servertest.New(t)
	instance := createCnf(b, t)
	scale := func(aspect string) servertest.Answer {
		return b.Do("POST", instance+"/scale", map[string]any{"type": "SCALE_OUT", "aspectId": aspect, "numberOfSteps": 1})
	}
	a := scale("vdu3_aspect")
	require.Contains(t, a.Problem(http.StatusBadRequest), "no manifest of the VNF has a workload that vdu3_aspect "+
		"scales")
	require.Equal(t, []string{"$.aspectId"}, a.Paths())
	scale("vdu2_aspect").Want(http.StatusAccepted)
}

func TestCnf_isScaledToALevelWithoutVdusThatItDoesNotHave(t *testing.T) {
	b := servertest.New(t)
	instance := createCnf(b, t)
	plan := b.Do("POST", planPath(instance), map[string]any{
		"operation": "SCALE_TO_LEVEL", "request": map[string]any{"instantiationLevelId": "instantiation_level_2"},
	}).Want(http.StatusOK)
	require.Equal(t, []any{
		map[string]any{"aspectId": "vdu2_aspect", "vduId": "VDU2", "from": 2.0, "to": 3.0},
	}, plan["groups"])
}

func TestCnf_getsNoPackageWithOtherManifestsWhileItIsThere(t *testing.T) {
	b := servertest.New(t)
	const sample, id = "../../vnfpkg/samples/cnf-manifests", "b7a3f6de-2c0b-4d43-9a5e-0c1f6d8e7b24"
	instance := b.Create("/vnflcm/v1", b.OnboardDir(sample))
	inst := b.Instance(instance)
	inst.InstantiationState = lcm.Instantiated
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "simple", VnfState: "STARTED",
		AdditionalParams: json.RawMessage(`{"lcm-kubernetes-def-files":["Files/kubernetes/web.yaml"]}`),
	}
	require.NoError(t, b.Store.UpdateInstance(b.Context(), inst))
	variant := func(next, file, from, to string) (vnfdID string) {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(sample)))
		change := func(file, from, to string) {
			text, err := os.ReadFile(filepath.Join(dir, file))
			require.NoError(t, err)
			require.Contains(t, string(text), from)
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(strings.ReplaceAll(string(text), from, to)), 0o600))
		}
		change("Definitions/cnf_manifests_top.vnfd.yaml", id, next)
		change("Definitions/cnf_manifests_types.yaml", id, next)
		change(file, from, to)
		return b.OnboardDir(dir)
	}
	other := variant(
		"00000000-0000-4000-8000-000000000001",
		"Files/kubernetes/web.yaml",
		"lab.local/web:v1",
		"lab.local/web:v2",
	)
	a := b.Do("PATCH", instance, map[string]any{"vnfdId": other})
	require.Contains(t, a.Problem(http.StatusConflict), "differs in: Files/kubernetes/web.yaml")
	unused := variant(
		"00000000-0000-4000-8000-000000000002",
		"Files/kubernetes/page.yaml",
		"from a Pod",
		"from another Pod",
	)
	b.Do("PATCH", instance, map[string]any{"vnfdId": unused}).Want(http.StatusAccepted)
}

// allowedFiles are the files that the operator allows, by the keys of their sources.
type allowedFiles struct {
	mu    sync.Mutex
	files map[string]string
	asked int
}

func (f *allowedFiles) Fetch(_ context.Context, s cnf.Source) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if s.URL == "https://away.example/x.yaml" {
		return nil, lcm.Errorf(lcm.KindUnavailable, "https://away.example/x.yaml cannot be reached.")
	}
	text, ok := f.files[s.Key()]
	if !ok {
		return nil, lcm.Errorf(lcm.KindDenied, "Nothing may be fetched from %s.", s.URL)
	}
	return []byte(text), nil
}

func TestCnf_takesFilesFromWhereTheOperatorAllows(t *testing.T) {
	manifest, err := os.ReadFile("../../vnfpkg/samples/cnf-manifests/Files/kubernetes/web.yaml")
	require.NoError(t, err)
	const at = "https://files.example/web.yaml"
	files := &allowedFiles{files: map[string]string{at: string(manifest)}}
	b := servertest.New(t, func(o *apiserver.Options) { o.Files = files })
	vnfdID, vim := b.OnboardDir("../../vnfpkg/samples/cnf-manifests"), b.RegisterCluster("c")
	instance := b.Create("/vnflcm/v2", vnfdID)
	request := func(files ...any) map[string]any {
		return servertest.AsV2(t, manifestsRequest(vim, map[string]any{"lcm-kubernetes-def-files": files}))
	}
	a := b.Do("POST", instance+"/instantiate", request(at, "https://other.example/x.yaml"))
	require.Contains(
		t,
		a.Problem(http.StatusUnprocessableEntity),
		"Nothing may be fetched from https://other.example/x.yaml",
	)
	require.Equal(t, []string{"$.additionalParams.lcm-kubernetes-def-files[1]"}, a.Paths())
	b.Do("POST", instance+"/instantiate", request("https://away.example/x.yaml")).Want(http.StatusServiceUnavailable)

	files.files[at] = "a: ["
	a = b.Do("POST", instance+"/instantiate", request(at))
	require.Contains(t, string(a.Body), "cannot be read")
	files.files[at] = string(manifest)
	b.Do("POST", instance+"/instantiate", request(at)).Want(http.StatusAccepted)
	kept, err := b.Store.Fetched(b.Context(), b.Instance(instance).ID, at)
	require.NoError(t, err)
	require.Equal(t, string(manifest), string(kept))
}
