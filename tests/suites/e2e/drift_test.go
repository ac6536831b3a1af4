package e2e

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// setPolicy sets when Windlass checks the VNF, and what it does about drift.
func (b *bed) setPolicy(t *testing.T, vnf string, policy map[string]any) {
	t.Helper()
	a := b.Call(t, http.MethodPut, testbed.DriftOf(vnf)+"_policy", policy)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
}

func sound(r lcm.DriftReport) bool { return len(r.Findings) == 0 }

func (b *bed) notify(t *testing.T, vnf, server string) {
	t.Helper()
	a := b.Call(t, http.MethodPost, "/server_notification/vnf_instances/"+vnf+"/servers/"+server+"/notify", map[string]any{
		"notification": map[string]any{"alarm_id": "1", "fault_id": "0123", "fault_type": "10"},
	})
	require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
}

func kinds(r lcm.DriftReport) (out []lcm.DriftKind) {
	for _, f := range r.Findings {
		out = append(out, f.Kind)
	}
	return out
}

// heals returns the operations of a VNF that Windlass has started by itself. All must be heals.
func (b *bed) heals(t *testing.T, vnf string) (paths []string) {
	t.Helper()
	a := b.Call(t, http.MethodGet, "/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,vnfInstanceId,"+vnf+")", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var list []struct {
		ID                    string `json:"id"`
		VnfInstanceID         string `json:"vnfInstanceId"`
		Operation             string `json:"operation"`
		IsAutomaticInvocation bool   `json:"isAutomaticInvocation"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &list))
	for _, o := range list {
		if o.VnfInstanceID == vnf && o.IsAutomaticInvocation {
			require.Equal(t, "HEAL", o.Operation)
			paths = append(paths, "/vnflcm/v1/vnf_lcm_op_occs/"+o.ID)
		}
	}
	return paths
}

// driftIsReported checks that Windlass reports drift, and does nothing about it without a policy.
func driftIsReported(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "drift", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.CheckDriftUntil(t, vnf, sound)

	const written = "somebody's password 4711"
	master := b.VnfcOf(t, vnf, "masterNode")
	b.ScriptFault(t, map[string]any{
		"machine": master, "script": "look-at-node", "times": 1000,
		"output": "windlass-result: ca=\nwindlass-result: haproxy=" + base64.StdEncoding.EncodeToString([]byte(written)) +
			"\nwindlass-result: haproxy_runs=yes\nwindlass-result: keepalived_runs=yes\nwindlass-result: " +
			"held=no\nwindlass-result: answers=yes",
	})
	report := b.CheckDriftUntil(t, vnf,
		func(r lcm.DriftReport) bool { return slices.Contains(kinds(r), lcm.DriftHAProxyConfiguration) })
	b.ClearFaults(t)
	for _, f := range report.Findings {
		require.NotContains(t, f.Detail, "4711", "what is written on nodes is not repeated")
		if f.Kind == lcm.DriftHAProxyConfiguration {
			require.Equal(t, master, f.VnfcInstanceID)
		}
	}

	worker := b.VnfcOf(t, vnf, "workerNode")
	require.Less(t, b.Lab(t, http.MethodPost, "/machines/"+worker+"/kill", nil).Status, 300)
	b.notify(t, vnf, worker)
	report = b.AwaitReport(t, vnf, func(r lcm.DriftReport) bool { return r.Trigger == lcm.DriftByNotification })
	require.Contains(t, kinds(report), lcm.DriftServerStopped)
	require.Equal(t, lcm.DriftNothing, report.Decision.Action, report.Decision.Reason)
	require.Empty(t, b.heals(t, vnf), "the policy is off")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// driftIsHealedBySchedule kills a worker without a notification. A scheduled check heals it.
func driftIsHealedBySchedule(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "drift-scheduled", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.setPolicy(t, vnf, map[string]any{"check": true, "interval": 10, "autoHeal": true})
	b.AwaitReport(t, vnf, func(r lcm.DriftReport) bool { return r.Trigger == lcm.DriftBySchedule && sound(r) })

	worker := b.VnfcOf(t, vnf, "workerNode")
	require.Less(t, b.Lab(t, http.MethodPost, "/machines/"+worker+"/kill", nil).Status, 300)
	report := b.AwaitReport(t, vnf, func(r lcm.DriftReport) bool { return r.Decision.Action == lcm.DriftHeals })
	require.Equal(t, []string{worker}, report.Decision.VnfcInstanceIDs)
	heals := b.heals(t, vnf)
	require.Len(t, heals, 1)
	require.Equal(t, string(report.Decision.OpOccID), filepath.Base(heals[0]))
	b.Await(t, heals[0], quick, "COMPLETED")
	b.RequireCluster(t, 3, 2)
	require.NotContains(t, b.Vnfcs(t, vnf), worker)
	b.AwaitReport(t, vnf, sound)
	require.Len(t, b.heals(t, vnf), 1, "once is enough")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// driftIsHealedByNotification notifies Windlass of a stopped server, which it heals. There are no scheduled checks.
func driftIsHealedByNotification(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "drift-notified", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.setPolicy(t, vnf, map[string]any{"autoHeal": true})
	worker := b.VnfcOf(t, vnf, "workerNode")

	// The notification comes during an operation. Windlass checks the VNF after the operation.
	op = b.Scale(t, vnf, "SCALE_OUT", "worker_instance")
	b.notify(t, vnf, worker)
	b.Await(t, op, quick, "COMPLETED")
	report := b.AwaitReport(t, vnf, func(r lcm.DriftReport) bool { return r.Trigger == lcm.DriftByNotification })
	require.Equal(t, lcm.DriftNothing, report.Decision.Action, report.Decision.Reason)

	require.Less(t, b.Lab(t, http.MethodPost, "/machines/"+worker+"/kill", nil).Status, 300)
	b.notify(t, vnf, worker)
	report = b.AwaitReport(t, vnf, func(r lcm.DriftReport) bool { return r.Decision.Action == lcm.DriftHeals })
	require.Equal(t, []string{worker}, report.Decision.VnfcInstanceIDs)
	require.True(t, slices.Contains(kinds(report), lcm.DriftServerStopped))
	check := lcm.DriftWorkflowID(lcm.VnfInstanceID(vnf), lcm.DriftByNotification)
	require.NoError(t, b.temporal(t).GetWorkflow(t.Context(), check, "").Get(t.Context(), nil))
	b.recordWorkflow(t, check, "check-drift")
	b.Await(t, "/vnflcm/v1/vnf_lcm_op_occs/"+string(report.Decision.OpOccID), quick, "COMPLETED")
	b.RequireCluster(t, 3, 3)
	require.NotContains(t, b.Vnfcs(t, vnf), worker)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}
