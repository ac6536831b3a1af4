package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const retriedStep = `[{"index":2,"title":"Look at the infrastructure","phase":"FORWARD","state":"RUNNING","attempt":1,
	"startedAt":"2026-11-21T11:59:10Z","retry":{"attempt":6,"attempts":10,"nextAttemptAt":"2026-11-21T12:00:11Z",
	"error":{"detail":"OpenStack did not answer."}}}]`

// TestRetry_isShownByEveryCommand has an operation whose step is tried again.
func TestRetry_isShownByEveryCommand(t *testing.T) {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_lcm_op_occs/"+opID] = ok(200, opIn("PROCESSING", "2026-11-21T11:59:01Z"))
	api.answers["GET /windlass/v1/vnf_lcm_op_occs/"+opID+"/steps"] = ok(200, retriedStep)
	api.answers["GET /windlass/v1/vnf_lcm_op_occs"] = ok(200, `[{"id":"`+opID+`","step":"Look at the infrastructure",
		"retry":{"attempt":6,"attempts":10,"nextAttemptAt":"2026-11-21T12:00:11Z","error":{"detail":"OpenStack did not answer."}}}]`)
	for command, want := range map[string][]string{
		"op steps " + opID: {"6 of 10", "Next try at 12:00:11Z: OpenStack did not answer."},
		"op show " + opID:  {"Attempt         6 of 10", "Next try        in 11s", "Last error      OpenStack did not answer."},
		"op list":          {"Look at the infrastructure, attempt 6 of 10"},
		"op list -o wide":  {"Next try at 12:00:11Z: OpenStack did not answer."},
	} {
		got := windlass(t, api, strings.Fields(command)...)
		require.Equal(t, 0, got.code, got.err)
		for _, text := range want {
			assert.Contains(t, strings.Join(strings.Fields(got.out), " "), strings.Join(strings.Fields(text), " "), command)
		}
	}
}

// TestSlow_isShownByEveryCommand has operations whose steps take longer than usual.
func TestSlow_isShownByEveryCommand(t *testing.T) {
	api := resources()
	api.answers["GET /vnflcm/v1/vnf_lcm_op_occs/"+opID] = ok(200, opIn("PROCESSING", "2026-11-21T11:50:00Z"))
	api.answers["GET /windlass/v1/vnf_lcm_op_occs/"+opID+"/steps"] = ok(200, `[{"index":2,"title":"Join the new nodes",
		"phase":"FORWARD","state":"RUNNING","attempt":1,"startedAt":"2026-11-21T11:54:00Z","usualSeconds":41.2,"slow":true}]`)
	for command, want := range map[string]string{
		"op steps " + opID: "6m0s, slow: usually 41s",
		"op show " + opID:  "Join the new nodes, slow: usually 41s",
	} {
		got := windlass(t, api, strings.Fields(command)...)
		require.Equal(t, 0, got.code, got.err)
		assert.Contains(t, got.out, want, command)
	}
	for slow, want := range map[string]string{
		`{"since":"2026-11-21T11:54:00Z","usualSeconds":41.2}`: "Join the new nodes, slow: usually 41s",
		`{"since":"2026-11-21T11:54:00Z","usualSeconds":0}`:    "Join the new nodes, no worker goes on",
		`{"since":"2026-11-21T11:54:00Z"}`:                     "Join the new nodes, slow\n",
		`null`:                                                 "Join the new nodes\n",
	} {
		api.answers["GET /windlass/v1/vnf_lcm_op_occs"] = ok(200,
			`[{"id":"`+opID+`","step":"Join the new nodes","slow":`+slow+`}]`)
		got := windlass(t, api, "op", "list")
		require.Equal(t, 0, got.code, got.err)
		assert.Contains(t, got.out, want)
	}
}

// watched is a plain view with a clock that the test moves.
type watched struct {
	*plainView
	out  bytes.Buffer
	time time.Time
	op   opOcc
}

func newWatched(w *watcher) *watched {
	v := &watched{time: noon, op: opOcc{Operation: lcm.OpScale, State: lcm.Processing, Start: noon}}
	v.plainView = newPlainView(&v.out, func() time.Time { return v.time }, w)
	v.state = lcm.Processing
	return v
}

func (v *watched) said() string {
	defer v.out.Reset()
	return v.out.String()
}

func (v *watched) after(seconds int, steps ...step) {
	v.time = v.time.Add(time.Duration(seconds) * time.Second)
	v.show(snapshot{v.op, steps})
}

func TestPlainView_writesALineForEachAttemptOfAStep(t *testing.T) {
	v := newWatched(&watcher{})
	look := func(r *retry) step {
		return step{Title: "Look at the infrastructure", State: lcm.StepRunning, Attempt: 1, Started: &noon, Retry: r}
	}
	away := &apiError{Detail: "OpenStack did not answer."}
	next := noon.Add(3 * time.Second)
	v.after(0, look(nil))
	v.after(1, look(&retry{Attempt: 1, Attempts: 10, Next: &next, Error: away}))
	v.after(1, look(&retry{Attempt: 1, Attempts: 10, Next: &next, Error: away}))
	v.after(1, look(&retry{Attempt: 2, Attempts: 10, Error: away}))
	v.after(1, look(&retry{Attempt: 3, Attempts: 10, Error: away})) // the end of the second attempt was not seen
	v.time = v.time.Add(stillEvery)
	v.tick()
	v.after(1, look(nil))
	assert.Equal(t, `00:00 Look at the infrastructure: running
00:01 Look at the infrastructure: attempt 1 of 10 failed: OpenStack did not answer. Next try in 2s.
00:04 Look at the infrastructure: attempt 2 of 10 failed: OpenStack did not answer.
00:13 Look at the infrastructure: still running after 13s, attempt 3 of 10; steps left: 0
`, v.said())
}

