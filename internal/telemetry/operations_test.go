package telemetry_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

func TestOperationMetrics_countWhatAWorkerDoes(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	m := telemetry.NewOperationMetrics(reg)
	for _, state := range []lcm.OperationState{
		lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack,
		lcm.RolledBack,
	} {
		m.Entered(lcm.OpScale, state)
	}
	m.Ended(lcm.OpScale, lcm.RolledBack, 90*time.Second)
	m.Step("Join the nodes", lcm.StepFailed, 2*time.Second)
	m.StepRetried()
	m.Activity(1, 3*time.Second)
	m.Activity(1, -time.Second) // clocks may differ
	m.Activity(2, time.Hour)    // a second attempt has waited for the delay, and not for a worker
	m.Delivered(nil)
	m.Delivered(errors.New("nobody is there"))

	w := httptest.NewRecorder()
	telemetry.Handler(reg).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`windlass_operations_total{operation="SCALE",result="FAILED_TEMP"} 1`,
		`windlass_operations_total{operation="SCALE",result="ROLLED_BACK"} 1`,
		`windlass_operations_total{operation="HEAL",result="COMPLETED"} 0`,
		`windlass_operation_seconds_sum{operation="SCALE",result="ROLLED_BACK"} 90`,
		`windlass_step_seconds_sum{result="FAILED",step="Join the nodes"} 2`,
		`windlass_retries_total{what="step"} 1`,
		`windlass_retries_total{what="activity"} 1`,
		`windlass_queue_lag_seconds_sum 3`,
		`windlass_queue_lag_seconds_count 2`,
		`windlass_notifications_total{result="delivered"} 1`,
		`windlass_notifications_total{result="failed"} 1`,
	} {
		assert.Contains(t, w.Body.String(), line+"\n")
	}
	assert.NotContains(t, w.Body.String(), `result="PROCESSING"`, "states that an operation only passes are no results")
}
