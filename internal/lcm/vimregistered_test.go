package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestRegistered_isAskedForOnlyWhereTheConnectionDoesNotSayAll(t *testing.T) {
	t.Parallel()
	endpoint := map[string]any{"endpoint": "https://cloud.example.com:5000/v3"}
	secret := map[string]any{lcm.SecretKey: "vnf/1/password"}
	for name, c := range map[string]struct {
		interfaceInfo, accessInfo map[string]any
		complete                  bool
	}{
		"nothing":           {nil, nil, false},
		"an endpoint":       {endpoint, nil, false},
		"credentials":       {nil, map[string]any{"username": "u", "password": secret, "project": "p"}, false},
		"no secret":         {endpoint, map[string]any{"username": "u", "region": "r"}, false},
		"an empty secret":   {endpoint, map[string]any{"username": "u", "password": ""}, false},
		"an empty endpoint": {map[string]any{"endpoint": ""}, map[string]any{"password": secret}, false},
		"both":              {endpoint, map[string]any{"username": "u", "password": secret, "project": "p"}, true},
		"an application's": {endpoint, map[string]any{
			"application_credential_id":     "i",
			"application_credential_secret": secret,
		}, true},
		"both, with a mistake":     {endpoint, map[string]any{"password": secret}, true},
		"what is no interfaceInfo": {map[string]any{"key1": "value1"}, map[string]any{"key1": "value1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection := lcm.VimConnectionInfo{
				ID: "own", VimID: "v", VimType: lcm.VimOpenStack, InterfaceInfo: c.interfaceInfo,
				AccessInfo: c.accessInfo,
			}
			require.Equal(t, c.complete, connection.Complete())
			want := lcm.VimID("v")
			if c.complete {
				want = ""
			}
			require.Equal(t, want, connection.Registered())
			require.Equal(t, name == "nothing", connection.Bare())
		})
	}
}

func TestOwnVim_ofTheSecondKeystone(t *testing.T) {
	t.Parallel()
	c := lcm.VimConnectionInfo{
		ID: "own", VimType: "ETSINFV.OPENSTACK_KEYSTONE.V_2",
		InterfaceInfo: map[string]any{"endpoint": "http://cloud.example.com/identity"},
		AccessInfo:    map[string]any{"username": "nfv", "password": "x", "region": "north", "tenant": "edge"},
	}
	require.Empty(t, c.OwnProblems("$"))
	vim := c.OwnVim("v")
	require.Equal(t, []any{"edge", nil}, []any{vim.AuthCred["project_name"], vim.Project["id"]})

	for _, id := range []string{"0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdef"} {
		c.AccessInfo["tenant"] = id
		vim = c.OwnVim("v")
		require.Equal(t, map[string]any{"id": id}, vim.Project, "Tacker's clients send the project's id")
		require.NotContains(t, vim.AuthCred, "project_name")
	}
	c.AccessInfo["project"] = "core"
	vim = c.OwnVim("v")
	require.Equal(t, []any{"core", 0}, []any{vim.AuthCred["project_name"], len(vim.Project)},
		"the third Keystone's name goes first")

	c.AccessInfo = map[string]any{"username": "nfv", "password": "x", "tenant": 7}
	problems := c.OwnProblems("$")
	require.Len(t, problems, 1)
	require.Equal(t, "$.accessInfo.tenant", problems[0].Path)
	delete(c.AccessInfo, "tenant")
	require.Equal(t, "$.accessInfo.project", c.OwnProblems("$")[0].Path)
}
