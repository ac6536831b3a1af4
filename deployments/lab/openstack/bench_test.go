package openstack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/openstack"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

const (
	demoPassword  = "demo-secret"
	adminPassword = "admin-secret"
)

// bench is a lab with machines in memory, and clients of it.
type bench struct {
	t        *testing.T
	path     string
	machines *memory
	store    *state.Store
	cloud    *openstack.Cloud
	handler  atomic.Value // http.Handler: the current handler of the server
	server   *httptest.Server
	shift    atomic.Int64 // how far the lab's clock is ahead
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "lab.db"), machines: newMemory()}
	b.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.handler.Load().(http.Handler).ServeHTTP(w, r)
	}))
	b.open()
	t.Cleanup(func() {
		b.server.Close()
		b.cloud.Close()
		require.NoError(t, b.store.Close())
	})
	return b
}

func (b *bench) open() {
	b.t.Helper()
	var err error
	b.store, err = state.Open(b.path)
	require.NoError(b.t, err)
	b.cloud, err = openstack.New(openstack.Config{
		Store: b.store, Machines: b.machines, Endpoint: b.server.URL, DemoPassword: demoPassword,
		AdminPassword: adminPassword, Now: func() time.Time { return time.Now().Add(time.Duration(b.shift.Load())) },
	})
	require.NoError(b.t, err)
	require.NoError(b.t, b.cloud.Recover(b.t.Context()))
	b.handler.Store(b.cloud.Handler())
}

// restart stops the lab at any point, and starts another one with the same files.
func (b *bench) restart() {
	b.t.Helper()
	b.cloud.Close()
	require.NoError(b.t, b.store.Close())
	b.open()
}

func (b *bench) provider(user, password, project string) (*gophercloud.ProviderClient, error) {
	return client.AuthenticatedClient(b.t.Context(), gophercloud.AuthOptions{
		IdentityEndpoint: b.server.URL + "/identity/v3", Username: user, Password: password, TenantName: project,
		DomainName: "Default", AllowReauth: true,
	})
}

func (b *bench) demo() *gophercloud.ProviderClient {
	b.t.Helper()
	p, err := b.provider("demo", demoPassword, "demo")
	require.NoError(b.t, err)
	return p
}

func (b *bench) service(
	make func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error),
) *gophercloud.ServiceClient {
	b.t.Helper()
	sc, err := make(b.demo(), gophercloud.EndpointOpts{Region: "RegionOne"})
	require.NoError(b.t, err)
	return sc
}

func (b *bench) heat() *gophercloud.ServiceClient    { return b.service(client.NewOrchestrationV1) }
func (b *bench) nova() *gophercloud.ServiceClient    { return b.service(client.NewComputeV2) }
func (b *bench) neutron() *gophercloud.ServiceClient { return b.service(client.NewNetworkV2) }

// template returns a Heat template whose files have their own names, as Windlass sends them.
func template(main string, files map[string]string) *stacks.Template {
	t := new(stacks.Template)
	t.Bin, t.Files = []byte(main), files
	return t
}

// await waits until the stack's action has ended and returns the stack.
func (b *bench) await(sc *gophercloud.ServiceClient, id, want string) *stacks.RetrievedStack {
	b.t.Helper()
	var st *stacks.RetrievedStack
	require.Eventually(b.t, func() bool {
		var err error
		st, err = stacks.Find(b.t.Context(), sc, id).Extract()
		return err == nil && !bytes.HasSuffix([]byte(st.Status), []byte("_IN_PROGRESS"))
	}, time.Minute, 20*time.Millisecond)
	require.Equal(b.t, want, st.Status, st.StatusReason)
	return st
}

// lab calls the lab's own API.
func (b *bench) lab(method, path string, body any) (int, map[string]any) {
	b.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(b.t, err)
	return b.raw(method, "/lab"+path, "", bytes.NewReader(raw))
}

func (b *bench) raw(method, path, token string, body io.Reader) (int, map[string]any) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, b.server.URL+path, body)
	require.NoError(b.t, err)
	if token != "" {
		req.Header.Set("X-Auth-Token", token)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, res.Body.Close()) }()
	out := map[string]any{}
	_ = json.NewDecoder(res.Body).Decode(&out) // an answer may have no body
	return res.StatusCode, out
}

// requireEmpty checks that nothing is left of the resources of users.
func (b *bench) requireEmpty() {
	b.t.Helper()
	_, all := b.lab("GET", "/resources", nil)
	for kind, list := range all {
		require.Empty(b.t, list, kind)
	}
	require.Empty(b.t, b.machines.names())
}

// demoProject returns the id of the project demo.
func (b *bench) demoProject() string {
	b.t.Helper()
	token := b.demo().Token()
	_, out := b.raw("GET", "/identity/v3/auth/projects", token, nil)
	return out["projects"].([]any)[0].(map[string]any)["id"].(string)
}
