package login_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	_ "github.com/windlass-nfv/windlass/internal/vim/kinds"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
)

const (
	k8sAuthority = "-----BEGIN CERTIFICATE-----\nMIIB\nAAAA\n-----END CERTIFICATE-----\n"
	k8sKey       = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"
)

func sealedAs(ref string) map[string]any { return map[string]any{lcm.SecretKey: ref} }

func kubernetesConnection(accessInfo map[string]any) lcm.VimConnectionInfo {
	return lcm.VimConnectionInfo{
		ID: "k8s", VimID: "any", VimType: "ETSINFV.KUBERNETES.V_1",
		InterfaceInfo: map[string]any{"endpoint": "https://192.0.2.7:6443", "ssl_ca_cert": k8sAuthority},
		AccessInfo:    accessInfo, Extra: map[string]any{"dummy-key": "dummy-val"},
	}
}

func TestOwnVim_ofAKubernetes(t *testing.T) {
	t.Parallel()
	for name, accessInfo := range map[string]map[string]any{
		"a token":       {"bearer_token": sealedAs("t")},
		"a password":    {"username": "nfv", "password": sealedAs("p")},
		"a certificate": {"client_certificate": k8sAuthority, "client_key": sealedAs("k")},
		"OpenID Connect": {
			"oidc_token_url": "https://issuer.example/token", "username": "nfv", "password": sealedAs("p"),
			"client_id": "windlass", "client_secret": sealedAs("s"),
		},
	} {
		c := kubernetesConnection(accessInfo)
		require.Empty(t, c.OwnProblems("$"), name)
		require.True(t, c.Complete(), "%s: its own data are used, whatever its vimId is", name)
		vim := c.OwnVim("v")
		require.Equal(t, []any{lcm.VimID("v"), "k8s", lcm.VimKubernetes, "https://192.0.2.7:6443", "default", c.Extra},
			[]any{vim.ID, vim.Name, vim.Type, vim.AuthURL, vim.Namespace(), vim.Extra})
		accessInfo["ssl_ca_cert"] = k8sAuthority
		require.Equal(t, accessInfo, vim.AuthCred, name)
	}

	c := kubernetesConnection(map[string]any{
		"bearer_token": "t", "region": "RegionOne", "project_name": "other", "namespace": "edge",
	})
	c.InterfaceInfo = map[string]any{"endpoint": "https://k", "skipCertificateVerification": "true"}
	require.Empty(t, c.OwnProblems("$"))
	vim := c.OwnVim("v")
	require.Equal(t, map[string]any{"bearer_token": "t", "ssl_ca_cert": "None"}, vim.AuthCred)
	require.Equal(t, "edge", vim.Namespace())
	c.InterfaceInfo = map[string]any{"endpoint": "https://k", "trustedCertificates": []any{k8sAuthority}}
	require.Equal(t, k8sAuthority, c.OwnVim("v").AuthCred["ssl_ca_cert"])
}

