package e2e

import (
	"encoding/json"
	"net/http"
	"path"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// triedAgain is how it stands with work that is tried again.
type triedAgain struct {
	Attempt       int        `json:"attempt"`
	Attempts      int        `json:"attempts"`
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
	Error         struct {
		Detail string `json:"detail"`
	} `json:"error"`
}

// progressRow is a row of the steps, or of the list of operations.
type progressRow struct {
	Title string      `json:"title"`
	Step  string      `json:"step"`
	Node  string      `json:"node"`
	Retry *triedAgain `json:"retry"`
}

func (b *bed) progressOf(t *testing.T, path string) (rows []progressRow) {
	t.Helper()
	require.NoError(t, json.Unmarshal(b.Call(t, http.MethodGet, path, nil).Body, &rows))
	return rows
}

// TestRetries_areTold has a step that cannot reach the VIM, and then one that cannot reach its nodes. The API tells
// attempt, last error and next try of both while they go on, and the list names the step.
func TestRetries_areTold(t *testing.T) {
	b := newBed(t, environment.Fake)
	b.Fault(t, map[string]any{"service": "heat", "drop": true, "count": -1})
	vnf, op := b.Instantiate(t, "retried", nil)
	steps := "/windlass/v1/vnf_lcm_op_occs/" + path.Base(op) + "/steps"

	told := func(title string, ofNode bool) triedAgain {
		t.Helper()
		var found triedAgain
		require.Eventually(t, func() bool {
			for _, row := range b.progressOf(t, steps) {
				if row.Title == title && (row.Node != "") == ofNode && row.Retry != nil && row.Retry.Attempt > 1 &&
					row.Retry.NextAttemptAt != nil {
					found = *row.Retry
					return true
				}
			}
			return false
		}, time.Minute, 20*time.Millisecond, "no row of %q is tried again", title)
		var listed []progressRow
		require.Eventually(t, func() bool {
			listed = b.progressOf(t, "/windlass/v1/vnf_lcm_op_occs")
			return len(listed) == 1 && listed[0].Retry != nil
		}, time.Minute, 20*time.Millisecond, "the list does not tell")
		require.Equal(t, title, listed[0].Step)
		return found
	}
	heat := told(createStack, false)
	require.Equal(t, 10, heat.Attempts)
	require.Contains(t, heat.Error.Detail, "OpenStack did not answer")

	b.ClearFaults(t)
	b.ScriptFault(t, map[string]any{
		"script": "prepare-node", "times": 1000, "exit_code": 75, "output": "windlass: The mirror does not answer.",
	})
	require.Contains(t, told("Prepare every node", true).Error.Detail, "The mirror does not answer.")

	b.ClearFaults(t)
	b.Await(t, op, quick, "COMPLETED")
	for _, row := range b.progressOf(t, steps) {
		require.Nil(t, row.Retry, "%s %s: nothing is tried again any more", row.Title, row.Node)
	}
	b.terminate(t, vnf)
}
