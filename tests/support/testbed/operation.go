package testbed

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Begin starts an operation and returns the path of its VnfLcmOpOcc.
func (b *Bed) Begin(t testing.TB, vnf, task string, body any) string {
	t.Helper()
	promised := b.Promised(t, vnf, task, body)
	op := b.accepted(t, b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/"+task, body))
	b.promises.keep(op, promised)
	return op
}

// BeginV2 is Begin in v2 of the API.
func (b *Bed) BeginV2(t testing.TB, vnf, task string, body any) (op string) {
	t.Helper()
	return b.accepted(t, b.Call(t, http.MethodPost, "/vnflcm/v2/vnf_instances/"+vnf+"/"+task, body))
}

// Modify starts a modification of an instance and returns the path of its VnfLcmOpOcc.
func (b *Bed) Modify(t testing.TB, vnf string, patch map[string]any) string {
	t.Helper()
	return b.accepted(t, b.Call(t, http.MethodPatch, "/vnflcm/v1/vnf_instances/"+vnf, patch))
}

// accepted checks that an operation has begun, and returns the path of its VnfLcmOpOcc.
func (b *Bed) accepted(t testing.TB, a Answer) (op string) {
	t.Helper()
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	require.Empty(t, a.Body, "SOL003: 202 has an empty body")
	return strings.TrimPrefix(a.Header.Get("Location"), b.URL)
}

// Await polls an operation until it is in one of the states, and returns it. It fails the test with the times of the
// steps if the operation settles in another state, or takes longer than limit. For an operation that is COMPLETED, it
// compares the steps with those of its plan.
func (b *Bed) Await(t testing.TB, op string, limit time.Duration, states ...string) map[string]any {
	t.Helper()
	for end := time.Now().Add(limit); ; {
		last := b.Get(t, op)
		state, _ := last["operationState"].(string)
		if slices.Contains(states, state) {
			if state == "COMPLETED" {
				b.requirePromised(t, op)
			}
			return last
		}
		// An operation in one of these states does not change by itself.
		settled := slices.Contains([]string{"FAILED_TEMP", "FAILED", "ROLLED_BACK", "COMPLETED"}, state)
		if settled || time.Now().After(end) {
			t.Fatalf("The operation is %s, not %v: %v\n%s", state, states, last["error"], b.Timings(t, op))
		}
		Pause(t)
	}
}

// Pause waits between two polls.
func Pause(t testing.TB) {
	t.Helper()
	select {
	case <-t.Context().Done():
	case <-time.After(50 * time.Millisecond):
	}
}

// Step is a row of an operation's progress.
type Step struct {
	Index   int    `json:"index"`
	Phase   string `json:"phase"`
	Title   string `json:"title"`
	Node    string `json:"node"`
	State   string `json:"state"`
	Attempt int    `json:"attempt"`
	// StartedAt and EndedAt are zero until the step starts or ends.
	StartedAt      time.Time `json:"startedAt"`
	EndedAt        time.Time `json:"endedAt"`
	LastOutputLine string    `json:"lastOutputLine"`
}

// Steps returns the rows of an operation's progress: for each step one row for the whole, and one for each node.
func (b *Bed) Steps(t testing.TB, op string) []Step {
	t.Helper()
	a := b.patiently(t, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+filepath.Base(op)+"/steps", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var out []Step
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out
}

// Act sends a task of an operation: retry, rollback, fail, cancel.
func (b *Bed) Act(t testing.TB, op, action string, body any) Answer {
	t.Helper()
	return b.patiently(t, http.MethodPost, op+"/"+action, body)
}

// AwaitStep waits until a step as a whole is under way.
func (b *Bed) AwaitStep(t testing.TB, op, title string) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, s := range b.Steps(t, op) {
			if s.Title == title && s.Node == "" && s.State == "RUNNING" {
				return true
			}
		}
		return false
	}, time.Minute, 20*time.Millisecond, "%q does not run", title)
}

// AwaitNode waits up to a minute until a node's part of a step is in the state.
func (b *Bed) AwaitNode(t testing.TB, op, title, state string) {
	t.Helper()
	b.AwaitNodeFor(t, op, title, state, time.Minute)
}

// AwaitNodeFor waits until a node's part of a step is in the state.
func (b *Bed) AwaitNodeFor(t testing.TB, op, title, state string, limit time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool { return slices.Contains(b.NodeStates(t, op, title), state) }, limit,
		20*time.Millisecond,
		"no node's part of %q is %s", title, state)
}

// NodeStates returns the states of the nodes' parts of a step.
func (b *Bed) NodeStates(t testing.TB, op, title string) []string {
	t.Helper()
	var out []string
	for _, s := range b.Steps(t, op) {
		if s.Title == title && s.Node != "" {
			out = append(out, s.State)
		}
	}
	return out
}

// Timings returns the time of each step, for the log of CI.
func (b *Bed) Timings(t testing.TB, op string) string {
	t.Helper()
	out, err := b.Windlass(t.Context(), "op", "steps", op[strings.LastIndex(op, "/")+1:]).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return "\n" + string(out)
}
