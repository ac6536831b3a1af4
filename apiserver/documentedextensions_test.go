package apiserver_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
)

const extensionsPage = "../api-extensions.md"

// extensionsShown are the JSON texts of the page about extensions, in its order: the request of each, and whether it is
// the body of the request or of the answer.
var extensionsShown = []struct {
	method, target string
	status         int
	sent           bool
	// listed is set when the text is one item of a list.
	listed bool
}{
	{"GET", "/windlass/v1/version", 200, false, false},
	{"GET", "/windlass/v1/vnf_instances", 200, false, false},
	{"GET", "/windlass/v1/vnf_instances/i/topology", 200, false, false},
	{"GET", "/windlass/v1/vnf_lcm_op_occs/o/requests", 200, false, false},
	{"POST", "/windlass/v1/vnf_instances/i/kubeconfig", 201, true, false},
	{"POST", "/windlass/v1/vnf_instances/i/kubeconfig", 201, false, false},
	{"GET", "/windlass/v1/vims/v/quotas", 200, false, false},
	{"GET", "/windlass/v1/audit", 200, false, false},
	{"POST", "/windlass/v1/vnf_instances/i/plan", 200, true, false},
	{"POST", "/windlass/v1/vnf_instances/i/plan", 200, true, false},
	{"POST", "/windlass/v1/vnf_instances/i/plan", 200, false, false},
	{"GET", "/windlass/v1/vnf_lcm_op_occs/o/grant", 200, false, false},
	{"GET", "/windlass/v1/vnf_instances/i/drift", 200, false, false},
	{"POST", "/windlass/v1/vnf_instances/i/drift", 202, false, false},
	{"PUT", "/windlass/v1/vnf_instances/i/drift_policy", 200, true, false},
	{"PUT", "/windlass/v1/vnf_instances/i/drift_policy", 200, false, false},
	{"POST", "/server_notification/vnf_instances/i/servers/s/notify", 204, true, false},
	{"GET", "/windlass/v1/vnf_lcm_op_occs/o/steps", 200, false, false},
	{"GET", "/windlass/v1/vnf_lcm_op_occs/o/steps", 200, false, true},
	{"GET", "/windlass/v1/vnf_lcm_op_occs/o/steps", 200, false, true},
	{"GET", "/windlass/v1/vnf_lcm_op_occs/o/steps", 200, false, true},
	{"POST", "/windlass/v1/codec/decode", 200, true, false},
	{"GET", "/windlass/v1/dead_letters", 200, false, false},
	{"POST", "/vnflcm/v1/vnf_instances", 400, false, false},
	{"POST", "/vnflcm/v1/vnf_instances", 400, false, false}, // the error of an operation, which has the same form
	{"GET", "/v1.0/vims/nope", 404, false, false},
}

// TestExtensionsPage_showsWhatIsDescribed checks that the page's texts have only members that the API's description
// has, so that none is misspelt.
func TestExtensionsPage_showsWhatIsDescribed(t *testing.T) {
	all := bodies(t, extensionsPage)
	require.Len(t, all, len(extensionsShown), "every JSON text of the page has its line above")
	for i, s := range extensionsShown {
		if s.listed {
			all[i] = []any{all[i]}
		}
		text, err := json.Marshal(all[i])
		require.NoError(t, err)
		e := apitest.Exchange{
			Method: s.method,
			Target: s.target,
			Status: s.status,
			Header: http.Header{"Etag": {`"1"`}, "Location": {"x"}},
		}
		if s.sent {
			e.ContentType, e.Request = "application/json", text
		} else {
			e.Header.Set("Content-Type", "application/json")
			if s.status >= http.StatusBadRequest && s.target != "/v1.0/vims/nope" {
				e.Header.Set("Content-Type", "application/problem+json")
			}
			e.Body = text
		}
		assert.NoError(t, apitest.CheckShown(e), "%s", text)
	}
}
