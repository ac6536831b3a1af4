package vims

import (
	"testing"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestVimLooksAsClientsExpect(t *testing.T) {
	apitest.Golden(t, "vim", viewOfVim(lcm.Vim{
		ID: "7dc3c839-bf15-45ac-8dff-fc5b95c2940e", Name: "lab", Type: lcm.VimOpenStack,
		AuthURL:  "http://192.0.2.5/identity/v3",
		AuthCred: map[string]any{"username": "nfv", "password": map[string]any{lcm.SecretKey: "vim/x/password"}},
		Project:  map[string]any{"name": "nfv"}, Regions: []string{"RegionOne"}, IsDefault: true, Status: "REACHABLE",
		Created: apitest.At, Updated: apitest.At.Add(time.Hour),
	}))
}
