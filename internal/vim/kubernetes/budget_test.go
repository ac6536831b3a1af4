package kubernetes

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// hostile is an API server whose answers the test chooses, by method and path.
func hostile(t *testing.T, answers map[string]http.HandlerFunc) *Connection {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, answer := range answers {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			answer(w, r)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	by := &Connector{}
	c, err := by.Connect(lcm.Vim{Name: "cluster", Type: lcm.VimKubernetes, AuthURL: server.URL},
		map[string]any{"bearer_token": "good", "ssl_ca_cert": "None"})
	require.NoError(t, err)
	return c
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

// coreAPI is the discovery of a cluster with these kinds in v1, all in namespaces.
func coreAPI(answers map[string]http.HandlerFunc, resources ...string) map[string]http.HandlerFunc {
	var list []string
	for _, r := range resources {
		list = append(list, fmt.Sprintf(`{"name":%q,"kind":%q,"namespaced":true,"verbs":["get","list","delete"]}`, r, r))
	}
	answers["GET /api"] = says(`{"kind":"APIVersions","versions":["v1"]}`)
	answers["GET /apis"] = says(`{"kind":"APIGroupList","groups":[]}`)
	answers["GET /api/v1"] = says(`{"kind":"APIResourceList","groupVersion":"v1","resources":[` + strings.Join(list, ",") + `]}`)
	return answers
}

func refuses(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"message":"no","reason":%q}`, code,
			map[int]string{403: "Forbidden", 404: "NotFound", 500: "InternalError"}[code])
	}
}

func TestRecordOf_boundsWhatItUnpacks(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(`{"owner":"o","objects":[` + strings.Repeat(`{"kind":"a"},`, 2_000_000) + `{"kind":"a"}]}`))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.Less(t, packed.Len(), 1<<20, "it fits into a Secret")
	c := hostile(t, map[string]http.HandlerFunc{
		"GET /api/v1/namespaces/default/secrets/vnf": says(`{"kind":"Secret","apiVersion":"v1","type":"windlass/deployment",
			"data":{"deployment":"` + base64.StdEncoding.EncodeToString(packed.Bytes()) + `"}}`),
	})
	_, err = c.recordOf(t.Context(), "vnf")
	require.ErrorContains(t, err, "larger than the limit of 16 MiB")
	assert.Equal(t, lcm.KindBroken, lcm.KindOf(err))
}

func TestRevisions_doNotFollowAnEndlessList(t *testing.T) {
	var pages atomic.Int64
	c := hostile(t, map[string]http.HandlerFunc{
		"GET /api/v1/namespaces/default/secrets": func(w http.ResponseWriter, _ *http.Request) {
			pages.Add(1)
			fmt.Fprint(w, `{"kind":"SecretList","apiVersion":"v1","metadata":{"continue":"again"},"items":[{"metadata":{"name":"s"}}]}`)
		},
	})
	_, _, err := c.revisions(t.Context(), "default", "web", "owner")
	require.ErrorContains(t, err, "more than 1000 pages")
	assert.Equal(t, lcm.KindInvalid, lcm.KindOf(err))
	assert.EqualValues(t, 1000, pages.Load())
}

func TestDiscovery_isBounded(t *testing.T) {
	var groups []string
	answers := map[string]http.HandlerFunc{
		"GET /api": says(`{"kind":"APIVersions","versions":[]}`),
	}
	for i := range 20 {
		group := fmt.Sprintf("g%d.example.org", i)
		groups = append(groups, fmt.Sprintf(`{"name":%q,"versions":[{"groupVersion":"%s/v1","version":"v1"}]}`, group, group))
		answers["GET /apis/"+group+"/v1"] = says(`{"kind":"APIResourceList","groupVersion":"` + group + `/v1","resources":[` +
			strings.TrimSuffix(strings.Repeat(`{"name":"widgets","kind":"Widget","verbs":["get"]},`, 20_000), ",") + `]}`)
	}
	answers["GET /apis"] = says(`{"kind":"APIGroupList","groups":[` + strings.Join(groups, ",") + `]}`)
	c := hostile(t, answers)
	refused := 0
	for i := range groups { // which of them are read is chance
		kind := schema.GroupVersionKind{Group: fmt.Sprintf("g%d.example.org", i), Version: "v1", Kind: "Widget"}
		_, _, err := c.kindOf(t.Context(), kind, time.Time{})
		assert.False(t, meta.IsNoMatchError(err), "a kind that nobody could ask about is not missing")
		if err != nil {
			require.ErrorContains(t, err, "larger than the limit of 8 MiB")
			refused++
		}
	}
	assert.Positive(t, refused)
	assert.Less(t, c.kinds.known().budget.Read(), int64(10<<20), "a part of what the server would send")
}

// A namespace goes with everybody's objects: it stays unless the cluster says that nothing of others is in it.
func TestInUse_believesNoListThatHasFailed(t *testing.T) {
	t.Parallel()
	namespace := prepared{Unstructured: unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "shared"},
	}}}
	const at = "GET /api/v1/namespaces/shared/configmaps"
	other := `{"metadata":{"name":"theirs"},"apiVersion":"v1","kind":"ConfigMap"}`
	pages := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("continue") == "" {
			fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"continue":"2"},"items":[
				{"metadata":{"name":"kube-root-ca.crt"},"apiVersion":"v1","kind":"ConfigMap"}]}`)
			return
		}
		fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[`+other+`]}`)
	}
	large := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","items":[`+strings.Repeat(" ", 17<<20)+other+`]}`)
	}
	for name, c := range map[string]struct {
		answer    http.HandlerFunc
		stays, is string
	}{
		"nothing":               {says(`{"kind":"ConfigMapList","apiVersion":"v1","items":[]}`), "", ""},
		"the kind has gone":     {refuses(404), "", ""},
		"an object of others":   {says(`{"kind":"ConfigMapList","apiVersion":"v1","items":[` + other + `]}`), "theirs is in it", ""},
		"one on the next page":  {pages, "theirs is in it", ""},
		"may not look":          {refuses(403), "may not list its configmaps", ""},
		"the API server fails":  {refuses(500), "", "could not list the configmaps in the namespace shared"},
		"an answer too large":   {large, "", "larger than the limit of 16 MiB"},
		"a list without an end": {says(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"continue":"x"},"items":[]}`), "", "more than 1000 pages"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := hostile(t, coreAPI(map[string]http.HandlerFunc{at: c.answer}, "configmaps"))
			why, err := cluster.inUse(t.Context(), namespace, cluster.wait("owner", 0, func(string) {}))
			if c.is != "" {
				require.ErrorContains(t, err, c.is)
				return
			}
			require.NoError(t, err)
			if c.stays == "" {
				require.Empty(t, why)
				return
			}
			require.Contains(t, why, c.stays)
		})
	}
}

// A kind of a group whose server does not answer is not missing: its objects would be forgotten.
func TestKindOf_tellsAGroupThatFailsFromAKindThatIsMissing(t *testing.T) {
	answers := coreAPI(map[string]http.HandlerFunc{}, "pods")
	answers["GET /apis"] = says(`{"kind":"APIGroupList","groups":[{"name":"example.org",
		"versions":[{"groupVersion":"example.org/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.org/v1","version":"v1"}}]}`)
	answers["GET /apis/example.org/v1"] = refuses(500)
	c := hostile(t, answers)
	_, _, err := c.kindOf(t.Context(), widgetKind, time.Time{})
	require.Error(t, err)
	assert.Equal(t, lcm.KindUnavailable, lcm.KindOf(translate("list the kinds of its objects", err)), "%v", err)
	_, err = c.namespaced(t.Context())
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err), "%v", err)
}

// Newer clusters answer discovery with one document, which says of which groups it knows nothing.
func TestKindOf_tellsAStaleGroupFromAKindThatIsMissing(t *testing.T) {
	aggregated := func(groups string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
			fmt.Fprintf(w, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[%s]}`, groups)
		}
	}
	c := hostile(t, map[string]http.HandlerFunc{
		"GET /api":  aggregated(""),
		"GET /apis": aggregated(`{"metadata":{"name":"example.org"},"versions":[{"version":"v1","freshness":"Stale"}]}`),
	})
	_, _, err := c.kindOf(t.Context(), widgetKind, time.Time{})
	require.Error(t, err)
	assert.Equal(t, lcm.KindUnavailable, lcm.KindOf(translate("list the kinds of its objects", err)), "%v", err)
	_, _, err = c.kindOf(t.Context(), widgetKind.GroupKind().WithVersion("v2"), time.Time{})
	assert.True(t, meta.IsNoMatchError(err), "%v", err)
}

