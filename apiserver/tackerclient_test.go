package apiserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// asTackersClient reads a resource as python3-tackerclient does. It does not check the answer against the API's
// description, because such answers have additional members.
func (b *bench) asTackersClient(path string) (doc map[string]any) {
	b.Helper()
	req := httptest.NewRequestWithContext(b.Context(), http.MethodGet, endpoint+path, nil)
	req.Header.Set("User-Agent", "python-tackerclient")
	got := httptest.NewRecorder()
	b.server.ServeHTTP(got, req)
	require.Equal(b, http.StatusOK, got.Code, "%s", got.Body)
	require.NoError(b, json.Unmarshal(got.Body.Bytes(), &doc))
	return doc
}

func TestTackersClient_getsWhatItWouldLeaveBlank(t *testing.T) {
	b := newBench(t)
	pkg, vnfdID := b.onboard()
	instance := b.create("/vnflcm/v1", vnfdID)
	doc := b.asTackersClient(instance)
	require.Equal(t, last(pkg), doc["vnfPkgId"])
	require.Equal(t, last(pkg), doc["vnfpkgid"])
	require.NotContains(t, b.do("GET", instance, nil).want(http.StatusOK), "vnfpkgid", "others get what the standard has")

	failed := b.do("POST", "/vnfpkgm/v1/vnf_packages", `{}`).path()
	b.do("PUT", failed+"/package_content", "no archive", "Content-Type: application/zip")
	doc = b.asTackersClient(failed)
	require.NotEmpty(t, doc["onboardingFailureDetails"])
	require.Equal(t, doc["onboardingFailureDetails"], doc["onboardingfailuredetails"])
}
