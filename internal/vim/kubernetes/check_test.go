package kubernetes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// cluster returns an API server that accepts one token, and answers requests for lists with this status.
func cluster(t *testing.T, status int) lcm.Vim {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Header.Get("Authorization") != "Bearer good":
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`)
		case r.URL.Path == "/apis":
			fmt.Fprint(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
		case r.URL.Path == "/api/v1/namespaces":
			w.WriteHeader(status)
			fmt.Fprint(w, `{"kind":"NamespaceList","apiVersion":"v1","items":[{"metadata":{"name":"default"}},{"metadata":{"name":"edge"}}]}`)
		case r.URL.Path == "/api/v1/namespaces/default/resourcequotas":
			w.WriteHeader(status)
			fmt.Fprint(w, `{"kind":"ResourceQuotaList","apiVersion":"v1","items":[{"status":{"hard":{"pods":"10","limits.cpu":"4"},"used":{"pods":"3"}}}]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(api.Close)
	return lcm.Vim{Name: "k8s", Type: lcm.VimKubernetes, AuthURL: api.URL}
}

func TestCheck_findsTheNamespaces(t *testing.T) {
	good := map[string]any{"bearer_token": "good"}
	found, err := Check(t.Context(), cluster(t, http.StatusOK), good, outbound.Guard{})
	require.NoError(t, err)
	require.Equal(t, []string{"default", "edge"}, found.Regions)

	found, err = Check(t.Context(), cluster(t, http.StatusForbidden), good, outbound.Guard{})
	require.NoError(t, err, "credentials that may not list namespaces are good ones")
	require.Empty(t, found.Regions)
}

func TestCheck_tellsWrongCredentialsFromNoAnswer(t *testing.T) {
	vim := cluster(t, http.StatusOK)
	_, err := Check(t.Context(), vim, map[string]any{"bearer_token": "bad"}, outbound.Guard{})
	require.True(t, lcm.Is(err, lcm.KindDenied), "%v", err)
	vim.AuthURL = "http://127.0.0.1:1"
	_, err = Check(t.Context(), vim, map[string]any{"bearer_token": "good"}, outbound.Guard{})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
}

func TestCheck_knowsServersOfOtherThings(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	_, err := Check(t.Context(), lcm.Vim{Name: "web", AuthURL: web.URL}, map[string]any{"bearer_token": "t"}, outbound.Guard{})
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err, "it is no Kubernetes API")
}

func TestQuotas_areThoseOfTheNamespace(t *testing.T) {
	good := map[string]any{"bearer_token": "good"}
	quotas, err := Quotas(t.Context(), cluster(t, http.StatusOK), good, outbound.Guard{})
	require.NoError(t, err)
	require.Equal(t, []lcm.VimQuota{
		{Resource: "limits.cpu", Limit: "4"}, {Resource: "pods", Limit: "10", Used: "3"},
	}, quotas)

	quotas, err = Quotas(t.Context(), cluster(t, http.StatusForbidden), good, outbound.Guard{})
	require.NoError(t, err, "credentials that may not see quotas are good ones")
	require.Empty(t, quotas)
	_, err = Quotas(t.Context(), cluster(t, http.StatusInternalServerError), good, outbound.Guard{})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	_, err = Quotas(t.Context(), cluster(t, http.StatusOK), map[string]any{"bearer_token": "bad"}, outbound.Guard{})
	require.True(t, lcm.Is(err, lcm.KindDenied), "%v", err)
}
