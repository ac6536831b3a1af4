package kubernetes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// tokenServer answers requests for tokens with this status and body, and records the request.
func tokenServer(t *testing.T, status int, body string) (vim lcm.Vim, asked *string) {
	t.Helper()
	asked = new("")
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := make([]byte, 512)
		n, _ := r.Body.Read(sent)
		*asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + string(sent[:n])
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(api.Close)
	return lcm.Vim{Name: "edge", Type: lcm.VimKubernetes, AuthURL: api.URL}, asked
}

const somePEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

var registered = map[string]any{"bearer_token": "registered"}

func TestKubeconfig_hasANewTokenAndNotTheRegisteredOne(t *testing.T) {
	vim, asked := tokenServer(t, http.StatusCreated, `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1",
		"status":{"token":"a-new-one","expirationTimestamp":"2026-11-25T10:00:00Z"}}`)
	text, expires, err := Kubeconfig(t.Context(), vim, registered, time.Hour, outbound.Guard{})
	require.NoError(t, err)
	require.Equal(t, "2026-11-25T10:00:00Z", expires.Format(time.RFC3339))
	require.Contains(t, *asked, "POST /api/v1/namespaces/kube-system/serviceaccounts/windlass-vnfm/token Bearer registered")
	require.Contains(t, *asked, `"expirationSeconds":3600`)

	require.NotContains(t, text, "registered")
	file, err := clientcmd.Load([]byte(text))
	require.NoError(t, err)
	require.Equal(t, "edge", file.CurrentContext)
	require.Equal(t, vim.AuthURL, file.Clusters["edge"].Server)
	require.Equal(t, "a-new-one", file.AuthInfos["edge"].Token)
}

func TestKubeconfig_verifiesTheServerAsTheVIMDoes(t *testing.T) {
	config, err := configOf(lcm.Vim{AuthURL: "https://192.0.2.7:6443"},
		map[string]any{"bearer_token": "t", "ssl_ca_cert": somePEM}, nil)
	require.NoError(t, err)
	text, err := kubeconfigOf("edge", config, "t")
	require.NoError(t, err)
	vim, cred, err := ReadKubeconfig(lcm.Vim{Type: lcm.VimKubernetes}, map[string]any{"kubeconfig": text}, "$")
	require.NoError(t, err)
	require.Equal(t, "https://192.0.2.7:6443", vim.AuthURL)
	require.Equal(t, map[string]any{"bearer_token": "t", "ssl_ca_cert": somePEM}, cred)
}

func TestKubeconfig_errorsTellWhatIsWrong(t *testing.T) {
	status := func(code int, reason string) string {
		return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"so it is","reason":%q,"code":%d}`,
			reason, code)
	}
	for _, c := range []struct {
		code   int
		body   string
		kind   lcm.ErrorKind
		detail string
	}{
		{404, status(404, "NotFound"), lcm.KindConflict, "The service account windlass-vnfm in kube-system, which " +
			"the VIM"},
		{401, status(401, "Unauthorized"), lcm.KindDenied, "refused the credentials"},
		{403, status(403, "Forbidden"), lcm.KindDenied, "make a token of windlass-vnfm: so it is."},
		{201, `{"status":{"token":""}}`, lcm.KindUnavailable, "without a token"},
	} {
		vim, _ := tokenServer(t, c.code, c.body)
		_, _, err := Kubeconfig(t.Context(), vim, registered, time.Hour, outbound.Guard{})
		require.ErrorContains(t, err, c.detail)
		require.Equal(t, c.kind, lcm.KindOf(err), c.detail)
	}
	_, _, err := Kubeconfig(t.Context(), lcm.Vim{Name: "edge", AuthURL: "http://127.0.0.1:1"}, registered, time.Hour,
		outbound.Guard{})
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err))
}

func TestKubeconfig_isOfTheAccountThatTheScriptMakes(t *testing.T) {
	script, err := os.ReadFile("../../../scripts/sh/create-vim-account.sh")
	require.NoError(t, err)
	require.Contains(t, string(script),
		"kind: ServiceAccount\nmetadata: {name: "+accountName+", namespace: "+accountNamespace+"}")
}
