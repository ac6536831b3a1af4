package worker

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// keystone issues tokens whose catalog has every service at Keystone's own address, and counts the revoked tokens.
func keystone(t *testing.T) (url string, revoked *atomic.Int32) {
	t.Helper()
	revoked = &atomic.Int32{}
	var catalog []string
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, service := range []string{"orchestration", "compute", "network"} {
		catalog = append(catalog, `{"type":"`+service+`","name":"`+service+`","id":"1","endpoints":[{"id":"1","interface":"public","region":"R","region_id":"R","url":"`+server.URL+`/`+service+`"}]}`)
	}
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "a-token")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"token":{"expires_at":"2099-01-01T00:00:00.000000Z","catalog":[` +
			strings.Join(catalog, ",") + `]}}`))
	})
	mux.HandleFunc("DELETE /v3/auth/tokens", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Subject-Token") == "a-token" {
			revoked.Add(1)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return server.URL + "/v3", revoked
}

func TestClouds_logoutRevokesEveryTokenOnce(t *testing.T) {
	url, revoked := keystone(t)
	c := &connections{open: map[string]*login{}}
	for _, vim := range []string{"one", "two"} {
		cred := map[string]any{"username": "u", "password": "p", "user_domain_name": "Default"}
		cloud, err := openstack.Connect(t.Context(), lcm.Vim{
			Name: vim, AuthURL: url, Project: map[string]any{"name": "p", "project_domain_name": "Default"},
		}, cred, outbound.Guard{})
		require.NoError(t, err)
		c.keep(vim, cloud)
	}
	require.NoError(t, c.logout(t.Context()))
	require.NoError(t, c.logout(t.Context()), "a second stop has nothing to do")
	assert.EqualValues(t, 2, revoked.Load())
	assert.Empty(t, c.open)
}