// nodesOfStep are a step and six nodes that fail for one cause, which names each node and its address.
func nodesOfStep(state lcm.StepState, whole lcm.StepState, r func(detail string) (*retry, *apiError)) []step {
	out := []step{{Title: "Join the other nodes", State: whole, Attempt: 1, Started: &noon, Ended: &noon}}
	for i := range 6 {
		node := fmt.Sprintf("worker-%d", i)
		retried, failed := r(fmt.Sprintf("%s: The registry does not answer to %s (192.0.2.%d).", node, node, i))
		out = append(out, step{
			Title: "Join the other nodes", Node: node, State: state, Attempt: 3, Started: &noon, Ended: &noon,
			Retry: retried, Error: failed,
		})
	}
	return out
}

func TestPlainView_writesOneLineForNodesThatFailForOneCause(t *testing.T) {
	v := newWatched(&watcher{})
	next := noon.Add(9 * time.Second)
	again := func(detail string) (*retry, *apiError) {
		return &retry{Attempt: 3, Attempts: 10, Next: &next, Error: &apiError{Detail: detail}}, nil
	}
	begun := nodesOfStep(lcm.StepRunning, lcm.StepRunning, func(string) (*retry, *apiError) { return nil, nil })
	v.after(0, begun...)
	v.said()
	failed := nodesOfStep(lcm.StepFailed, lcm.StepRunning, again)
	v.after(1, append(failed[:4:4], begun[4:]...)...)
	assert.Empty(t, v.said(), "two nodes are still at it")
	v.after(0, failed...)
	assert.Equal(t, "00:01 Join the other nodes: attempt 3 of 10 failed on 6 of 6 nodes: The registry does not answer to the "+
		"node. Next try in 8s.\n", v.said())

	running := nodesOfStep(lcm.StepRunning, lcm.StepRunning, func(detail string) (*retry, *apiError) {
		return &retry{Attempt: 4, Attempts: 10, Error: &apiError{Detail: detail}}, nil
	})
	v.after(8, running...)
	assert.Empty(t, v.said(), "the next attempt needs no line")

	failed[1].Retry = &retry{Attempt: 4, Attempts: 10, Next: &next, Error: &apiError{Detail: "worker-0 is full"}}
	v.after(0, append([]step{running[0], failed[1]}, running[2:]...)...)
	v.tick()
	assert.Empty(t, v.said())
	v.time = v.time.Add(gatherFor)
	v.tick()
	assert.Equal(t, "00:11 worker-0: Join the other nodes: attempt 4 of 10 failed: worker-0 is full. Next try in 0s.\n", v.said(),
		"it does not wait for ever for the other nodes")

	last := nodesOfStep(lcm.StepFailed, lcm.StepFailed, func(detail string) (*retry, *apiError) {
		return nil, &apiError{Detail: detail}
	})
	for i := range last {
		last[i].Attempt = 10
	}
	v.after(1, last...)
	assert.Equal(t, "00:12 Join the other nodes: failed on 6 of 6 nodes: The registry does not answer to the node.\n"+
		"00:12 Join the other nodes: failed, attempt 10: \n", v.said(),
		"the nodes come before their step")
}

func TestRetry_doesNotRepeatWhatIsKnown(t *testing.T) {
	failed := opIn("FAILED_TEMP", "2026-11-21T11:59:40Z")
	for _, action := range []string{"retry", "rollback", "fail"} {
		end := map[string]string{"retry": "COMPLETED", "rollback": "ROLLED_BACK", "fail": "FAILED"}[action]
		s := &script{
			ops: []string{failed, failed, opIn("PROCESSING", "2026-11-21T11:59:41Z"), opIn(end, "2026-11-21T11:59:50Z")},
			steps: []string{
				`[` + stepIn("FAILED", "worker-1") + `]`, `[` + stepIn("FAILED", "worker-1") + `]`,
				`[` + strings.Replace(stepIn("RUNNING", "worker-1"), `"attempt":1`, `"attempt":2`, 1) + `]`,
				`[` + strings.Replace(stepIn("DONE", "worker-1"), `"attempt":1`, `"attempt":2`, 1) + `]`,
			},
		}
		api := s.api()
		api.answers["POST /vnflcm/v1/vnf_lcm_op_occs/"+opID+"/"+action] = accepted("")
		got := windlass(t, api, "op", action, opID, "--watch")
		require.Equal(t, 0, got.code, got.err)
		assert.NotContains(t, got.out, "out of disk")
		assert.NotContains(t, got.out, "FAILED_TEMP")
		assert.Contains(t, got.out, "worker-1: Join the workers: done in 12s, attempt 2\n")
		assert.Contains(t, got.out, end)
	}
}
