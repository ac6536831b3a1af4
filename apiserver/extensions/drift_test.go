package extensions_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
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

func driftBench(t *testing.T) (*servertest.Bench, *rememberingChecks, lcm.VnfInstanceID) {
	checks := &rememberingChecks{schedules: map[lcm.VnfInstanceID]int{}}
	b := servertest.New(t, func(o *apiserver.Options) { o.Checks = checks })
	instance := b.Running("/vnflcm/v1")
	return b, checks, lcm.VnfInstanceID(instance[strings.LastIndexByte(instance, '/')+1:])
}

const away = "Temporal is away."

func TestDrift_showsTheLastReport(t *testing.T) {
	b, checks, id := driftBench(t)
	path := "/windlass/v1/vnf_instances/" + string(id) + "/drift"
	require.Contains(t, b.Do("GET", path, nil).Problem(http.StatusNotFound), "not checked yet")
	a := b.Do("POST", path, nil)
	require.Equal(t, "run-1", a.Want(http.StatusAccepted)["checkId"])
	require.Equal(t, path, a.Path())
	report := lcm.DriftReport{
		ID: "run-1-1", Trigger: lcm.DriftByRequest, CheckedAt: time.Now(),
		Findings: []lcm.DriftFinding{{
			Kind: lcm.DriftServerStopped, VnfcInstanceID: "worker-1", Node: "node-worker-1", Detail: "It is off.",
			Remedy: lcm.RemedyVnfc, Automatic: true,
		}}, Decision: lcm.DriftDecision{Action: lcm.DriftNothing, Reason: "The policy does not heal."},
	}
	_, err := b.Store.RecordDrift(t.Context(), id, report, nil)
	require.NoError(t, err)
	doc := b.Do("GET", path, nil).Want(http.StatusOK)
	require.Equal(t, string(id), doc["vnfInstanceId"])
	require.Equal(t, map[string]any{
		"kind": "SERVER_STOPPED", "vnfcInstanceId": "worker-1", "node": "node-worker-1", "detail": "It is off.",
		"remedy": "HEAL_VNFC", "automatic": true, "checks": 1.0,
	}, doc["findings"].([]any)[0])

	b.Do("POST", "/vnflcm/v1/vnf_instances/"+string(id)+"/heal", `{}`).Want(http.StatusAccepted)
	require.Contains(t, b.Do("POST", path, nil).Problem(http.StatusConflict), "under way")
	require.Equal(t, 1, checks.checks)
	b.Do("GET", "/windlass/v1/vnf_instances/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30/drift", nil).Problem(http.StatusNotFound)
}

func TestDriftPolicy_isKeptAndScheduled(t *testing.T) {
	b, checks, id := driftBench(t)
	path := "/windlass/v1/vnf_instances/" + string(id) + "/drift_policy"
	byDefault := map[string]any{
		"check": false, "interval": 300.0, "autoHeal": false, "agreeingChecks": 2.0,
		"maxHeals": 3.0, "maxHealsPeriod": 3600.0,
	}
	require.Equal(t, byDefault, b.Do("GET", path, nil).Want(http.StatusOK))
	a := b.Do("PUT", path, `{"check":true,"interval":1,"agreeingChecks":0}`)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.interval", "$.agreeingChecks"}, a.Paths())

	set := b.Do("PUT", path, `{"check":true,"interval":60,"autoHeal":true}`).Want(http.StatusOK)
	require.Equal(t, set, b.Do("GET", path, nil).Want(http.StatusOK))
	require.Equal(t, 60, checks.schedules[id])

	checks.down = lcm.Errorf(lcm.KindUnavailable, away)
	b.Do("PUT", path, `{}`).Want(http.StatusOK)
	require.Equal(t, byDefault, b.Do("GET", path, nil).Want(http.StatusOK))
	reconciler := b.Server.Reconciler()
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
	b.Do("POST", path+"worker-0/notify", body).Want(http.StatusNoContent)
	require.Equal(t, []string{"worker-0"}, checks.notified)
	a := b.Do("POST", path+"worker-0/notify", `{"notification":{}}`)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.notification.alarm_id", "$.notification.fault_id", "$.notification.fault_type"},
		a.Paths())
	require.Contains(t, b.Do("POST", path+"nobody/notify", body).Problem(http.StatusNotFound), "nobody")

	// The server accepts a notification during an operation; the check waits until the operation ends.
	b.Do("POST", "/vnflcm/v1/vnf_instances/"+string(id)+"/heal",
		`{"vnfcInstanceId":["worker-0"]}`).Want(http.StatusAccepted)
	b.Do("POST", path+"worker-1/notify", body).Want(http.StatusNoContent)
	require.NoError(t, b.Store.ForgetNotified(t.Context(), id)) // a check that looks does the same
	checks.down = lcm.Errorf(lcm.KindUnavailable, away)
	require.NotEmpty(t, b.Do("POST", path+"worker-1/notify", body).Problem(http.StatusServiceUnavailable),
		"who notifies tries again")
	checks.down, checks.notified = nil, nil
	b.Do("POST", path+"worker-1/notify", body).Want(http.StatusNoContent)
	require.Equal(t, []string{"worker-1"}, checks.notified, "the notification was not passed on")
}

// TestServerNotification_aThousandAreOneSignalUntilACheckLooks checks that many notifications cause only one signal,
// because a workflow's history contains every signal.
func TestServerNotification_aThousandAreOneSignalUntilACheckLooks(t *testing.T) {
	b, checks, id := driftBench(t)
	path := "/server_notification/vnf_instances/" + string(id) + "/servers/"
	notify := func(server string, times int) {
		for range times {
			b.Do("POST", path+server+"/notify",
				`{"notification":{"alarm_id":"1","fault_id":"0123","fault_type":"10"}}`).Want(http.StatusNoContent)
		}
	}
	notify("worker-0", 50)
	notify("worker-1", 50)
	require.Equal(t, []string{"worker-0", "worker-1"}, checks.notified)
	require.NoError(t, b.Store.ForgetNotified(t.Context(), id))
	notify("worker-0", 50)
	require.Equal(t, []string{"worker-0", "worker-1", "worker-0"}, checks.notified,
		"what comes after a look is not seen by it")
}
