package vims_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/apiserver/vims"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	someKey = "-----BEGIN EC PRIVATE KEY-----\n" + marker64 + "\n-----END EC PRIVATE KEY-----\n"
	// marker64 is the marker for values that allow only letters and digits.
	marker64 = "s3cr3tKey"
)

// TestKubernetes_isRegisteredWithTheFilesOfTackersUsers sends the files in the specification of Kubernetes as a VIM, as
// Tacker's client does: with a token, with a password, and with a token but no CA.
func TestKubernetes_isRegisteredWithTheFilesOfTackersUsers(t *testing.T) {
	for _, names := range [][]string{{"vim-token.yaml"}, {"vim-password.yaml"}, {"vim-token.yaml", "vim-no-ca.yaml"}} {
		b := servertest.New(t)
		flat := map[string]any{}
		for _, name := range names { // a member of the second file replaces that of the first
			text, err := os.ReadFile("../../internal/vim/kubernetes/testdata/" + name)
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
		made := b.Do("POST", "/v1.0/vims.json", map[string]any{"vim": vim}).Want(http.StatusCreated)["vim"].(map[string]any)
		require.Equal(t, []any{"REACHABLE", "https://192.168.11.110:6443", map[string]any{"name": "default"}},
			[]any{made["status"], made["auth_url"], made["vim_project"]})
		for _, key := range []string{"bearer_token", "password"} {
			if flat[key] != nil {
				require.Equal(t, "***", made["auth_cred"].(map[string]any)[key])
			}
		}
		require.Equal(t, flat, b.Vims.Seen[0])
		require.Len(t, b.Sealed(), 1)
	}
}

func TestKubernetes_isRegisteredByAKubeconfig(t *testing.T) {
	b := servertest.New(t)
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	kubeconfig := strings.NewReplacer("CERT", encoded(servertest.SomePEM), "KEY", encoded(someKey)).Replace(`
current-context: edge
contexts: [{name: edge, context: {cluster: lab, user: nfv, namespace: cnf}}]
clusters: [{name: lab, cluster: {server: "https://192.0.2.7:6443", certificate-authority-data: CERT}}]
users: [{name: nfv, user: {client-certificate-data: CERT, client-key-data: KEY}}, {name: other, user: {token: ` + servertest.Marker + `}}]`)
	request := map[string]any{"name": "k8s", "type": "kubernetes", "auth_cred": map[string]any{"kubeconfig": kubeconfig}}
	made := b.Do("POST", "/v1.0/vims", map[string]any{"vim": request}).Want(http.StatusCreated)["vim"].(map[string]any)
	require.Equal(
		t,
		map[string]any{"client_certificate": servertest.SomePEM, "client_key": "***", "ssl_ca_cert": servertest.SomePEM},
		made["auth_cred"],
	)
	require.Equal(t, []any{"https://192.0.2.7:6443", map[string]any{"name": "cnf"}},
		[]any{made["auth_url"], made["vim_project"]})
	require.Len(t, b.Sealed(), 1, "only the key of the context that is current")
	require.Equal(t, someKey, b.Vims.Seen[0]["client_key"])

	path := "/v1.0/vims/" + made["id"].(string)
	elsewhere := strings.Replace(kubeconfig, "192.0.2.7", "192.0.2.8", 1)
	put := func(cred map[string]any) servertest.Answer {
		return b.Do("PUT", path, map[string]any{"vim": map[string]any{"auth_cred": cred}})
	}
	refused := put(map[string]any{"kubeconfig": elsewhere})
	require.Equal(t, "InvalidInput", refused.TackerType(http.StatusBadRequest))
	require.Contains(t, string(refused.Body), "not for the VIM's auth_url")
	put(map[string]any{"kubeconfig": kubeconfig}).Want(http.StatusOK)

	delete(request, "auth_cred")
	request["auth_cred"] = map[string]any{"bearer_token": servertest.Marker}
	refused = b.Do("POST", "/v1.0/vims", map[string]any{"vim": request})
	require.Equal(t, "InvalidInput", refused.TackerType(http.StatusBadRequest))
	require.Contains(t, string(refused.Body), "$.vim.auth_url")
}

func TestKubernetes_isNotRegisteredWithWhatNobodyCanLogInWith(t *testing.T) {
	b := servertest.New(t)
	for at, cred := range map[string]map[string]any{
		"auth_cred.bearer_token":       {"ssl_ca_cert": "None"},
		"auth_cred.username":           {"bearer_token": servertest.Marker, "username": "nfv", "password": servertest.Marker},
		"auth_cred.password":           {"username": "nfv"},
		"auth_cred.client_key":         {"client_certificate": servertest.SomePEM},
		"auth_cred.client_certificate": {"client_certificate": servertest.Marker, "client_key": someKey},
		"auth_cred.client_id":          {"oidc_token_url": "https://i", "username": "nfv", "password": servertest.Marker},
		"auth_cred.oidc_token_url":     {"oidc_token_url": "ldap://i", "username": "nfv", "password": servertest.Marker, "client_id": "w"},
		"auth_cred.ssl_ca_cert":        {"bearer_token": servertest.Marker, "ssl_ca_cert": "/etc/ssl/" + servertest.Marker},
		"auth_cred.cert_verify":        {"bearer_token": servertest.Marker, "cert_verify": "False"},
		"auth_cred.kubeconfig":         {"kubeconfig": "users: [" + servertest.Marker},
	} {
		refused := b.RegisterCredentials("k8s", cred)
		require.Equal(t, "InvalidInput", refused.TackerType(http.StatusBadRequest), at)
		require.Contains(t, string(refused.Body), "$.vim."+at)
	}
	refused := b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name":        "k8s",
		"type":        "kubernetes",
		"auth_url":    "https://k",
		"auth_cred":   map[string]any{"bearer_token": servertest.Marker},
		"vim_project": map[string]any{"name": "My Project"},
	}})
	require.Contains(t, string(refused.Body), "$.vim.vim_project.name")
	require.Empty(t, b.Vims.Seen)
	require.Empty(t, b.Sealed())
}

