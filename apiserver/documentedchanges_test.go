package apiserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// changing are the bodies of how-to pages that belong to other requests. ready prepares the resource of the request.
var changing = []struct {
	shownBody
	method string
	ready  func(t *testing.T, b *servertest.Bench) (url string)
	// request is the request that the body completes, and empty if the body is the whole request.
	request string
	// stands are pairs of a placeholder and its replacement.
	stands []string
}{
	{shownBody{page: "scale-and-heal.md"}, "POST", task("scale"), "", aWorker},
	{shownBody{page: "scale-and-heal.md", nth: 1}, "POST", task("scale_to_level"), "", []string{"8", "2"}},
	{shownBody{page: "scale-and-heal.md", nth: 2}, "POST", task("heal"), "", aWorker},
	{
		shownBody{page: "external-load-balancer.md", nth: 1},
		"POST", task("scale"), "",
		[]string{"balancer_instance", "worker_instance"},
	},
	{shownBody{page: "failed-operations.md", nth: 1}, "POST", func(t *testing.T, b *servertest.Bench) string {
		t.Helper()
		path := b.Do("POST", b.Running("/vnflcm/v1")+"/heal", `{}`).Path()
		b.Enter(path, lcm.Processing)
		return path + "/cancel"
	}, "", nil},
	{shownBody{page: "modify.md", free: "/metadata/"}, "PATCH", func(t *testing.T, b *servertest.Bench) string {
		t.Helper()
		return b.Named("/vnflcm/v1")
	}, "", nil},
	{
		shownBody{page: "modify.md", nth: 1, free: "/vnfcInfoModifications/0/vnfcConfigurableProperties/"},
		"PATCH",
		func(t *testing.T, b *servertest.Bench) string { t.Helper(); return b.Named("/vnflcm/v2") }, "",
		[]string{"a-001", "w-010"},
	},
	{shownBody{page: "registries.md", nth: 1}, "PATCH", func(t *testing.T, b *servertest.Bench) string {
		t.Helper()
		return b.Running("/vnflcm/v1")
	}, "", nil},
	{shownBody{page: "external-connectivity.md"}, "POST", func(t *testing.T, b *servertest.Bench) string {
		t.Helper()
		return b.PlainServer("/vnflcm/v1") + "/change_ext_conn"
	}, "", []string{"CP1", "VDU1_CP1"}},
	{shownBody{page: "change-package.md"}, "POST", anotherWeb, "", nil},
	{
		shownBody{page: "change-package.md", nth: 1, at: "additionalParams/vdu_params/0"},
		"POST", anotherWeb,
		`{"vnfdId": "3d1f0c52-8f0a-4a53-9a7c-5be2f7f0c1aa", "additionalParams": {
			"lcm-kubernetes-def-files": ["Files/kubernetes/web.yaml"], "vdu_params": [{}]}}`,
		[]string{servertest.Marker, "web"},
	},
	{shownBody{page: "packages.md"}, "POST", func(t *testing.T, b *servertest.Bench) string {
		t.Helper()
		return b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{}).Path() + "/package_content/upload_from_uri"
	}, "", nil},
	{shownBody{page: "subscriptions.md"}, "POST", func(*testing.T, *servertest.Bench) string {
		return "/vnflcm/v2/subscriptions"
	}, "", nil},
}

var aWorker = []string{
	"3f2a91c0-0d1e-4e0f-8a3f-6f1f2f9d9c11", "worker-0", "masterNode-34b246cd-1c0e-4b0f-9d1c-0a8e5b1d2f11", "worker-0",
}

// task returns a function that prepares a running cluster, and returns the URL of an operation on it.
func task(name string) func(*testing.T, *servertest.Bench) string {
	return func(t *testing.T, b *servertest.Bench) string {
		t.Helper()
		return b.Running("/vnflcm/v1") + "/" + name
	}
}

// anotherWeb instantiates the sample of manifests, and onboards another package for it.
func anotherWeb(t *testing.T, b *servertest.Bench) (url string) {
	t.Helper()
	const sample = "../vnfpkg/samples/cnf-manifests"
	instance := b.Create("/vnflcm/v2", b.OnboardDir(sample))
	inst := b.Instance(instance)
	inst.VimConnections = []lcm.VimConnectionInfo{
		{ID: "1", VimID: lcm.VimID(b.RegisterCluster("c")), VimType: "kubernetes"},
	}
	inst.InstantiationState = lcm.Instantiated
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "simple", VnfState: lcm.VnfStarted, ScaleStatus: []lcm.ScaleInfo{{AspectID: "web_pods"}},
		AdditionalParams: json.RawMessage(`{"lcm-kubernetes-def-files":["Files/kubernetes/web.yaml"],"namespace":"default"}`),
	}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(sample)))
	for _, file := range []string{"cnf_manifests_top.vnfd.yaml", "cnf_manifests_types.yaml"} {
		name := filepath.Join(dir, "Definitions", file)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		changed := strings.ReplaceAll(
			string(text),
			"b7a3f6de-2c0b-4d43-9a5e-0c1f6d8e7b24",
			"3d1f0c52-8f0a-4a53-9a7c-5be2f7f0c1aa",
		)
		require.NoError(t, os.WriteFile(name, []byte(changed), 0o600))
	}
	b.OnboardDir(dir)
	return instance + "/change_vnfpkg"
}

func TestDocumentedBodies_ofOtherRequestsAreReadToTheLastMember(t *testing.T) {
	for _, c := range changing {
		t.Run(fmt.Sprintf("%s %d", c.page, c.nth), func(t *testing.T) {
			b := servertest.New(
				t,
				func(o *apiserver.Options) { o.Sources, o.Subscribers = servertest.Sources{}, &servertest.Subscribers{} },
			)
			text, err := json.Marshal(c.read(t))
			require.NoError(t, err)
			var body map[string]any
			require.NoError(t, json.Unmarshal([]byte(strings.NewReplacer(c.stands...).Replace(string(text))), &body))
			request := body
			if c.request != "" {
				request = map[string]any{}
				require.NoError(t, json.Unmarshal([]byte(c.request), &request))
				put(request, c.at, body)
			}
			readsAll(b, t, c.shownBody, body, c.method, c.ready(t, b), request)
		})
	}
}
