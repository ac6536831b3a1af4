package apiserver

import (
	"encoding/base64"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/apiserver/vims"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	somePEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
	someKey = "-----BEGIN EC PRIVATE KEY-----\n" + marker64 + "\n-----END EC PRIVATE KEY-----\n"
	// marker64 is the marker for values that allow only letters and digits.
	marker64 = "s3cr3tKey"
)

// registerKubernetes registers a Kubernetes VIM with a token.
func (b *bench) registerKubernetes(name string) (path string) {
	b.Helper()
	made := b.registerCredentials(name, map[string]any{"bearer_token": marker, "ssl_ca_cert": "None"}).
		want(http.StatusCreated)["vim"].(map[string]any)
	return "/v1.0/vims/" + made["id"].(string)
}

func (b *bench) registerCredentials(name string, cred map[string]any) answer {
	b.Helper()
	return b.do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": name, "type": "kubernetes", "auth_url": "https://192.0.2.7:6443", "auth_cred": cred,
		"vim_project": map[string]any{"name": "default"},
	}})
}

// TestKubernetes_isRegisteredWithTheFilesOfTackersUsers sends the files in the specification of Kubernetes as a VIM, as
// Tacker's client does: with a token, with a password, and with a token but no CA.
func TestKubernetes_isRegisteredWithTheFilesOfTackersUsers(t *testing.T) {
	for _, names := range [][]string{{"vim-token.yaml"}, {"vim-password.yaml"}, {"vim-token.yaml", "vim-no-ca.yaml"}} {
		b := newBench(t)
		flat := map[string]any{}
		for _, name := range names { // a member of the second file replaces that of the first
			text, err := os.ReadFile("../internal/vim/kubernetes/testdata/" + name)
			require.NoError(t, err)
			require.NoError(t, yaml.Unmarshal(text, &flat))
		}
		vim := map[string]any{
			"name": "k8s", "type": flat["type"], "auth_url": flat["auth_url"],
			"vim_project": map[string]any{"name": flat["project_name"]},
		}
		for _, key := range []string{"type", "auth_url", "project_name"} {
			delete(flat, key)
		}
		vim["auth_cred"] = flat
		made := b.do("POST", "/v1.0/vims.json", map[string]any{"vim": vim}).want(http.StatusCreated)["vim"].(map[string]any)
		require.Equal(t, []any{"REACHABLE", "https://192.168.11.110:6443", map[string]any{"name": "default"}},
			[]any{made["status"], made["auth_url"], made["vim_project"]})
		for _, key := range []string{"bearer_token", "password"} {
			if flat[key] != nil {
				require.Equal(t, "***", made["auth_cred"].(map[string]any)[key])
			}
		}
		require.Equal(t, flat, b.vims.seen[0])
		require.Len(t, sealed(b), 1)
	}
}

func TestKubernetes_isRegisteredByAKubeconfig(t *testing.T) {
	b := newBench(t)
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	kubeconfig := strings.NewReplacer("CERT", encoded(somePEM), "KEY", encoded(someKey)).Replace(`
current-context: edge
contexts: [{name: edge, context: {cluster: lab, user: nfv, namespace: cnf}}]
clusters: [{name: lab, cluster: {server: "https://192.0.2.7:6443", certificate-authority-data: CERT}}]
users: [{name: nfv, user: {client-certificate-data: CERT, client-key-data: KEY}}, {name: other, user: {token: ` + marker + `}}]`)
	request := map[string]any{"name": "k8s", "type": "kubernetes", "auth_cred": map[string]any{"kubeconfig": kubeconfig}}
	made := b.do("POST", "/v1.0/vims", map[string]any{"vim": request}).want(http.StatusCreated)["vim"].(map[string]any)
	require.Equal(t, map[string]any{"client_certificate": somePEM, "client_key": "***", "ssl_ca_cert": somePEM},
		made["auth_cred"])
	require.Equal(t, []any{"https://192.0.2.7:6443", map[string]any{"name": "cnf"}},
		[]any{made["auth_url"], made["vim_project"]})
	require.Len(t, sealed(b), 1, "only the key of the context that is current")
	require.Equal(t, someKey, b.vims.seen[0]["client_key"])

	path := "/v1.0/vims/" + made["id"].(string)
	elsewhere := strings.Replace(kubeconfig, "192.0.2.7", "192.0.2.8", 1)
	put := func(cred map[string]any) answer {
		return b.do("PUT", path, map[string]any{"vim": map[string]any{"auth_cred": cred}})
	}
	refused := put(map[string]any{"kubeconfig": elsewhere})
	require.Equal(t, "InvalidInput", tackerType(refused, http.StatusBadRequest))
	require.Contains(t, string(refused.Body), "not for the VIM's auth_url")
	put(map[string]any{"kubeconfig": kubeconfig}).want(http.StatusOK)

	delete(request, "auth_cred")
	request["auth_cred"] = map[string]any{"bearer_token": marker}
	refused = b.do("POST", "/v1.0/vims", map[string]any{"vim": request})
	require.Equal(t, "InvalidInput", tackerType(refused, http.StatusBadRequest))
	require.Contains(t, string(refused.Body), "$.vim.auth_url")
}

