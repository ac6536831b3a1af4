package extensions_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestStepsShowNodeStateAttemptAndLastLine(t *testing.T) {
	b := servertest.New(t)
	opOcc := b.Began()
	steps := b.Do("GET", servertest.ProgressOf(opOcc)+"/steps", nil).List()
	require.Equal(t, map[string]any{
		"index": 0.0, "title": "Create the infrastructure", "phase": "FORWARD", "state": "PENDING", "attempt": 0.0,
	}, steps[0])
	last := steps[len(steps)-1]
	require.Equal(t, map[string]any{
		"index": 1.0, "title": "Join the workers", "phase": "FORWARD", "node": "worker-2", "state": "RUNNING", "attempt": 1.0,
		"startedAt": "2030-01-02T03:04:05Z", "lastOutputLine": "joined worker-2",
	}, last)
	b.Do("GET", "/windlass/v1/vnf_lcm_op_occs/nothing/steps", nil).Problem(http.StatusNotFound)

	require.NoError(t, b.Store.KeepDrain(t.Context(), b.Operation(opOcc).ID, lcm.DrainDecision{
		Node: "worker-2", Step: 1, Phase: lcm.PhaseForward, Action: lcm.DrainForced, Detail: "Pods were deleted.",
		At: time.Date(2030, 1, 2, 3, 5, 0, 0, time.UTC),
	}))
	steps = b.Do("GET", servertest.ProgressOf(opOcc)+"/steps", nil).List()
	require.Equal(t, []any{map[string]any{
		"action": "FORCED", "detail": "Pods were deleted.", "at": "2030-01-02T03:05:00Z",
	}}, steps[len(steps)-1]["decisions"])
	require.NotContains(t, steps[0], "decisions")
}

func TestOutputIsServedByStepAndNode(t *testing.T) {
	b := servertest.New(t)
	progress := servertest.ProgressOf(b.Began())
	one := b.Do("GET", progress+"/steps/1/output?node=worker-2", nil)
	one.Want(http.StatusOK)
	require.Equal(t, "text/plain; charset=utf-8", one.Header.Get("Content-Type"))
	require.Equal(t, "pulling images\njoined worker-2\n", string(one.Body))
	require.Contains(t, string(b.Do("GET", progress+"/steps/1/output", nil).Body), "worker-1: joined worker-1\n")
	numbered := string(b.Do("GET", progress+"/steps/1/output?node=worker-2&numbered=true", nil).Body)
	require.Regexp(t, `^\d+\tpulling images\n\d+\tjoined worker-2\n$`, numbered)
	logs := string(b.Do("GET", progress+"/logs", nil).Body)
	require.Contains(t, logs, "==> 1. Join the workers\n")
	require.Contains(t, logs, "worker-2: joined worker-2\n")
	require.NotContains(t, logs, "==> 0. ", "a step that has not begun")
	require.NotContains(t, string(b.Do("GET", progress+"/logs?step=0", nil).Body), "joined")
	b.Do("GET", progress+"/steps/9/output", nil).Problem(http.StatusNotFound)
	b.Do("GET", progress+"/steps/x/output", nil).Problem(http.StatusNotFound)
	b.Do("GET", progress+"/steps/1/output?node=worker-9", nil).Problem(http.StatusNotFound)
}

func TestEventStreamReplaysFollowsAndEnds(t *testing.T) {
	b := servertest.New(t)
	opOcc := b.Began()
	stream := listen(b, servertest.ProgressOf(opOcc)+"/events", "")
	var first sseEvent
	for e := range stream {
		first = e
		break
	}
	require.Equal(t, "operation", first.kind)
	require.Contains(t, first.data, `"state":"STARTING"`)
	// A client that reconnects continues after the last event that it has got.
	var resumed sseEvent
	for e := range listen(b, servertest.ProgressOf(opOcc)+"/events", first.id) {
		resumed = e
		break
	}
	require.NotEqual(t, first.id, resumed.id)

	b.Enter(opOcc, lcm.FailedTemp,
		func(r *lcm.OperationRecord) { r.Error = lcm.Errorf(lcm.KindBroken, "kubeadm preflight failed") })
	b.Enter(opOcc, lcm.Failed)
	var all []sseEvent
	for e := range stream {
		all = append(all, e)
	}
	require.Contains(t, all[len(all)-1].data, `"state":"FAILED"`, "the stream ends with the operation")
	var kinds []string
	for _, e := range all {
		kinds = append(kinds, e.kind)
		if strings.Contains(e.data, "FAILED_TEMP") {
			require.Contains(t, e.data, `"detail":"kubeadm preflight failed"`)
		}
	}
	require.Contains(t, kinds, "step")
	require.Contains(t, kinds, "output")

	over := b.Do("GET", servertest.ProgressOf(opOcc)+"/events?after="+all[len(all)-1].id, nil)
	require.Equal(t, http.StatusNoContent, over.Status, "nothing more will come")
	replayed := b.Do("GET", servertest.ProgressOf(opOcc)+"/events", nil)
	require.Equal(t, "text/event-stream", replayed.Header.Get("Content-Type"))
	require.Equal(t, len(all)+1, strings.Count(string(replayed.Body), "\ndata: "))
	b.Do("GET", servertest.ProgressOf(opOcc)+"/events", nil, "Last-Event-ID: -1").Problem(http.StatusBadRequest)
}

func TestSilentEventStreamShowsThatItLives(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Heartbeat = 20 * time.Millisecond })
	opOcc := b.Began()
	req, err := http.NewRequestWithContext(
		t.Context(),
		http.MethodGet,
		b.HTTP.URL+servertest.ProgressOf(opOcc)+"/events",
		nil,
	)
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), ":") {
			return
		}
	}
	t.Fatal("no heartbeat came")
}

type sseEvent struct{ id, kind, data string }

// listen opens an event stream; the channel is closed when the stream ends.
func listen(b *servertest.Bench, path, after string) <-chan sseEvent {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.HTTP.URL+path, nil)
	require.NoError(b, err)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, resp.StatusCode)
	events := make(chan sseEvent, 100)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		var e sseEvent
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.kind = value
			case "data":
				e.data = value
			case "":
				if e.id != "" {
					events <- e
				}
				e = sseEvent{}
			}
		}
	}()
	return events
}
