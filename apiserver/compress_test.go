package apiserver_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// encoded sends a request that accepts gzip, and returns the answer as it comes over the network.
func encoded(b *servertest.Bench, method, path string) *http.Response {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.HTTP.URL+path, nil)
	require.NoError(b, err)
	req.Header.Set("Accept-Encoding", "gzip") // so that the transport leaves the answer alone
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(b, err)
	b.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestCompress_isOfLongAnswersThatHaveAnEnd(t *testing.T) {
	b := servertest.New(t)
	plain := b.Do("GET", "/openapi.json", nil)
	require.Empty(t, plain.Header.Get("Content-Encoding"), "nobody has asked for it")

	long := encoded(b, "GET", "/openapi.json")
	require.Equal(t, "gzip", long.Header.Get("Content-Encoding"))
	require.Contains(t, long.Header.Values("Vary"), "Accept-Encoding")
	content, err := io.ReadAll(long.Body)
	require.NoError(t, err)
	require.Less(t, len(content), len(plain.Body)/5)

	again := encoded(b, "GET", "/openapi.json")
	reader, err := gzip.NewReader(again.Body)
	require.NoError(t, err)
	same, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, string(plain.Body), string(same))

	opOcc := b.Began()
	for what, c := range map[string][2]string{
		"a short answer": {"GET", "/windlass/v1/version"},
		"without a body": {"HEAD", "/openapi.json"},
		"the login":      {"GET", "/windlass/v1/login"},
		"packages":       {"GET", "/vnfpkgm/v1/vnf_packages"},
		"events":         {"GET", servertest.ProgressOf(opOcc) + "/events"},
		"events of all":  {"GET", "/windlass/v1/events"},
		"a short error":  {"GET", "/windlass/v1/nothing"},
	} {
		assert.Empty(t, encoded(b, c[0], c[1]).Header.Get("Content-Encoding"), what)
	}
}

// TestCompress_leavesMetricsToTheirHandler checks that metrics, which their handler compresses, are not compressed twice:
// Prometheus asks for gzip.
func TestCompress_leavesMetricsToTheirHandler(t *testing.T) {
	registry := telemetry.NewRegistry("1.2.3")
	b := servertest.New(t, func(o *apiserver.Options) { o.Metrics = telemetry.Handler(registry) })
	resp := encoded(b, "GET", "/metrics")
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	reader, err := gzip.NewReader(resp.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Contains(t, string(text), "# TYPE go_goroutines ")
}
