package apiserver

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// rememberingChecks replaces Temporal's schedules and checks, and records the calls.
type rememberingChecks struct {
	schedules map[lcm.VnfInstanceID]int
	checks    int
	notified  []string
	down      error
}

func (r *rememberingChecks) ScheduleChecks(_ context.Context, id lcm.VnfInstanceID, interval int) error {
	if r.down == nil {
		r.schedules[id] = interval
	}
	return r.down
}

func (r *rememberingChecks) CheckNow(context.Context, lcm.VnfInstanceID) (string, error) {
	r.checks++
	return "run-1", r.down
}

func (r *rememberingChecks) Notify(_ context.Context, _ lcm.VnfInstanceID, server string) error {
	if r.down == nil {
		r.notified = append(r.notified, server)
	}
	return r.down
}

func driftBench(t *testing.T) (*bench, *rememberingChecks, lcm.VnfInstanceID) {
	checks := &rememberingChecks{schedules: map[lcm.VnfInstanceID]int{}}
	b := newBench(t, func(o *Options) { o.Checks = checks })
	instance := b.running("/vnflcm/v1")
	return b, checks, lcm.VnfInstanceID(instance[strings.LastIndexByte(instance, '/')+1:])
}

const away = "Temporal is away."

func TestDrift_showsTheLastReport(t *testing.T) {
	b, checks, id := driftBench(t)
	path := "/windlass/v1/vnf_instances/" + string(id) + "/drift"
	require.Contains(t, b.do("GET", path, nil).problem(http.StatusNotFound), "not checked yet")
	a := b.do("POST", path, nil)
	require.Equal(t, "run-1", a.want(http.StatusAccepted)["checkId"])
	require.Equal(t, path, a.path())
	report := lcm.DriftReport{
		ID: "run-1-1", Trigger: lcm.DriftByRequest, CheckedAt: time.Now(),
		Findings: []lcm.DriftFinding{{
			Kind: lcm.DriftServerStopped, VnfcInstanceID: "worker-1", Node: "node-worker-1", Detail: "It is off.",
			Remedy: lcm.RemedyVnfc, Automatic: true,
		}}, Decision: lcm.DriftDecision{Action: lcm.DriftNothing, Reason: "The policy does not heal."},
	}
	_, err := b.store.RecordDrift(t.Context(), id, report, nil)
	require.NoError(t, err)
	doc := b.do("GET", path, nil).want(http.StatusOK)
	require.Equal(t, string(id), doc["vnfInstanceId"])
	require.Equal(t, map[string]any{
		"kind": "SERVER_STOPPED", "vnfcInstanceId": "worker-1", "node": "node-worker-1", "detail": "It is off.",
		"remedy": "HEAL_VNFC", "automatic": true, "checks": 1.0,
	}, doc["findings"].([]any)[0])

	b.do("POST", "/vnflcm/v1/vnf_instances/"+string(id)+"/heal", `{}`).want(http.StatusAccepted)
	require.Contains(t, b.do("POST", path, nil).problem(http.StatusConflict), "under way")
	require.Equal(t, 1, checks.checks)
	b.do("GET", "/windlass/v1/vnf_instances/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30/drift", nil).problem(http.StatusNotFound)
}

func TestDriftPolicy_isKeptAndScheduled(t *testing.T) {
	b, checks, id := driftBench(t)
	path := "/windlass/v1/vnf_instances/" + string(id) + "/drift_policy"
	byDefault := map[string]any{
		"check": false, "interval": 300.0, "autoHeal": false, "agreeingChecks": 2.0,
		"maxHeals": 3.0, "maxHealsPeriod": 3600.0,
	}
	require.Equal(t, byDefault, b.do("GET", path, nil).want(http.StatusOK))
	a := b.do("PUT", path, `{"check":true,"interval":1,"agreeingChecks":0}`)
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.interval", "$.agreeingChecks"}, a.paths())

	set := b.do("PUT", path, `{"check":true,"interval":60,"autoHeal":true}`).want(http.StatusOK)
	require.Equal(t, set, b.do("GET", path, nil).want(http.StatusOK))
	require.Equal(t, 60, checks.schedules[id])

	checks.down = lcm.Errorf(lcm.KindUnavailable, away)
	b.do("PUT", path, `{}`).want(http.StatusOK)
	require.Equal(t, byDefault, b.do("GET", path, nil).want(http.StatusOK))
	reconciler := b.server.Reconciler()
	reconciler.Watcher = runningAll{}
	require.ErrorContains(t, reconciler.Once(t.Context()), away)
	checks.down = nil
	require.NoError(t, reconciler.Once(t.Context()), "the schedule follows when Temporal is back")
	require.Zero(t, checks.schedules[id])
}

// runningAll says that every workflow is running.
type runningAll struct{}

func (runningAll) Running(context.Context, lcm.OpOccID) (bool, error) { return true, nil }

func TestServerNotification_isTakenWhereTackerTakesIt(t *testing.T) {
	b, checks, id := driftBench(t)
	path := "/server_notification/vnf_instances/" + string(id) + "/servers/"
	body := `{"notification":{"host_id":"1","alarm_id":"1","fault_id":"0123","fault_type":"10","fault_option":{"a":"b"}}}`
	b.do("POST", path+"worker-0/notify", body).want(http.StatusNoContent)
	require.Equal(t, []string{"worker-0"}, checks.notified)
	a := b.do("POST", path+"worker-0/notify", `{"notification":{}}`)
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.notification.alarm_id", "$.notification.fault_id", "$.notification.fault_type"},
		a.paths())
	require.Contains(t, b.do("POST", path+"nobody/notify", body).problem(http.StatusNotFound), "nobody")

	// The server accepts a notification during an operation; the check waits until the operation ends.
	b.do("POST", "/vnflcm/v1/vnf_instances/"+string(id)+"/heal",
		`{"vnfcInstanceId":["worker-0"]}`).want(http.StatusAccepted)
	b.do("POST", path+"worker-1/notify", body).want(http.StatusNoContent)
	require.NoError(t, b.store.ForgetNotified(t.Context(), id)) // a check that looks does the same
	checks.down = lcm.Errorf(lcm.KindUnavailable, away)
	require.NotEmpty(t, b.do("POST", path+"worker-1/notify", body).problem(http.StatusServiceUnavailable),
		"who notifies tries again")
	checks.down, checks.notified = nil, nil
	b.do("POST", path+"worker-1/notify", body).want(http.StatusNoContent)
	require.Equal(t, []string{"worker-1"}, checks.notified, "the notification was not passed on")
}

// TestServerNotification_aThousandAreOneSignalUntilACheckLooks checks that many notifications cause only one signal,
// because a workflow's history contains every signal.
func TestServerNotification_aThousandAreOneSignalUntilACheckLooks(t *testing.T) {
	b, checks, id := driftBench(t)
	path := "/server_notification/vnf_instances/" + string(id) + "/servers/"
	notify := func(server string, times int) {
		for range times {
			b.do("POST", path+server+"/notify",
				`{"notification":{"alarm_id":"1","fault_id":"0123","fault_type":"10"}}`).want(http.StatusNoContent)
		}
	}
	notify("worker-0", 50)
	notify("worker-1", 50)
	require.Equal(t, []string{"worker-0", "worker-1"}, checks.notified)
	require.NoError(t, b.store.ForgetNotified(t.Context(), id))
	notify("worker-0", 50)
	require.Equal(t, []string{"worker-0", "worker-1", "worker-0"}, checks.notified,
		"what comes after a look is not seen by it")
}
