package kubernetes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	authorization "k8s.io/api/authorization/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

const everything = `{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}`

func TestCheck_tellsWhatTheCredentialsMayNotDo(t *testing.T) {
	status, namespace := `{"resourceRules":[`+everything+`]}`, ""
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews":
			var review authorization.SelfSubjectRulesReview
			_ = json.NewDecoder(r.Body).Decode(&review)
			namespace = review.Spec.Namespace
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"kind":"SelfSubjectRulesReview","status":%s}`, status)
		case "/version":
			fmt.Fprint(w, `{"gitVersion":"<script>"}`)
		default:
			fmt.Fprint(w, `{"items":[{"metadata":{"name":"default"}}]}`)
		}
	}))
	t.Cleanup(api.Close)
	vim := lcm.Vim{Name: "k8s", Type: lcm.VimKubernetes, AuthURL: api.URL}
	check := func() lcm.VimFindings {
		found, err := Check(t.Context(), vim, map[string]any{"bearer_token": "x"}, outbound.Guard{})
		require.NoError(t, err)
		require.Contains(t, found.Warnings[0], "http")
		found.Warnings = found.Warnings[1:]
		return found
	}
	require.Empty(t, check().Warnings)
	require.Equal(t, "default", namespace)
	require.Empty(t, check().Version, "what is no version is not kept")

	vim.Project = map[string]any{"name": "edge"}
	status = `{"incomplete":true,"resourceRules":[
		{"verbs":["get","list","watch","create"],"apiGroups":["","apps","batch"],"resources":["*"]},
		{"verbs":["*"],"apiGroups":["autoscaling"],"resources":["horizontalpodautoscalers"]},
		{"verbs":["delete","patch"],"apiGroups":[""],"resources":["pods","services"]},
		{"verbs":["delete","patch"],"apiGroups":[""],"resources":["secrets"],"resourceNames":["one"]}]}`
	warnings := check().Warnings
	require.Equal(t, []string{
		"The VIM has no namespace edge.",
		"The credentials may not do all in the namespace edge that VNFs need: patch, delete on configmaps, " +
			"persistentvolumeclaims, serviceaccounts, deployments, statefulsets, daemonsets, replicasets, jobs; " +
			"patch, delete, update on secrets; " +
			"the VIM says that its list is not complete.",
	}, warnings)
	require.Equal(t, "edge", namespace)

	status = `7`
	require.Contains(t, check().Warnings[1], "did not report what the credentials may do")
}
