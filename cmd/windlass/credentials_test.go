package main

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// guarded returns lists of VNFs, page by page, to clients with this header.
func guarded(t *testing.T, name, value string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get(name) != value {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"status":401,"title":"Unauthorized","detail":"The request does not say who sends it."}`))
			return
		}
		items := []map[string]string{}
		if r.URL.Query().Get("nextpage_opaque_marker") == "" {
			// As behind a proxy, the API's own name differs.
			w.Header().Set("Link", `<https://vnfm.example/vnflcm/v1/vnf_instances?nextpage_opaque_marker=x>; rel="next"`)
		} else {
			items = append(items, map[string]string{"id": "second-page", "instantiationState": "NOT_INSTANTIATED"})
		}
		assert.NoError(t, json.NewEncoder(w).Encode(items))
	})
}

func TestCredentials_aToken(t *testing.T) {
	api := guarded(t, "Authorization", "Bearer secret-1")
	got := windlass(t, api, "vnf", "list")
	assert.Equal(t, "windlass: The request does not say who sends it.\n", got.err)
	t.Setenv("WINDLASS_TOKEN", "secret-1")
	got = windlass(t, api, "vnf", "list")
	require.Zero(t, got.code, got.err)
	assert.Contains(t, got.out, "second-page", "pages are asked for where the API is reached")
	t.Setenv("WINDLASS_TOKEN", "")
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("secret-1\n"), 0o600))
	t.Setenv("WINDLASS_TOKEN_FILE", file)
	got = windlass(t, api, "vnf", "list")
	require.Zero(t, got.code, got.err)
	got = windlass(t, api, "vnf", "list", "--auth=none")
	assert.Equal(t, 1, got.code)
	t.Setenv("WINDLASS_TOKEN_FILE", file+"-absent")
	got = windlass(t, api, "vnf", "list")
	assert.Equal(t, exitUsage, got.code, got.err)
}

func TestCredentials_oauth2(t *testing.T) {
	asked := 0
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "application/json")
		asked++
		if id != "nfvo" || secret != "hunter2" || r.FormValue("scope") != "vnflcm:v1:all vnfpkgm:v1:all" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"Nobody of that name."}`))
			return
		}
		_, _ = w.Write([]byte(`{"access_token":"issued","token_type":"Bearer","expires_in":3600}`))
	}))
	t.Cleanup(issuer.Close)
	api := guarded(t, "Authorization", "Bearer issued")
	t.Setenv("WINDLASS_OAUTH2_TOKEN_URL", issuer.URL)
	got := windlass(t, api, "vnf", "list")
	assert.Contains(t, got.err, "WINDLASS_OAUTH2_CLIENT_ID")
	t.Setenv("WINDLASS_OAUTH2_CLIENT_ID", "nfvo")
	t.Setenv("WINDLASS_OAUTH2_CLIENT_SECRET", "hunter2")
	t.Setenv("WINDLASS_OAUTH2_SCOPES", "vnflcm:v1:all vnfpkgm:v1:all")
	got = windlass(t, api, "vnf", "list")
	require.Zero(t, got.code, got.err)
	assert.Equal(t, 1, asked, "one token for two pages")
	t.Setenv("WINDLASS_OAUTH2_SCOPES", "everything")
	got = windlass(t, api, "vnf", "list")
	assert.Equal(t, "windlass: The token endpoint "+issuer.URL+" gives no token: Nobody of that name.\n", got.err)
	assert.NotContains(t, got.err, "hunter2")
}

func TestCredentials_keystone(t *testing.T) {
	keystone := httptest.NewServer(nil)
	t.Cleanup(keystone.Close)
	keystone.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v3/auth/tokens" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		var asked map[string]any
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&asked))
		scope := asked["auth"].(map[string]any)["scope"].(map[string]any)["project"].(map[string]any)
		assert.Equal(t, "edge", scope["name"])
		w.Header().Set("X-Subject-Token", "gAAAA")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"token":{"expires_at":"2100-01-01T00:00:00.000000Z","catalog":[]}}`))
	})
	for name, value := range map[string]string{
		"WINDLASS_AUTH": "keystone", "OS_AUTH_URL": keystone.URL + "/v3", "OS_USERNAME": "nfv",
		"OS_PASSWORD": "hunter2", "OS_PROJECT_NAME": "edge", "OS_TOKEN": "", "OS_PROJECT_ID": "",
		"OS_APPLICATION_CREDENTIAL_ID": "", "OS_USER_ID": "", "OS_USER_DOMAIN_ID": "", "OS_PROJECT_DOMAIN_ID": "",
	} {
		t.Setenv(name, value)
	}
	got := windlass(t, guarded(t, "X-Auth-Token", "gAAAA"), "vnf", "list")
	require.Zero(t, got.code, got.err)
	t.Setenv("OS_TOKEN", "gBBBB")
	got = windlass(t, guarded(t, "X-Auth-Token", "gBBBB"), "vnf", "list")
	require.Zero(t, got.code, got.err)
	t.Setenv("OS_TOKEN", "")
	t.Setenv("OS_AUTH_URL", "")
	got = windlass(t, guarded(t, "X-Auth-Token", "gAAAA"), "vnf", "list")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "OS_AUTH_URL")
	got = windlass(t, guarded(t, "", ""), "vnf", "list", "--auth=kerberos")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.err, "--auth must be")
}

func TestCredentials_aCertificateAndThatOfTheAPI(t *testing.T) {
	api := httptest.NewTLSServer(guarded(t, "", ""))
	t.Cleanup(api.Close)
	got := command(t, "", "vnf", "list", "--api", api.URL)
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "certificate")
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw}),
		0o600))
	got = command(t, "", "vnf", "list", "--api", api.URL, "--ca-cert", ca)
	require.Zero(t, got.code, got.err)
	got = command(t, "", "vnf", "list", "--api", api.URL, "--ca-cert", ca, "--client-cert", ca)
	assert.Equal(t, exitUsage, got.code, "there is no key in it")
}
