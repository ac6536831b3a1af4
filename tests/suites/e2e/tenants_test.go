package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// tenants is a Windlass whose clients have tokens for projects. The bed is always a client of one project.
type tenants struct {
	*bed
	key    *ecdsa.PrivateKey
	issuer string
	trap   *trap
}

// newTenants starts a lab and a Windlass for clients of several projects. The lab is registered for "edge".
func newTenants(t *testing.T) *tenants {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	w := &tenants{key: key}
	mux := http.NewServeMux()
	answer := func(path string, body func() any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(body()) })
	}
	answer("/.well-known/openid-configuration",
		func() any { return map[string]string{"issuer": w.issuer, "jwks_uri": w.issuer + "/keys"} })
	answer("/keys", func() any {
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Use: "sig", Algorithm: "ES256"}}}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.issuer = server.URL
	t.Setenv("WINDLASS_AUTH_MODE", "oauth2")
	t.Setenv("WINDLASS_AUTH_OAUTH2_ISSUER", w.issuer)
	t.Setenv("WINDLASS_AUTH_OAUTH2_AUDIENCE", "windlass")
	w.become(t, "edge")
	w.bed = newBed(t, "fake", "--image-alias", "tiny")
	return w
}

// become makes the bed, and the command line client, a client of that project.
func (w *tenants) become(t *testing.T, project string) {
	t.Helper()
	now := time.Now()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: w.key},
		(&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "k"))
	require.NoError(t, err)
	token, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": w.issuer, "aud": "windlass", "exp": now.Add(2 * time.Hour).Unix(), "iat": now.Unix(), "sub": "nfvo-of-" +
			project,
		"client_id": "nfvo-of-" + project, "scope": "windlass:write", "project_id": project,
	}).Serialize()
	require.NoError(t, err)
	t.Setenv(testbed.Token, token)
}

// trap is the cloud of the project default. It is the lab's own cloud, at an address that counts its calls: after the
// registration there must be none.
type trap struct {
	url   string
	calls atomic.Int64
}

// asTrap changes the product names of the packages of these tests. So a VNF that was made of a wrong package can be
// recognised.
var asTrap = strings.NewReplacer(
	"Kubernetes cluster", "Trap", "product_name: Server", "product_name: Trap", "[ Server ]",
	"[ Trap ]", "default: Server", "default: Trap",
)

// setTraps fills the project default with objects that an operation of another project must not find: VIMs with the
// same names, one of them the default one, and packages with the same VNFDs.
func (w *tenants) setTraps(t *testing.T, names []string, packages ...string) {
	t.Helper()
	w.become(t, "default")
	defer w.become(t, "edge")
	lab, err := url.Parse(w.Cloud.Login().AuthURL)
	require.NoError(t, err)
	w.trap = &trap{}
	proxy := testbed.Proxy(&url.URL{Scheme: lab.Scheme, Host: lab.Host})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.trap.calls.Add(1)
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	w.trap.url = server.URL + lab.Path
	for i, name := range names {
		body := w.Cloud.Login().Vim(name)
		vim := body["vim"].(map[string]any)
		vim["auth_url"], vim["is_default"] = w.trap.url, i == 0
		a := w.Call(t, http.MethodPost, "/v1.0/vims", body)
		require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	}
	for _, dir := range packages {
		w.Onboard(t, w.ChangedPackage(t, dir, asTrap))
	}
	require.NotZero(t, w.trap.calls.Swap(0), "the trap's registration was tried")
}

// vimOf returns the id of a project's VIM with that name.
func (w *tenants) vimOf(t *testing.T, project, name string) string {
	t.Helper()
	w.become(t, project)
	defer w.become(t, "edge")
	vims := w.Get(t, "/v1.0/vims?name="+name)["vims"].([]any)
	require.Len(t, vims, 1, "%s has one VIM %s", project, name)
	return vims[0].(map[string]any)["id"].(string)
}

// requireUntouched checks that nobody has logged in at the trap, and that the project default has only its traps.
func (w *tenants) requireUntouched(t *testing.T, vims int) {
	t.Helper()
	require.Zero(t, w.trap.calls.Load(), "somebody has logged in at the cloud of project default")
	w.become(t, "default")
	defer w.become(t, "edge")
	require.Len(t, w.Get(t, "/v1.0/vims")["vims"], vims)
	for _, list := range []string{"vnf_instances", "vnf_lcm_op_occs", "subscriptions"} {
		a := w.Call(t, http.MethodGet, "/vnflcm/v1/"+list, nil)
		require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
		require.JSONEq(t, "[]", string(a.Body), list)
	}
	a := w.Call(t, http.MethodGet, "/vnfpkgm/v1/vnf_packages", nil)
	require.NotContains(t, string(a.Body), `"usageState":"IN_USE"`, "a VNF of another project uses a package of default")
}
