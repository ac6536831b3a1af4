package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

// asTackersClient reads a resource as python3-tackerclient does. It does not check the answer against the API's
// description, because such answers have additional members.
func asTackersClient(b *servertest.Bench, path string) (doc map[string]any) {
	b.Helper()
	req := httptest.NewRequestWithContext(b.Context(), http.MethodGet, servertest.Endpoint+path, nil)
	req.Header.Set("User-Agent", "python-tackerclient")
	got := httptest.NewRecorder()
	b.Server.ServeHTTP(got, req)
	require.Equal(b, http.StatusOK, got.Code, "%s", got.Body)
	require.NoError(b, json.Unmarshal(got.Body.Bytes(), &doc))
	return doc
}

func TestTackersClient_getsWhatItWouldLeaveBlank(t *testing.T) {
	b := servertest.New(t)
	pkg, vnfdID := b.Onboard()
	instance := b.Create("/vnflcm/v1", vnfdID)
	doc := asTackersClient(b, instance)
	require.Equal(t, servertest.LastPart(pkg), doc["vnfPkgId"])
	require.Equal(t, servertest.LastPart(pkg), doc["vnfpkgid"])
	require.NotContains(t, b.Do("GET", instance, nil).Want(http.StatusOK), "vnfpkgid", "others get what the standard has")

	failed := b.Do("POST", "/vnfpkgm/v1/vnf_packages", `{}`).Path()
	b.Do("PUT", failed+"/package_content", "no archive", "Content-Type: application/zip")
	doc = asTackersClient(b, failed)
	require.NotEmpty(t, doc["onboardingFailureDetails"])
	require.Equal(t, doc["onboardingFailureDetails"], doc["onboardingfailuredetails"])
}