func TestKubernetes_showsWhatItWasFoundToHave(t *testing.T) {
	b := servertest.New(t)
	b.Vims.Regions, b.Vims.Version, b.Vims.Warnings = []string{
		"default",
		"edge",
	}, "v1.34.1", []string{
		"No right to get pods.",
	}
	path := b.RegisterKubernetes("k8s")
	vim := b.Do("GET", path, nil).Want(http.StatusOK)["vim"].(map[string]any)
	require.Equal(t, map[string]any{"regions": []any{"default", "edge"}, "version": "v1.34.1"}, vim["placement_attr"])
	require.Equal(t, []any{"No right to get pods."}, vim["warnings"])
	require.NotContains(t, vim, "status_reason")
	require.Contains(t, b.Logged.String(), "No right to get pods.")
}

// TestKubernetes_changesTheWayToLogIn changes the authentication method. The credentials of the former method must be
// removed.
func TestKubernetes_changesTheWayToLogIn(t *testing.T) {
	b := servertest.New(t)
	path := b.RegisterKubernetes("k8s")
	put := func(cred map[string]any) servertest.Answer {
		return b.Do("PUT", path, map[string]any{"vim": map[string]any{"auth_cred": cred}})
	}
	shown := func(a servertest.Answer) any { return a.Want(http.StatusOK)["vim"].(map[string]any)["auth_cred"] }
	require.Equal(t, map[string]any{"bearer_token": "***", "ssl_ca_cert": "None"},
		shown(put(map[string]any{"bearer_token": servertest.Marker + "-rotated"})))
	require.Equal(t, servertest.Marker+"-rotated", b.Vims.Seen[len(b.Vims.Seen)-1]["bearer_token"])
	require.Len(t, b.Sealed(), 1)

	openID := map[string]any{
		"oidc_token_url": "https://issuer.example/token",
		"username":       "nfv",
		"password":       servertest.Marker,
		"client_id":      "windlass",
	}
	require.Equal(t, map[string]any{
		"oidc_token_url": "https://issuer.example/token", "username": "nfv", "password": "***", "client_id": "windlass",
		"ssl_ca_cert": "None",
	}, shown(put(openID)))
	require.Len(t, b.Sealed(), 1, "the token is forgotten")

	refused := put(map[string]any{"oidc_token_url": "https://evil.example/token"})
	require.Equal(t, "InvalidInput", refused.TackerType(http.StatusBadRequest))
	require.Contains(t, string(refused.Body), "$.vim.auth_cred.password: must be given again")
	refused = put(map[string]any{"ssl_ca_cert": servertest.SomePEM})
	require.Contains(t, string(refused.Body), "must be given again")
	require.Equal(t, map[string]any{"bearer_token": "***", "ssl_ca_cert": servertest.SomePEM},
		shown(put(map[string]any{"bearer_token": servertest.Marker, "ssl_ca_cert": servertest.SomePEM})))
	tried := len(b.Vims.Seen)
	put(map[string]any{"client_id": "windlass"}).Want(http.StatusBadRequest)
	require.Len(t, b.Vims.Seen, tried)
}

func TestKubernetes_refusesADeniedIssuer(t *testing.T) {
	b := servertest.New(t, servertest.WithDenied)
	a := b.RegisterCredentials("k8s", map[string]any{
		"oidc_token_url": "http://169.254.169.254/token",
		"username":       "nfv",
		"password":       servertest.Marker,
		"client_id":      "windlass",
	})
	a.Want(http.StatusUnprocessableEntity)
	require.Contains(t, string(a.Body), servertest.Denied)
	require.Empty(t, b.Vims.Seen)
}