func TestKubernetes_isNotRegisteredWithWhatNobodyCanLogInWith(t *testing.T) {
	b := newBench(t)
	for at, cred := range map[string]map[string]any{
		"auth_cred.bearer_token":       {"ssl_ca_cert": "None"},
		"auth_cred.username":           {"bearer_token": marker, "username": "nfv", "password": marker},
		"auth_cred.password":           {"username": "nfv"},
		"auth_cred.client_key":         {"client_certificate": somePEM},
		"auth_cred.client_certificate": {"client_certificate": marker, "client_key": someKey},
		"auth_cred.client_id":          {"oidc_token_url": "https://i", "username": "nfv", "password": marker},
		"auth_cred.oidc_token_url":     {"oidc_token_url": "ldap://i", "username": "nfv", "password": marker, "client_id": "w"},
		"auth_cred.ssl_ca_cert":        {"bearer_token": marker, "ssl_ca_cert": "/etc/ssl/" + marker},
		"auth_cred.cert_verify":        {"bearer_token": marker, "cert_verify": "False"},
		"auth_cred.kubeconfig":         {"kubeconfig": "users: [" + marker},
	} {
		refused := b.registerCredentials("k8s", cred)
		require.Equal(t, "InvalidInput", tackerType(refused, http.StatusBadRequest), at)
		require.Contains(t, string(refused.Body), "$.vim."+at)
	}
	refused := b.do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "k8s", "type": "kubernetes", "auth_url": "https://k", "auth_cred": map[string]any{"bearer_token": marker},
		"vim_project": map[string]any{"name": "My Project"},
	}})
	require.Contains(t, string(refused.Body), "$.vim.vim_project.name")
	require.Empty(t, b.vims.seen)
	require.Empty(t, sealed(b))
}

func TestKubernetes_showsWhatItWasFoundToHave(t *testing.T) {
	b := newBench(t)
	b.vims.regions, b.vims.version, b.vims.warnings = []string{"default", "edge"}, "v1.34.1", []string{"No right to get pods."}
	path := b.registerKubernetes("k8s")
	vim := b.do("GET", path, nil).want(http.StatusOK)["vim"].(map[string]any)
	require.Equal(t, map[string]any{"regions": []any{"default", "edge"}, "version": "v1.34.1"}, vim["placement_attr"])
	require.Equal(t, []any{"No right to get pods."}, vim["warnings"])
	require.NotContains(t, vim, "status_reason")
	require.Contains(t, b.log.String(), "No right to get pods.")
}

// TestKubernetes_changesTheWayToLogIn changes the authentication method. The credentials of the former method must be
// removed.
func TestKubernetes_changesTheWayToLogIn(t *testing.T) {
	b := newBench(t)
	path := b.registerKubernetes("k8s")
	put := func(cred map[string]any) answer {
		return b.do("PUT", path, map[string]any{"vim": map[string]any{"auth_cred": cred}})
	}
	shown := func(a answer) any { return a.want(http.StatusOK)["vim"].(map[string]any)["auth_cred"] }
	require.Equal(t, map[string]any{"bearer_token": "***", "ssl_ca_cert": "None"},
		shown(put(map[string]any{"bearer_token": marker + "-rotated"})))
	require.Equal(t, marker+"-rotated", b.vims.seen[len(b.vims.seen)-1]["bearer_token"])
	require.Len(t, sealed(b), 1)

	openID := map[string]any{
		"oidc_token_url": "https://issuer.example/token", "username": "nfv", "password": marker, "client_id": "windlass",
	}
	require.Equal(t, map[string]any{
		"oidc_token_url": "https://issuer.example/token", "username": "nfv", "password": "***", "client_id": "windlass",
		"ssl_ca_cert": "None",
	}, shown(put(openID)))
	require.Len(t, sealed(b), 1, "the token is forgotten")

	refused := put(map[string]any{"oidc_token_url": "https://evil.example/token"})
	require.Equal(t, "InvalidInput", tackerType(refused, http.StatusBadRequest))
	require.Contains(t, string(refused.Body), "$.vim.auth_cred.password: must be given again")
	refused = put(map[string]any{"ssl_ca_cert": somePEM})
	require.Contains(t, string(refused.Body), "must be given again")
	require.Equal(t, map[string]any{"bearer_token": "***", "ssl_ca_cert": somePEM},
		shown(put(map[string]any{"bearer_token": marker, "ssl_ca_cert": somePEM})))
	tried := len(b.vims.seen)
	put(map[string]any{"client_id": "windlass"}).want(http.StatusBadRequest)
	require.Len(t, b.vims.seen, tried)
}

func TestKubernetes_refusesADeniedIssuer(t *testing.T) {
	b := newBench(t, withDenied)
	a := b.registerCredentials("k8s", map[string]any{
		"oidc_token_url": "http://169.254.169.254/token", "username": "nfv", "password": marker, "client_id": "windlass",
	})
	a.want(http.StatusUnprocessableEntity)
	require.Contains(t, string(a.Body), denied)
	require.Empty(t, b.vims.seen)
}

