package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestMovedSecrets_aChangedEndpointOrVerificationBringsItsSecretsAnew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patch string
		want  []string
	}{
		"another endpoint": {
			`{"interfaceInfo":{"endpoint":"https://evil.example/v3"}}`,
			[]string{"$.v.accessInfo.password", "$.v.extra.nested.token"},
		},
		"no verification": {
			`{"interfaceInfo":{"skipCertificateVerification":"true"}}`,
			[]string{"$.v.accessInfo.password", "$.v.extra.nested.token"},
		},
		"another authority": {
			`{"interfaceInfo":{"trustedCertificates":["x"]}}`,
			[]string{"$.v.accessInfo.password", "$.v.extra.nested.token"},
		},
		"verification in the registry's words": {
			`{"accessInfo":{"cert_verify":false}}`,
			[]string{"$.v.accessInfo.password", "$.v.extra.nested.token"},
		},
		"an authority in the registry's words": {
			`{"accessInfo":{"ca_cert":"x"}}`,
			[]string{"$.v.accessInfo.password", "$.v.extra.nested.token"},
		},
		"no endpoint any more": {
			`{"interfaceInfo":null}`,
			[]string{"$.v.accessInfo.password", "$.v.extra.nested.token"},
		},
		"with one of its secrets": {`{"interfaceInfo":{"endpoint":"https://new.example/v3"},"accessInfo":{"password":"new"}}`, []string{"$.v.extra.nested.token"}},
		"with all secrets":        {`{"interfaceInfo":{"endpoint":"https://new.example/v3"},"accessInfo":{"password":"new"},"extra":{"nested":null}}`, nil},
		"the same endpoint":       {`{"interfaceInfo":{"endpoint":"https://cloud.example.com:5000/v3/","skipCertificateVerification":false}}`, nil},
		"a new user":              {`{"accessInfo":{"username":"other","region":"south"}}`, nil},
		"nothing":                 {`null`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := ownConnection()
			old.Extra = map[string]any{"nested": map[string]any{"token": map[string]any{lcm.SecretKey: "vnf/1/token"}}}
			patch := lcm.VimConnectionPatch{ID: "own", Patch: json.RawMessage(c.patch)}
			var got []string
			for _, p := range patch.MovedSecrets("$.v", old) {
				require.Contains(t, p.Detail, "must be given again")
				got = append(got, p.Path)
			}
			require.ElementsMatch(t, c.want, got)
			err := lcm.KeepSecrets([]lcm.VimConnectionPatch{patch}, lcm.VnfInstance{VimConnections: []lcm.VimConnectionInfo{old}})
			require.Equal(t, len(c.want) > 0, lcm.Is(err, lcm.KindInvalid), "%v", err)
			require.Empty(t, patch.MovedSecrets("$.v", lcm.VimConnectionInfo{ID: "own"}), "a new connection has no secrets yet")
		})
	}
}

func TestVimMovedSecrets_aChangedVerificationBringsItsSecretsAnew(t *testing.T) {
	t.Parallel()
	vim := lcm.Vim{AuthCred: map[string]any{
		"username": "nfv", "password": map[string]any{lcm.SecretKey: "vim/1/password"}, "cert_verify": "True",
	}}
	for name, c := range map[string]struct {
		given map[string]any
		want  []string
	}{
		"nothing":                        {nil, nil},
		"a user":                         {map[string]any{"username": "other"}, nil},
		"no verification":                {map[string]any{"cert_verify": "False"}, []string{"$.password"}},
		"an authority":                   {map[string]any{"ca_cert": "x"}, []string{"$.password"}},
		"the same in other words":        {map[string]any{"cert_verify": true}, nil},
		"no verification, with a secret": {map[string]any{"cert_verify": false, "password": "new"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range vim.MovedSecrets("$", c.given) {
				got = append(got, p.Path)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestElsewhereThan_comparesTheAddress(t *testing.T) {
	t.Parallel()
	vim := lcm.Vim{AuthURL: "https://Cloud.example:5000/identity"}
	at := func(endpoint string, access map[string]any) bool {
		return lcm.VimConnectionInfo{
			InterfaceInfo: map[string]any{"endpoint": endpoint},
			AccessInfo:    access,
		}.ElsewhereThan(vim)
	}
	require.False(t, at("https://cloud.example:5000/identity/v3", nil))
	require.False(t, at("", nil))
	require.True(t, at("http://cloud.example:5000/identity/v3", nil), "without TLS")
	require.True(t, at("https://evil.example:5000/v3", map[string]any{"username": "nfv"}))
	require.False(t, at("https://other.example:5000/v3", map[string]any{"password": "own"}))
}
