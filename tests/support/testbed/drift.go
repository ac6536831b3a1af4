package testbed

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// patient is the limit for reports: on a busy machine a check and Temporal's schedules take long.
const patient = 5 * time.Minute

// DriftOf returns the path of a VNF's last report.
func DriftOf(vnf string) string { return "/windlass/v1/vnf_instances/" + vnf + "/drift" }

// AwaitReport waits for a report for which wanted returns true.
func (b *Bed) AwaitReport(t testing.TB, vnf string, wanted func(lcm.DriftReport) bool) (report lcm.DriftReport) {
	t.Helper()
	for end := time.Now().Add(patient); ; Pause(t) {
		a := b.Call(t, http.MethodGet, DriftOf(vnf), nil)
		report = lcm.DriftReport{}
		if a.Status == http.StatusOK {
			require.NoError(t, json.Unmarshal(a.Body, &report))
			if report.Decision.Action != "" && wanted(report) {
				return report
			}
		}
		require.True(t, time.Now().Before(end), "the last report is %s", a.Body)
	}
}

// CheckDrift checks a VNF now and returns the report. Only the last report is stored, so it checks again if a scheduled
// check has ended at the same moment.
func (b *Bed) CheckDrift(t testing.TB, vnf string) lcm.DriftReport {
	t.Helper()
	for {
		a := b.Call(t, http.MethodPost, DriftOf(vnf), nil)
		require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
		var begun struct {
			CheckID string `json:"checkId"`
		}
		require.NoError(t, json.Unmarshal(a.Body, &begun))
		since := time.Now()
		is := func(r lcm.DriftReport) bool { return r.ID == begun.CheckID+"-1" }
		report := b.AwaitReport(t, vnf, func(r lcm.DriftReport) bool { return is(r) || r.CheckedAt.After(since) })
		if is(report) {
			return report
		}
	}
}

// CheckDriftUntil repeats the check until wanted returns true: a machine may be too busy to accept a login.
func (b *Bed) CheckDriftUntil(t testing.TB, vnf string, wanted func(lcm.DriftReport) bool) lcm.DriftReport {
	t.Helper()
	for end := time.Now().Add(patient); ; Pause(t) {
		report := b.CheckDrift(t, vnf)
		if wanted(report) {
			return report
		}
		require.True(t, time.Now().Before(end), "the last report is %v", report)
	}
}
