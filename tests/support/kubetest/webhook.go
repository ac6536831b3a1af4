package kubetest

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	registration "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deny installs an admission webhook that refuses new objects of a resource in a namespace, with this message.
func (p *ControlPlane) Deny(t testing.TB, namespace, group, resource, says string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if json.NewDecoder(r.Body).Decode(&review) != nil || review.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{
			UID: review.Request.UID, Result: &metav1.Status{Message: says, Code: http.StatusForbidden},
		}
		review.Request = nil
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	url, fails, none := server.URL, registration.Fail, registration.SideEffectClassNone
	_, err := p.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(),
		&registration.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + resource},
			Webhooks: []registration.ValidatingWebhook{{
				Name: "deny.example.org", FailurePolicy: &fails, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
				ClientConfig: registration.WebhookClientConfig{
					URL:      &url,
					CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
				},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
				Rules: []registration.RuleWithOperations{{
					Operations: []registration.OperationType{registration.Create},
					Rule:       registration.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{resource}},
				}},
			}},
		}, metav1.CreateOptions{})
	require.NoError(t, err)
}