func TestKubernetes_hasAFreshStatusWithItsReason(t *testing.T) {
	b := newBench(t)
	b.registerVim("openstack", false)
	b.vims.regions, b.vims.version = []string{"default"}, "v1.34.1"
	path := b.registerKubernetes("k8s")
	registry := vims.Handler{Backend: b.server.backend, Checker: b.vims}
	look := func(older time.Duration) map[string]any {
		require.NoError(t, registry.LookAgain(t.Context(), older))
		return b.do("GET", path, nil).want(http.StatusOK)["vim"].(map[string]any)
	}
	tag := b.do("GET", path, nil).Header.Get("ETag")
	tried := len(b.vims.seen)
	b.vims.refuse = lcm.Errorf(lcm.KindUnavailable, "The Kubernetes API of VIM k8s does not answer.")
	require.Equal(t, "REACHABLE", look(time.Hour)["status"], "it is not due")
	require.Len(t, b.vims.seen, tried)
	lost := look(time.Nanosecond)
	require.Equal(t, []any{"UNREACHABLE", "The Kubernetes API of VIM k8s does not answer."},
		[]any{lost["status"], lost["status_reason"]})
	require.Equal(t, map[string]any{"regions": []any{"default"}, "version": "v1.34.1"}, lost["placement_attr"],
		"what is known is not forgotten")
	require.Equal(t, marker, b.vims.seen[tried]["bearer_token"], "it is tried with the credentials in clear")
	require.Contains(t, b.log.String(), "The VIM cannot be used any more")

	b.vims.refuse, b.vims.regions = nil, []string{"default", "edge"}
	found := look(time.Nanosecond)
	require.Equal(t, "REACHABLE", found["status"])
	require.NotContains(t, found, "status_reason")
	require.Equal(t, tag, b.do("GET", path, nil).Header.Get("ETag"), "nobody has changed the VIM")
	require.Equal(t, lcm.VimKubernetes, b.vims.tried.Type)

	// The check of a VIM must not undo a change that comes during the check.
	b.vims.refuse = lcm.Errorf(lcm.KindDenied, "The token is over.")
	b.vims.meanwhile = func() {
		b.vims.refuse = nil
		b.do("PUT", path, map[string]any{"vim": map[string]any{"auth_cred": map[string]any{"bearer_token": marker + "-2"}}}).
			want(http.StatusOK)
		b.vims.refuse = lcm.Errorf(lcm.KindDenied, "The token is over.")
	}
	require.Equal(t, "REACHABLE", look(time.Nanosecond)["status"])
}

// TestKubernetes_isLeftAloneWithARefusedPassword checks that Windlass does not repeat a refused password, because
// repeated attempts would lock the account.
func TestKubernetes_isLeftAloneWithARefusedPassword(t *testing.T) {
	b := newBench(t)
	byToken := b.registerKubernetes("token")
	b.registerCredentials("password", map[string]any{"username": "nfv", "password": marker}).want(http.StatusCreated)
	registry := vims.Handler{Backend: b.server.backend, Checker: b.vims}
	b.vims.refuse = lcm.Errorf(lcm.KindDenied, "The Kubernetes API refused the credentials.")
	const due = 100 * time.Millisecond
	lookedAgain := func(times int) func() bool {
		return func() bool {
			return registry.LookAgain(t.Context(), due) == nil && len(b.vims.seen) >= times
		}
	}
	require.Eventually(t, lookedAgain(4), 10*time.Second, due/10)
	tried := len(b.vims.seen)
	require.Equal(t, 4, tried)
	require.Eventually(t, lookedAgain(tried+2), 10*time.Second, due/10)
	for _, seen := range b.vims.seen[tried:] {
		require.Contains(t, seen, "bearer_token")
	}
	require.Equal(t, "UNREACHABLE", b.do("GET", byToken, nil).want(http.StatusOK)["vim"].(map[string]any)["status"])
}

func TestKubernetes_inUseIsKept(t *testing.T) {
	b := newBench(t)
	path := b.registerKubernetes("k8s")
	_, vnfdID := b.onboard()
	inst := b.instance(b.create("/vnflcm/v1", vnfdID))
	inst.VimConnections = []lcm.VimConnectionInfo{{ID: "k8s", VimID: lcm.VimID(last(path)), VimType: "ETSINFV.HELM.V_3"}}
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
	refused := b.do("DELETE", path, nil)
	require.Equal(t, "Conflict", tackerType(refused, http.StatusConflict))
	b.do("PUT", path, map[string]any{"vim": map[string]any{"auth_cred": map[string]any{"bearer_token": marker + "-2"}}}).
		want(http.StatusOK)

	// A complete connection may have any vimId.
	inst = b.instance("/vnflcm/v1/vnf_instances/" + string(inst.ID))
	inst.VimConnections[0].InterfaceInfo = map[string]any{"endpoint": "https://192.0.2.8:6443"}
	inst.VimConnections[0].AccessInfo = map[string]any{"bearer_token": map[string]any{lcm.SecretKey: "vnf/x/token"}}
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
	b.do("DELETE", path, nil).want(http.StatusNoContent)
}