func TestOwnProblems_ofAKubernetes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*lcm.VimConnectionInfo)
		want   []string
	}{
		"no endpoint":    {func(c *lcm.VimConnectionInfo) { c.InterfaceInfo = nil }, []string{"$.interfaceInfo.endpoint"}},
		"no credentials": {func(c *lcm.VimConnectionInfo) { c.AccessInfo = nil }, []string{"$.accessInfo.bearer_token"}},
		"two ways": {
			func(c *lcm.VimConnectionInfo) { c.AccessInfo["client_key"] = k8sKey },
			[]string{"$.accessInfo.client_certificate"},
		},
		"half a way": {
			func(c *lcm.VimConnectionInfo) { c.AccessInfo = map[string]any{"password": "x"} },
			[]string{"$.accessInfo.username"},
		},
		"two authorities": {
			func(c *lcm.VimConnectionInfo) { c.AccessInfo["ssl_ca_cert"] = "None" },
			[]string{"$.interfaceInfo.ssl_ca_cert"},
		},
		"values that are no texts": {func(c *lcm.VimConnectionInfo) {
			c.AccessInfo["bearer_token"], c.InterfaceInfo["ssl_ca_cert"] = 7, true
			c.AccessInfo["namespace"] = []any{}
		}, []string{"$.accessInfo.bearer_token", "$.interfaceInfo.ssl_ca_cert", "$.accessInfo.namespace"}},
		"no namespace": {
			func(c *lcm.VimConnectionInfo) { c.AccessInfo["project_name"] = "My_Project" },
			[]string{"$.accessInfo.project_name"},
		},
		"an encrypted key": {func(c *lcm.VimConnectionInfo) {
			c.AccessInfo = map[string]any{
				"client_certificate": k8sAuthority, "client_key": strings.ReplaceAll(k8sKey, "PRIVATE", "ENCRYPTED PRIVATE"),
			}
		}, []string{"$.accessInfo.client_key"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection := kubernetesConnection(map[string]any{"bearer_token": sealedAs("t")})
			c.change(&connection)
			var got []string
			for _, p := range connection.OwnProblems("$") {
				got = append(got, p.Path)
			}
			require.ElementsMatch(t, c.want, got)
		})
	}
}

// TestMovedSecrets_ofAnIssuer checks that a password for one issuer is not sent to another.
func TestMovedSecrets_ofAnIssuer(t *testing.T) {
	t.Parallel()
	old := kubernetesConnection(map[string]any{
		"oidc_token_url": "https://issuer.example", "username": "nfv", "password": sealedAs("p"), "client_id": "w",
	})
	patch := func(accessInfo string) (paths []string) {
		p := lcm.VimConnectionPatch{ID: old.ID, Patch: json.RawMessage(`{"accessInfo":` + accessInfo + `}`)}
		for _, problem := range p.MovedSecrets("$", old) {
			paths = append(paths, problem.Path)
		}
		return paths
	}
	require.Equal(t, []string{"$.accessInfo.password"}, patch(`{"oidc_token_url":"https://evil.example"}`))
	require.Empty(t, patch(`{"client_id":"x"}`))
}

func TestChange_givesUpTheFormerWay(t *testing.T) {
	t.Parallel()
	openID := map[string]any{"oidc_token_url": "https://i", "username": "u", "password": "p", "client_id": "c"}
	password := map[string]any{"username": "u", "password": "new"}
	token := map[string]any{"bearer_token": "t", "ssl_ca_cert": "None"}
	require.Equal(t, password, login.Kind.Credentials.Change(openID, password), "a new password of OpenID Connect")
	require.Equal(t, map[string]any{
		"oidc_token_url": nil, "username": nil, "password": nil, "client_id": nil, "client_secret": nil, "bearer_token": "t",
		"ssl_ca_cert": "None",
	}, login.Kind.Credentials.Change(openID, token))
	require.Equal(t, map[string]any{"bearer_token": nil, "username": "u", "password": "new"}, login.Kind.Credentials.Change(token, password))
	require.Equal(t, map[string]any{"ssl_ca_cert": "x"}, login.Kind.Credentials.Change(token, map[string]any{"ssl_ca_cert": "x"}))
}

func TestWarnings_tellWhoReadsTheSecrets(t *testing.T) {
	t.Parallel()
	warnings := func(url string, cred map[string]any) string { return strings.Join(login.Warnings(url, cred), " ") }
	require.Contains(t, warnings("https://k", nil), "There is no ssl_ca_cert")
	require.Contains(t, warnings("https://k", map[string]any{"ssl_ca_cert": "None"}), "is None")
	require.Contains(t, warnings("http://k", nil), "The address is http")
	require.Empty(t, warnings("https://k", map[string]any{"ssl_ca_cert": k8sAuthority}))
	require.Contains(t, warnings("https://k", map[string]any{"ssl_ca_cert": k8sAuthority, "oidc_token_url": "http://i"}),
		"oidc_token_url is http")
}
