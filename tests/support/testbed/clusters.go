package testbed

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// RegisterCluster registers a Kubernetes cluster as a VIM with this name, and with the namespace "default".
func (b *Bed) RegisterCluster(t testing.TB, name, url, ca, token string) (id string) {
	t.Helper()
	a := b.Call(t, http.MethodPost, "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": name, "type": "kubernetes", "auth_url": url,
		"auth_cred":   map[string]any{"bearer_token": token, "ssl_ca_cert": ca},
		"vim_project": map[string]any{"name": "default"},
	}})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	var out struct {
		Vim struct {
			ID string `json:"id"`
		} `json:"vim"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out.Vim.ID
}
