package definitions

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/onboard"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

const sample = "../../../../vnfpkg/samples/cnf-manifests"

// more adds to a copy of the sample package a VDU whose number of Pods cannot be set, a VDU without a manifest, and a
// Secret.
func more(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(sample)))
	file := filepath.Join(dir, "Definitions/cnf_manifests_df_simple.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	const vdus = "    agent:\n      type: tosca.nodes.nfv.Vdu.Compute\n      properties: { name: agent }\n" +
		"    absent:\n      type: tosca.nodes.nfv.Vdu.Compute\n      properties: { name: absent }\n"
	require.NoError(t, os.WriteFile(file, bytes.Replace(text, []byte("\n  policies:\n"), []byte("\n"+vdus+"  policies:\n"), 1), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Files/kubernetes/more.yaml"), []byte(`
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent, namespace: agents }
---
apiVersion: v1
kind: Secret
metadata: { name: key }
stringData: { password: hunter2, no: x }
data: { token: c2VjcmV0LXRva2Vu }
`), 0o600))
	return dir
}

// instantiation returns an instantiation of the package in this directory, with these files as manifests.
func instantiation(t *testing.T, dir string, request map[string]any, files ...string) (*Definer, *operations.Operation) {
	t.Helper()
	db, err := store.Open(t.Context(), pgtest.URL(t))
	require.NoError(t, err)
	t.Cleanup(db.Close)
	o := &Definer{Resolver: &operations.Resolver{Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db)}}
	var archive bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &archive))
	id := lcm.VnfPkgID(uuid.NewString())
	require.NoError(t, db.CreatePackage(lcm.InProject(t.Context(), lcm.DefaultProject),
		lcm.VnfPkg{ID: id, OnboardingState: lcm.PkgUploading, OperationalState: lcm.PkgDisabled}))
	pkg, err := db.Package(t.Context(), id)
	require.NoError(t, err)
	require.NoError(t, (&onboard.Onboarder{Store: db}).Take(t.Context(), &pkg, &archive))
	of := &operations.Operation{
		Instance: lcm.VnfInstance{ID: "i", VnfPkgID: id},
		OpOcc:    lcm.VnfLcmOpOcc{ID: "o", Operation: lcm.OpInstantiate, APIVersion: 2},
	}
	of.Vnfd, err = o.ReadVnfd(t.Context(), id)
	require.NoError(t, err)
	of.Flavour, err = of.Vnfd.Flavour("simple")
	require.NoError(t, err)
	if len(files) > 0 {
		request["lcm-kubernetes-def-files"] = files
	}
	of.Request.AdditionalParams, err = json.Marshal(request)
	require.NoError(t, err)
	return o, of
}

const page, web, others = "Files/kubernetes/page.yaml", "Files/kubernetes/web.yaml", "Files/kubernetes/more.yaml"

func whole(t *testing.T, o *Definer, of *operations.Operation) (kubernetes.Definition, []string) {
	t.Helper()
	d, secrets, err := o.Whole(t.Context(), of)
	require.NoError(t, err)
	return d.(kubernetes.Definition), secrets
}

func TestWhole(t *testing.T) {
	o, of := instantiation(t, more(t), map[string]any{"namespace": "curry"}, page, web, others)
	d, secrets := whole(t, o, of)

	var objects []string
	for _, object := range d.Objects {
		objects = append(objects, object.GetKind()+" "+object.GetName())
	}
	require.Equal(t, []string{"ConfigMap web-page", "Deployment web", "Service web", "DaemonSet agent", "Secret key"}, objects)
	require.Equal(t, "curry", d.Namespace)
	require.True(t, d.Override)
	require.Equal(t, map[string]kubernetes.Workload{
		"web": {Kind: "Deployment", Name: "web"}, "agent": {Kind: "DaemonSet", Name: "agent"},
	}, d.Workloads)
	require.Equal(t, map[string]int{"web": 1}, d.Replicas)
	require.Equal(t, []string{"hunter2", "c2VjcmV0LXRva2Vu", "secret-token"}, secrets)
}

func TestWhole_opensTheSecretsOfTheRequest(t *testing.T) {
	o, of := instantiation(t, chartSample, map[string]any{
		"use_helm": true, "using_helm_install_param": []any{map[string]any{
			"helmchartfile_path": "Files/kubernetes/web", "helmreleasename": "web", "helmparameter": []any{"admin.password=s3cr3t-1"},
		}},
		"private_registry_connection_info": []any{map[string]any{
			"server": "registry.example", "username": "user01", "password": "s3cr3t-2",
		}},
	})
	var err error
	of.Request.AdditionalParams, err = secrets.SealDocument(t.Context(), o.Vault, "op/o", of.Request.AdditionalParams)
	require.NoError(t, err)
	require.NotContains(t, string(of.Request.AdditionalParams), "s3cr3t")
	d, hidden := whole(t, o, of)
	require.Equal(t, map[string]any{"password": "s3cr3t-1"}, d.Charts[0].Values["admin"])
	require.Len(t, d.Objects, 1, "the Secret to pull images with")
	require.Equal(t, "vnfi-registries", d.Objects[0].GetName())
	require.Subset(t, hidden, []string{"s3cr3t-1", "s3cr3t-2"})
}

func TestWhole_leavesNamespacesToTheManifestsAndTheVIM(t *testing.T) {
	o, of := instantiation(t, more(t), map[string]any{}, page, web)
	d, _ := whole(t, o, of)
	require.Empty(t, d.Namespace)
	require.False(t, d.Override)

	of.Request.AdditionalParams = json.RawMessage(`{"lcm-kubernetes-def-files":["` + web + `","` + others + `"]}`)
	d, _ = whole(t, o, of)
	require.Equal(t, "agents", d.Namespace)
	require.False(t, d.Override)
}

func TestWhole_hasTheSizeOfTheLevelOrOfTheManifestsOrOfTheVNF(t *testing.T) {
	o, of := instantiation(t, sample, map[string]any{}, page, web)
	sizes := func() map[string]int {
		d, _ := whole(t, o, of)
		return d.Replicas
	}
	of.Request.InstantiationLevelID = "large"
	require.Equal(t, map[string]int{"web": 3}, sizes())
	of.OpOcc.APIVersion = 1
	require.Equal(t, map[string]int{"web": 3}, sizes())
	of.Request.InstantiationLevelID = ""
	require.Empty(t, sizes(), "version 1 begins with what the manifests say")
	of.Instance.Instantiated = &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{{VduID: "web"}, {VduID: "web"}}}
	require.Equal(t, map[string]int{"web": 2}, sizes())
}

func TestSized(t *testing.T) {
	o, of := instantiation(t, more(t), map[string]any{}, page, web, others)
	of.Instance.Instantiated = &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
		{VduID: "web"}, {VduID: "web"}, {VduID: "agent"},
	}}
	for _, c := range []struct {
		sizes    vim.Sizes
		to, want int
	}{
		{vim.SizesGrown, 4, 4},
		{vim.SizesGrown, 1, 2},
		{vim.SizesPlanned, 4, 4},
		{vim.SizesPlanned, 1, 1},
		{vim.SizesRecorded, 4, 2},
	} {
		of.OpOcc.Plan = &lcm.Plan{Groups: []lcm.GroupChange{{VduID: "web", From: 2, To: c.to}}}
		d, secrets, err := o.Sized(t.Context(), of, c.sizes)
		require.NoError(t, err)
		scaled := []string{"web"}
		if c.sizes == vim.SizesRecorded {
			scaled = nil
		}
		require.Equal(t, kubernetes.Definition{
			Replicas: map[string]int{"web": c.want}, Attachments: []kubernetes.Attachment{}, Scaled: scaled,
		}, d)
		require.Contains(t, secrets, "hunter2")
	}
	for vdu, says := range map[string]string{
		"agent":  "The VDU agent cannot be scaled: it is the DaemonSet agent, and Windlass can set the number",
		"absent": "The VDU absent cannot be scaled: the manifests of the VNF's instantiation have no workload for it",
	} {
		of.OpOcc.Plan = &lcm.Plan{Groups: []lcm.GroupChange{{VduID: vdu, From: 1, To: 2}}}
		_, _, err := o.Sized(t.Context(), of, vim.SizesGrown)
		require.ErrorContains(t, err, says)
		require.True(t, lcm.Is(err, lcm.KindInvalid))
	}
}

func TestDefiner_tellsWhatIsWrong(t *testing.T) {
	o, of := instantiation(t, sample, map[string]any{}, page, "Files/none.yaml")
	for says, params := range map[string]string{
		`the VNF package has no file "Files/none.yaml"`: string(of.Request.AdditionalParams),
		"is missing: it names the files":                `{}`,
		"with the name of a VDU":                        `{"lcm-kubernetes-def-files":["` + page + `"]}`,
	} {
		of.Request.AdditionalParams = json.RawMessage(params)
		_, _, err := o.Whole(t.Context(), of)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, says)
		_, _, sized := o.Sized(t.Context(), of, vim.SizesPlanned)
		require.Equal(t, err, sized)
	}
	_, _, err := o.Renewed(t.Context(), of, "mark")
	require.True(t, lcm.Is(err, lcm.KindInvalid))
}

const chartSample = "../../../../vnfpkg/samples/cnf-helm"

func TestWhole_ofAChart(t *testing.T) {
	o, of := instantiation(t, chartSample, map[string]any{
		"helm_chart_path": "Files/kubernetes/web", "helm_value_names": map[string]any{"web": map[string]any{"replica": "replicaCount"}},
	})
	of.Request.InstantiationLevelID = "large"
	d, secrets := whole(t, o, of)
	require.Empty(t, d.Objects)
	require.Empty(t, secrets)
	require.Empty(t, d.Replicas, "a value sets it")
	require.Equal(t, map[string]kubernetes.Workload{"web": {Kind: "Deployment", Name: "web"}}, d.Workloads)
	require.Len(t, d.Charts, 1)
	require.Equal(t, "vnfi", d.Charts[0].Name)
	require.Equal(t, map[string]any{"replicaCount": 3.0}, d.Charts[0].Values)
	require.Contains(t, d.Charts[0].Content.Files, "templates/web.yaml")

	of.OpOcc.APIVersion, of.Request.InstantiationLevelID = 1, ""
	d, _ = whole(t, o, of)
	require.Empty(t, d.Charts[0].Values, "version 1 begins with what the chart says")
}

func TestSized_ofAChart(t *testing.T) {
	for key, params := range map[string]map[string]any{
		"replicaCount": {"helm_value_names": map[string]any{"web": map[string]any{"replica": "replicaCount"}}},
		"":             {},
	} {
		params["helm_chart_path"] = "Files/kubernetes/web"
		o, of := instantiation(t, chartSample, params)
		of.Instance.Instantiated = &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{{VduID: "web"}}}
		of.OpOcc.Plan = &lcm.Plan{Groups: []lcm.GroupChange{{VduID: "web", From: 1, To: 4}}}
		d, _, err := o.Sized(t.Context(), of, vim.SizesPlanned)
		if key == "" {
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			require.ErrorContains(t, err, "the chart's value for its number of Pods")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, map[string]any{key: 4.0}, d.(kubernetes.Definition).Charts[0].Values)
	}
}

func TestWhole_ofContainersInTheVnfd(t *testing.T) {
	o, of := instantiation(t, "../../../../vnfpkg/samples/cnf-tosca", map[string]any{"page": "one"})
	of.Request.InstantiationLevelID = "large"
	d, _ := whole(t, o, of)
	var objects []string
	for _, object := range d.Objects {
		objects = append(objects, object.GetKind()+" "+object.GetName())
	}
	require.Equal(t, []string{"ConfigMap web-i-server", "Service web-address-i", "Deployment web-i"}, objects)
	require.Empty(t, d.Charts)
	require.Equal(t, map[string]kubernetes.Workload{"web": {Kind: "Deployment", Name: "web-i"}}, d.Workloads)
	require.Equal(t, map[string]int{"web": 3}, d.Replicas)

	of.Instance.Instantiated = &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{{VduID: "web"}}}
	of.OpOcc.Plan = &lcm.Plan{Groups: []lcm.GroupChange{{VduID: "web", From: 1, To: 4}}}
	sized, _, err := o.Sized(t.Context(), of, vim.SizesPlanned)
	require.NoError(t, err)
	require.Equal(t, kubernetes.Definition{Replicas: map[string]int{"web": 4}, Attachments: []kubernetes.Attachment{}, Scaled: []string{"web"}}, sized, "the objects stay as they were applied")
}

func TestReadyTimeout_ofTheRequestGoesBeforeThatOfTheVnf(t *testing.T) {
	o, of := instantiation(t, more(t), map[string]any{"ready_timeout": 60}, page, web)
	d, _ := whole(t, o, of)
	require.Equal(t, time.Minute, d.ReadyTimeout)
	of.Own = lcm.HealRequest{Waits: lcm.Waits{ReadyTimeout: 7}}
	d, _ = whole(t, o, of)
	require.Equal(t, 7*time.Second, d.ReadyTimeout)
	of.Instance.Instantiated = &lcm.InstantiatedVnfInfo{}
	sized, _, err := o.Sized(t.Context(), of, vim.SizesRecorded)
	require.NoError(t, err)
	require.Equal(t, 7*time.Second, sized.(kubernetes.Definition).ReadyTimeout)
	for _, wrong := range []int{-1, 7201} {
		o, of := instantiation(t, more(t), map[string]any{"ready_timeout": wrong}, page, web)
		_, _, err := o.Whole(t.Context(), of)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, "$.additionalParams.ready_timeout")
	}
}

func TestPatience_ofTheRequestGoesBeforeThatOfTheVnf(t *testing.T) {
	o, of := instantiation(t, more(t), map[string]any{"patience": 60}, page, web)
	d, _ := whole(t, o, of)
	require.Equal(t, time.Minute, d.Patience)
	of.Own = lcm.HealRequest{Waits: lcm.Waits{Patience: 7}}
	d, _ = whole(t, o, of)
	require.Equal(t, 7*time.Second, d.Patience)
	for _, wrong := range []int{-1, 3601} {
		o, of := instantiation(t, more(t), map[string]any{"patience": wrong}, page, web)
		_, _, err := o.Whole(t.Context(), of)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, "$.additionalParams.patience")
	}
}
