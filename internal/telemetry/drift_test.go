package telemetry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

func TestDriftMetrics_tellWhatChecksHaveFound(t *testing.T) {
	reg := prometheus.NewRegistry()
	var away error
	telemetry.RegisterDriftFindings(reg, func(context.Context) (map[lcm.DriftKind]int, error) {
		return map[lcm.DriftKind]int{lcm.DriftServerStopped: 2}, away
	})
	m := telemetry.NewDriftMetrics(reg)
	m.Checked(lcm.DriftBySchedule, "done")
	m.Healed()
	scrape := func() string {
		w := httptest.NewRecorder()
		telemetry.Handler(reg).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Body.String()
	}
	for _, line := range []string{
		`windlass_drift_findings{kind="SERVER_STOPPED"} 2`, `windlass_drift_findings{kind="NODE_NOT_READY"} 0`,
		`windlass_drift_checks_total{result="done",trigger="SCHEDULE"} 1`, `windlass_drift_heals_total 1`,
	} {
		require.Contains(t, scrape(), line)
	}
	away = errors.New("the database is away")
	require.NotContains(t, scrape(), "windlass_drift_findings{", "nothing rather than what is not so")
}