func TestKubernetes_hasAFreshStatusWithItsReason(t *testing.T) {
	b := servertest.New(t)
	b.RegisterVim("openstack", false)
	b.Vims.Regions, b.Vims.Version = []string{"default"}, "v1.34.1"
	path := b.RegisterKubernetes("k8s")
	registry := vims.Handler{Backend: b.Backend(), Checker: b.Vims}
	look := func(older time.Duration) map[string]any {
		require.NoError(t, registry.LookAgain(t.Context(), older))
		return b.Do("GET", path, nil).Want(http.StatusOK)["vim"].(map[string]any)
	}
	tag := b.Do("GET", path, nil).Header.Get("ETag")
	tried := len(b.Vims.Seen)
	b.Vims.Refuse = lcm.Errorf(lcm.KindUnavailable, "The Kubernetes API of VIM k8s does not answer.")
	require.Equal(t, "REACHABLE", look(time.Hour)["status"], "it is not due")
	require.Len(t, b.Vims.Seen, tried)
	lost := look(time.Nanosecond)
	require.Equal(t, []any{"UNREACHABLE", "The Kubernetes API of VIM k8s does not answer."},
		[]any{lost["status"], lost["status_reason"]})
	require.Equal(t, map[string]any{"regions": []any{"default"}, "version": "v1.34.1"}, lost["placement_attr"],
		"what is known is not forgotten")
	require.Equal(t, servertest.Marker, b.Vims.Seen[tried]["bearer_token"], "it is tried with the credentials in clear")
	require.Contains(t, b.Logged.String(), "The VIM cannot be used any more")

	b.Vims.Refuse, b.Vims.Regions = nil, []string{"default", "edge"}
	found := look(time.Nanosecond)
	require.Equal(t, "REACHABLE", found["status"])
	require.NotContains(t, found, "status_reason")
	require.Equal(t, tag, b.Do("GET", path, nil).Header.Get("ETag"), "nobody has changed the VIM")
	require.Equal(t, lcm.VimKubernetes, b.Vims.Tried.Type)

	// The check of a VIM must not undo a change that comes during the check.
	b.Vims.Refuse = lcm.Errorf(lcm.KindDenied, "The token is over.")
	b.Vims.Meanwhile = func() {
		b.Vims.Refuse = nil
		b.Do("PUT", path, map[string]any{"vim": map[string]any{"auth_cred": map[string]any{"bearer_token": servertest.Marker + "-2"}}}).
			Want(http.StatusOK)
		b.Vims.Refuse = lcm.Errorf(lcm.KindDenied, "The token is over.")
	}
	require.Equal(t, "REACHABLE", look(time.Nanosecond)["status"])
}

// TestKubernetes_isLeftAloneWithARefusedPassword checks that Windlass does not repeat a refused password, because
// repeated attempts would lock the account.
func TestKubernetes_isLeftAloneWithARefusedPassword(t *testing.T) {
	b := servertest.New(t)
	byToken := b.RegisterKubernetes("token")
	b.RegisterCredentials("password", map[string]any{"username": "nfv", "password": servertest.Marker}).
		Want(http.StatusCreated)
	registry := vims.Handler{Backend: b.Backend(), Checker: b.Vims}
	b.Vims.Refuse = lcm.Errorf(lcm.KindDenied, "The Kubernetes API refused the credentials.")
	const due = 100 * time.Millisecond
	lookedAgain := func(times int) func() bool {
		return func() bool {
			return registry.LookAgain(t.Context(), due) == nil && len(b.Vims.Seen) >= times
		}
	}
	require.Eventually(t, lookedAgain(4), 10*time.Second, due/10)
	tried := len(b.Vims.Seen)
	require.Equal(t, 4, tried)
	require.Eventually(t, lookedAgain(tried+2), 10*time.Second, due/10)
	for _, seen := range b.Vims.Seen[tried:] {
		require.Contains(t, seen, "bearer_token")
	}
	require.Equal(t, "UNREACHABLE", b.Do("GET", byToken, nil).Want(http.StatusOK)["vim"].(map[string]any)["status"])
}

func TestKubernetes_inUseIsKept(t *testing.T) {
	b := servertest.New(t)
	path := b.RegisterKubernetes("k8s")
	_, vnfdID := b.Onboard()
	inst := b.Instance(b.Create("/vnflcm/v1", vnfdID))
	inst.VimConnections = []lcm.VimConnectionInfo{
		{ID: "k8s", VimID: lcm.VimID(servertest.LastPart(path)), VimType: "ETSINFV.HELM.V_3"},
	}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	refused := b.Do("DELETE", path, nil)
	require.Equal(t, "Conflict", refused.TackerType(http.StatusConflict))
	b.Do("PUT", path, map[string]any{"vim": map[string]any{"auth_cred": map[string]any{"bearer_token": servertest.Marker + "-2"}}}).
		Want(http.StatusOK)

	// A complete connection may have any vimId.
	inst = b.Instance("/vnflcm/v1/vnf_instances/" + string(inst.ID))
	inst.VimConnections[0].InterfaceInfo = map[string]any{"endpoint": "https://192.0.2.8:6443"}
	inst.VimConnections[0].AccessInfo = map[string]any{"bearer_token": map[string]any{lcm.SecretKey: "vnf/x/token"}}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	b.Do("DELETE", path, nil).Want(http.StatusNoContent)
}
