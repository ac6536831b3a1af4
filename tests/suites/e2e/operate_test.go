package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// statuses returns Nova's states of the lab's servers, by their ids.
func (b *bed) statuses(t *testing.T) map[string]string {
	t.Helper()
	var list struct {
		Machines []struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"machines"`
	}
	require.NoError(t, json.Unmarshal(b.Lab(t, http.MethodGet, "/machines", nil).Body, &list))
	out := map[string]string{}
	for _, m := range list.Machines {
		out[m.ID] = m.Status
	}
	return out
}

func (b *bed) requireState(t *testing.T, vnf, state string) {
	t.Helper()
	require.Equal(t, state, b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)["vnfState"])
}

// operating stops and starts a cluster, entirely and in part. Windlass does not heal a server that it has stopped on
// request.
func operating(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "operate", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.setPolicy(t, vnf, map[string]any{"check": true, "interval": 10, "autoHeal": true, "agreeingChecks": 1})
	before := b.Vnfcs(t, vnf)

	op = b.Begin(t, vnf, "operate", map[string]any{
		"changeStateTo": "STOPPED", "stopType": "GRACEFUL", "gracefulStopTimeout": 30,
	})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "operate-stop")
	b.requireState(t, vnf, "STOPPED")
	for id, status := range b.statuses(t) {
		require.Equal(t, "SHUTOFF", status, id)
	}
	require.Len(t, testbed.Affected(b.Get(t, op)), 5)
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/scale",
		map[string]any{"type": "SCALE_OUT", "aspectId": "worker_instance"})
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	require.Contains(t, testbed.Problem(t, a), "start it first")
	require.True(t, sound(b.CheckDrift(t, vnf)), "what was stopped on purpose is in order")
	b.notify(t, vnf, b.VnfcOf(t, vnf, "workerNode"))
	b.AwaitReport(t, vnf, func(r lcm.DriftReport) bool { return r.Trigger == lcm.DriftByNotification && sound(r) })
	require.Empty(t, b.heals(t, vnf))

	op = b.Operate(t, vnf, "STARTED")
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "operate-start")
	b.requireState(t, vnf, "STARTED")
	require.Equal(t, before, b.Vnfcs(t, vnf), "the same VMs")
	b.RequireConsistent(t, vnf)

	worker, masters := b.VnfcOf(t, vnf, "workerNode"), []string{}
	for id, vdu := range before {
		if vdu == "masterNode" {
			masters = append(masters, id)
		}
	}
	a = b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/operate",
		map[string]any{"changeStateTo": "STOPPED", "vnfcInstanceId": masters[:2]})
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	require.Contains(t, testbed.Problem(t, a), "quorum")
	op = b.Begin(t, vnf, "operate", map[string]any{
		"changeStateTo": "STOPPED", "stopType": "GRACEFUL", "gracefulStopTimeout": 30,
		"vnfcInstanceId": []string{worker, masters[0]},
	})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "operate-stop-some")
	b.requireState(t, vnf, "STARTED")
	require.True(t, sound(b.CheckDriftUntil(t, vnf, sound)))
	op = b.Operate(t, vnf, "STARTED")
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "operate-start-some")
	b.RequireConsistent(t, vnf)
	require.Empty(t, b.heals(t, vnf))
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// operatingFails stops a cluster while Nova refuses it. The operation is retried, rolled back, cancelled and given up.
func operatingFails(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "operate-fails", nil)
	b.Await(t, op, quick, "COMPLETED")
	stop := func() string { return b.Operate(t, vnf, "STOPPED") }
	refuse := func() {
		b.Fault(t, map[string]any{
			"service": "nova", "method": "POST", "path": "/action$", "status": 409, "count": 1,
			"message": "Cannot 'stop' instance while it is in task_state migrating",
		})
	}

	refuse()
	op = stop()
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "migrating")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "operate-rollback")
	b.requireState(t, vnf, "STARTED")
	b.RequireConsistent(t, vnf)

	b.Fault(t, map[string]any{"service": "nova", "method": "POST", "path": "/action$", "delay_ms": 60_000})
	op = stop()
	b.AwaitStep(t, op, "Stop the workers")
	b.cancelsSoon(t, op, "FORCEFUL")
	b.ClearFaults(t)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.RequireConsistent(t, vnf)

	refuse()
	op = stop()
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "operate-retry")
	b.requireState(t, vnf, "STOPPED")

	op = b.Operate(t, vnf, "STARTED")
	b.Await(t, op, quick, "COMPLETED")
	refuse()
	op = stop()
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	b.requireState(t, vnf, "STARTED")
	require.True(t, sound(b.CheckDriftUntil(t, vnf, sound)), "what it has stopped was stopped on purpose")
	op = b.Operate(t, vnf, "STARTED")
	b.Await(t, op, quick, "COMPLETED")
	b.RequireConsistent(t, vnf)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}
