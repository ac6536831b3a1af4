package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// aTacker is Keystone and Tacker on one server. Tacker accepts the tokens that Keystone has issued.
func aTacker(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "of-keystone")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"token": {"expires_at": "2099-01-01T00:00:00.000000Z", "catalog": []}}`))
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Auth-Token") != "of-keystone":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1.0/vims":
			_, _ = w.Write([]byte(`{"vims": [{"id": "1", "name": "north", "type": "openstack", "auth_url": "http://k/v3"}]}`))
		default:
			_, _ = w.Write([]byte(`[]`))
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestMigrateCheck(t *testing.T) {
	tacker := aTacker(t)
	for name, value := range map[string]string{
		"OS_AUTH_URL": tacker.URL + "/v3", "OS_USERNAME": "nfv", "OS_PASSWORD": "secret", "OS_PROJECT_NAME": "nfv",
	} {
		t.Setenv(name, value)
	}
	got := command(t, "", "migrate-check", "--tacker", tacker.URL+"/")
	require.Zero(t, got.code, got.err)
	assert.Contains(t, got.out, "VIM   north  1   NEEDS_WORK  Register it anew")
	assert.Contains(t, got.out, "0 carry over, 1 need work, 0 stay behind.")

	got = command(t, "", "migrate-check", "--tacker", tacker.URL, "-o", "json")
	require.Zero(t, got.code, got.err)
	assert.True(t, json.Valid([]byte(got.out)), got.out)
}

func TestMigrateCheck_tellsWhatIsWrong(t *testing.T) {
	tacker := aTacker(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, `--tacker must be a URL like http://controller:9890, not "".`},
		{[]string{"--tacker", "controller:9890"}, exitUsage, "--tacker must be a URL"},
		{[]string{"--tacker", tacker.URL}, 1, "does not let you read /vnfpkgm/v1/vnf_packages: it answers 401"},
		{[]string{"--tacker", tacker.URL, "-o", "xml"}, exitUsage, "--output must be table, wide, name, json, yaml"},
		{[]string{"--tacker", tacker.URL, "--ca-cert", "/nowhere"}, exitUsage, "/nowhere"},
		{[]string{"--tacker", "http://127.0.0.1:1"}, 1, "Tacker at http://127.0.0.1:1 does not answer"},
	} {
		got := command(t, "", append([]string{"migrate-check"}, c.args...)...)
		assert.Equal(t, c.code, got.code, "%v", c.args)
		assert.Contains(t, got.err, c.says, "%v", c.args)
	}
}