func TestTranslate_waitsOnlyForWhatCanImprove(t *testing.T) {
	t.Parallel()
	patch := func(code int, message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":%d,"message":%q}`,
				code, message)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		kind   lcm.ErrorKind
	}{
		"an env twice":                   {patch(500, `failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.template.spec.containers[name="web"].env: duplicate entries for key [name="LOG"]`), lcm.KindInvalid},
		"a webhook that does not answer": {patch(500, `Internal error occurred: failed calling webhook "x": Post: dial tcp: connection refused`), lcm.KindUnavailable},
		"etcd":                           {patch(500, "etcdserver: request timed out"), lcm.KindUnavailable},
		"overloaded":                     {patch(429, "too many requests"), lcm.KindUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := hostile(t, coreAPI(map[string]http.HandlerFunc{
				"PATCH /api/v1/namespaces/default/configmaps/web": c.answer,
			}, "configmaps"))
			mapping, _, err := cluster.kindOf(t.Context(), podKind.GroupVersion().WithKind("configmaps"), time.Time{})
			require.NoError(t, err)
			o := unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "web", "namespace": "default"},
			}}
			ctx, stop := limited(t.Context(), 500*time.Millisecond) // client-go itself waits before it asks again
			defer stop()
			err = cluster.write(ctx, prepared{Unstructured: o, mapping: mapping, verbs: []string{"patch"}}, true)
			if c.kind == lcm.KindUnavailable && ctx.Err() != nil {
				return
			}
			require.Equal(t, c.kind, lcm.KindOf(err), "%v", err)
		})
	}
	unnamed := fmt.Errorf("name is required")
	assert.Equal(t, lcm.KindInvalid, lcm.KindOf(translate("read the Job", unnamed)), "client-go complains, nobody is away")
}
