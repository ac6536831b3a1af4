package apiserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// endpoint differs from the test server's address, because links must use endpoint and never the Host header.
const endpoint = "https://vnfm.example:9890"

// marker is part of every secret that the tests send. No answer and no log line may contain it.
const marker = "s3cr3t"

var (
	writeExamples = flag.Bool("examples", false, "write the examples in the OpenAPI document, of the answers of all tests")
	answers       apitest.Examples
)

func TestMain(m *testing.M) {
	code := pgtest.Run(m)
	if *writeExamples && code == 0 {
		if err := answers.Write("openapi/examples"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// bench is an API server with a real database. Its workflows and VIMs are fakes that record the calls.
type bench struct {
	testing.TB
	server *Server
	http   *httptest.Server
	store  *store.Store
	// databaseURL is the URL of the store's database.
	databaseURL string
	vault       *secrets.Vault
	starter     *rememberingStarter
	vims        *obligingVims
	// client is a header of every request that does not have this header itself.
	client   string
	log      *lockedBuffer
	mu       sync.Mutex
	answered bytes.Buffer
}

func newBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	ctx := t.Context()
	databaseURL := pgtest.URL(t)
	db, err := store.Open(ctx, databaseURL)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	b := &bench{
		TB: t, databaseURL: databaseURL, store: db, vault: secrets.NewVault(secretstest.Keyring(t), db),
		vims: &obligingVims{}, log: &lockedBuffer{},
	}
	b.starter = &rememberingStarter{store: db}
	o := Options{
		API: config.API{Endpoint: endpoint}, Notifications: config.Notifications{TestCallback: true},
		Store: db, Vault: b.vault, Starter: b.starter, Vims: b.vims, Version: "1.2.3",
		PodNetwork: true, // as of Tacker's packages, some samples have none
		Log:        slog.New(slog.NewJSONHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&o)
	}
	b.server, err = New(o)
	require.NoError(t, err)
	b.http = httptest.NewServer(apitest.Watch(b.server, &answers, func(err error) { b.Error(err) }))
	t.Cleanup(func() {
		b.server.stopStreams()
		b.http.Close()
		require.NotContains(t, b.answered.String(), marker, "a secret is in an answer")
		require.NotContains(t, b.log.String(), marker, "a secret is in the log")
	})
	return b
}

// answer is a response whose body was read completely.
type answer struct {
	t      testing.TB
	Status int
	Header http.Header
	Body   []byte
}

// do sends a request; headers are "Name: value". Bodies that are not strings or readers are sent as JSON.
func (b *bench) do(method, path string, body any, headers ...string) answer {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.http.URL+path, reader(b.TB, body))
	require.NoError(b, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if strings.HasPrefix(path, "/vnflcm/v2") {
		req.Header.Set("Version", "2.0.0")
	}
	for _, h := range append([]string{b.client}, headers...) {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Del(name)
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirects
	require.NoError(b, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	require.NoError(b, err)
	b.remember(resp.Header, got)
	return answer{b.TB, resp.StatusCode, resp.Header, got}
}

func (b *bench) remember(h http.Header, body []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = h.Write(&b.answered)
	b.answered.Write(body)
}

func reader(t testing.TB, body any) io.Reader {
	switch body := body.(type) {
	case nil:
		return http.NoBody
	case string:
		return strings.NewReader(body)
	case io.Reader:
		return body
	}
	doc, err := json.Marshal(body)
	require.NoError(t, err)
	return bytes.NewReader(doc)
}

// want checks the status and returns the JSON body.
func (a answer) want(status int) map[string]any {
	a.t.Helper()
	require.Equal(a.t, status, a.Status, "%s", a.Body)
	if len(a.Body) == 0 || !strings.Contains(a.Header.Get("Content-Type"), "json") || a.Body[0] != '{' {
		return nil
	}
	var doc map[string]any
	require.NoError(a.t, json.Unmarshal(a.Body, &doc))
	return doc
}

// list checks the status and returns the items of the JSON array.
func (a answer) list() []map[string]any {
	a.t.Helper()
	require.Equal(a.t, http.StatusOK, a.Status, "%s", a.Body)
	items := []map[string]any{}
	require.NoError(a.t, json.Unmarshal(a.Body, &items))
	return items
}

// problem checks that the answer is a ProblemDetails of that status and returns its detail.
func (a answer) problem(status int) string {
	a.t.Helper()
	doc := a.want(status)
	require.Equal(a.t, rest.MimeProblem, a.Header.Get("Content-Type"))
	require.EqualValues(a.t, status, doc["status"])
	require.NotEmpty(a.t, doc["detail"])
	require.NotEmpty(a.t, a.Header.Get(rest.HeaderRequestID))
	return doc["detail"].(string)
}

// paths lists the JSON paths of the answer's problems.
func (a answer) paths() []string {
	var doc struct{ Problems []lcm.Problem }
	require.NoError(a.t, json.Unmarshal(a.Body, &doc))
	out := []string{}
	for _, p := range doc.Problems {
		out = append(out, p.Path)
	}
	return out
}

// path returns the Location below the endpoint.
func (a answer) path() string {
	a.t.Helper()
	path, ok := strings.CutPrefix(a.Header.Get("Location"), endpoint)
	require.True(a.t, ok, "Location %q", a.Header.Get("Location"))
	return path
}

var samplePackage = sync.OnceValues(func() ([]byte, error) {
	var b bytes.Buffer
	err := vnfpkg.Build("../vnfpkg/samples/k8s-ha", &b)
	return b.Bytes(), err
})

// onboard uploads the sample package and returns its id and its VNFD's id.
func (b *bench) onboard() (path, vnfdID string) {
	b.Helper()
	csar, err := samplePackage()
	require.NoError(b, err)
	created := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	created.want(http.StatusCreated)
	path = created.path()
	b.do("PUT", path+"/package_content", bytes.NewReader(csar), "Content-Type: application/zip").want(http.StatusAccepted)
	return path, b.do("GET", path, nil).want(http.StatusOK)["vnfdId"].(string)
}

// registerVim registers an OpenStack VIM and returns its id.
func (b *bench) registerVim(name string, isDefault bool) string {
	b.Helper()
	doc := b.do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": name, "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3", "is_default": isDefault,
		"auth_cred":   map[string]any{"username": "nfv", "password": marker + "-vim", "user_domain_name": "Default"},
		"vim_project": map[string]any{"name": "nfv", "project_domain_name": "Default"},
	}}).want(http.StatusCreated)
	return doc["vim"].(map[string]any)["id"].(string)
}

// create makes a VNF instance and returns its path.
func (b *bench) create(root, vnfdID string) string {
	b.Helper()
	a := b.do("POST", root+"/vnf_instances", map[string]any{"vnfdId": vnfdID, "vnfInstanceName": "edge-1"})
	a.want(http.StatusCreated)
	return a.path()
}

// clusterRequest returns an instantiate request of v1 for the sample package.
func clusterRequest(vimID string) map[string]any {
	node := func(role string) map[string]any {
		return map[string]any{
			"aspect_id": role + "_instance", "ssh_cp_name": map[string]string{
				"master": "masterNode_CP1",
				"worker": "workerNode_CP2",
			}[role],
			"username": "debian", "password": marker + "-" + role,
		}
	}
	master := node("master")
	master["cluster_cp_name"], master["pod_cidr"] = "vip_CP", "192.168.3.0/16"
	var cps []any
	for _, cp := range []string{"masterNode_CP1", "workerNode_CP2"} {
		cps = append(cps, map[string]any{"cpdId": cp, "cpConfig": []any{map[string]any{"linkPortId": "port"}}})
	}
	return map[string]any{
		"flavourId": "ha",
		"extVirtualLinks": []any{map[string]any{
			"id": "net", "resourceId": "6c1b1a52-4e5e-4a53-b1a2-9e1d3a2f7b10", "extCps": cps,
		}},
		"vimConnectionInfo": []any{map[string]any{"id": "vim1", "vimId": vimID, "vimType": "openstack"}},
		"additionalParams": map[string]any{lcm.ClusterParamsKey: map[string]any{
			"vim_name": "edge-k8s", "master_node": master, "worker_node": node("worker"),
			"proxy": map[string]any{
				"http_proxy":  "http://nfv:" + marker + "-proxy@192.0.2.9:3128",
				"https_proxy": "http://192.0.2.9:3128",
			},
		}},
	}
}

// asV2 converts an instantiate request of v1 into the form of v2.
func asV2(t *testing.T, request map[string]any) map[string]any {
	t.Helper()
	doc, err := json.Marshal(request)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(doc, &out))
	if vims, ok := out["vimConnectionInfo"]; ok {
		out["vimConnectionInfo"] = byKey(vims, "id")
	}
	links, _ := out["extVirtualLinks"].([]any)
	for _, link := range links {
		for _, cp := range link.(map[string]any)["extCps"].([]any) {
			if cp := cp.(map[string]any); cp["cpConfig"] != nil {
				cp["cpConfig"] = byKey(cp["cpConfig"], "cpInstanceId")
			}
		}
	}
	return out
}

// byKey converts a list of v1 into the map that v2 has instead. The key of an item without the member is its position.
func byKey(list any, member string) any {
	items, ok := list.([]any)
	if !ok {
		return list
	}
	m := map[string]any{}
	for i, item := range items {
		item := item.(map[string]any)
		key, _ := item[member].(string)
		if key == "" {
			key = strconv.Itoa(i)
		}
		delete(item, member)
		m[key] = item
	}
	return m
}

// ready creates an instance, and returns it with the request to instantiate it.
func (b *bench) ready(root string) (instance string, request map[string]any) {
	b.Helper()
	_, vnfdID := b.onboard()
	return b.create(root, vnfdID), clusterRequest(b.registerVim("lab", true))
}
