package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

func TestLogger_writesTimesAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	telemetry.NewLogger(&out, slog.LevelInfo, "json").Info("line", "grace", 90*time.Second)
	require.Contains(t, out.String(), `"grace":"1m30s"`)
}

func TestLogger_writesNoSecret(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		var out strings.Builder
		log := telemetry.NewLogger(&out, slog.LevelDebug, format)
		proxy, err := url.Parse("http://u:hunter2@proxy")
		require.NoError(t, err)
		log.With("bearer_token", "hunter2").WithGroup("credentials").Info("see http://u:hunter2@proxy/x", "any", "hunter2")
		log.Info("line", "password", "hunter2", "url", "postgres://u:hunter2@h/d", "proxy", proxy,
			"error", lcm.Wrap(lcm.KindUnavailable, errors.New("dial http://u:hunter2@h"), "It does not answer."),
			"params", map[string]any{"master_node": map[string]any{"username": "ubuntu", "password": "hunter2"}},
			"doc", json.RawMessage(`{"clientSecret":"hunter2"}`), "group",
			slog.GroupValue(slog.String("ssh_password", "hunter2")),
			"key", "-----BEGIN RSA PRIVATE KEY-----\nhunter2", "secret", lcm.Secret{Clear: "hunter2"}, "odd", make(chan int),
			"node", k8s.NodeParams{Username: "u", Password: lcm.Secret{Clear: "hunter2"}})
		assert.NotContains(t, out.String(), "hunter2", format)
		assert.Contains(t, out.String(), "ubuntu", format)
		assert.Contains(t, out.String(), "It does not answer.", format)
	}
}

func TestLogger_isAProperHandler(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	slogtest.Run(t, func(*testing.T) slog.Handler {
		out.Reset()
		return telemetry.NewLogger(&out, slog.LevelInfo, "json").Handler()
	}, func(t *testing.T) map[string]any {
		var line map[string]any
		require.NoError(t, json.Unmarshal([]byte(out.String()), &line))
		return line
	})
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	reg := telemetry.NewRegistry("1.2.3")
	m := telemetry.NewHTTPMetrics(reg)
	m.Begin()(http.MethodGet, "/vnflcm/v1/vnf_instances/:id", 404)
	m.Begin()("BREW", "", 405)
	m.Begin() // such as an event stream
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/metrics", nil)
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	telemetry.Handler(reg).ServeHTTP(answer, request)
	for _, line := range []string{
		`windlass_build_info{version="1.2.3"} 1`,
		`windlass_http_request_seconds_count{method="GET",route="/vnflcm/v1/vnf_instances/:id",status="404"} 1`,
		`windlass_http_request_seconds_count{method="other",route="",status="405"} 1`,
		"windlass_http_requests_in_flight 1", "go_goroutines ", "process_resident_memory_bytes ",
	} {
		assert.Contains(t, answer.Body.String(), line)
	}
}
