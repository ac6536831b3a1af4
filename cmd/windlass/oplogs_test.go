package main

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOpLogs_printsAllStepsWithoutANumber(t *testing.T) {
	api := resources()
	assert.Equal(t, result{0, "==> 1. Wait\ncp-1: up 3 s\n", ""}, windlass(t, api, "op", "logs", opID))
	assert.Equal(t, exitUsage, windlass(t, api, "op", "logs", opID, "--step", "-2").code)
}

// talking adds one line to a step's output for each request.
func talking(s *script, lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		n := min(s.at, len(lines))
		s.mu.Unlock()
		for _, line := range lines[:n] {
			fmt.Fprintln(w, line)
		}
	}
}

func followed() (*script, *fakeAPI) {
	s := &script{
		ops: []string{
			opIn("PROCESSING", "2026-11-21T11:59:01Z"), opIn("PROCESSING", "2026-11-21T11:59:01Z"),
			opIn("COMPLETED", "2026-11-21T11:59:40Z"),
		},
		steps: []string{
			`[` + stepIn("RUNNING", "worker-1") + `]`, `[` + stepIn("RUNNING", "worker-1") + `]`,
			`[` + stepIn("DONE", "worker-1") + `]`,
		},
	}
	api := s.api()
	api.answers["GET /windlass/v1/vnf_lcm_op_occs/"+opID+"/steps/0/output"] = talking(s, "worker-1: one", "cp-1: two",
		"worker-1: three")
	return s, api
}

func TestOpLogsFollow_printsEachLineOnce(t *testing.T) {
	_, api := followed()
	assert.Equal(t, result{0, "==> 0. Join the workers\nworker-1: one\ncp-1: two\nworker-1: three\n", ""},
		windlass(t, api, "op", "logs", opID, "-f"))
	_, api = followed()
	assert.Equal(t, result{0, "==> 0. Join the workers\nworker-1: one\nworker-1: three\n", ""},
		windlass(t, api, "op", "logs", opID, "-f", "--step", "0", "--node", "worker-1"))
	_, api = followed()
	assert.Equal(t, result{0, "", ""}, windlass(t, api, "op", "logs", opID, "-f", "--step", "3"))
}

// TestOpLogsFollow_printsLinesThatAreStoredLateOnce stores the first line of worker-2 after the client has read two
// lines of worker-1 with higher numbers.
func TestOpLogsFollow_printsLinesThatAreStoredLateOnce(t *testing.T) {
	s, api := followed()
	looks := []string{
		"1\tworker-1: one\n3\tworker-1: two\n4\tworker-1: two\n",
		"1\tworker-1: one\n2\tworker-2: first\n3\tworker-1: two\n4\tworker-1: two\n6\tworker-2: second\n",
		"1\tworker-1: one\n2\tworker-2: first\n3\tworker-1: two\n4\tworker-1: two\n5\tworker-1: three\n6\tworker-2: second\n",
	}
	api.answers["GET /windlass/v1/vnf_lcm_op_occs/"+opID+"/steps/0/output"] = func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "true", r.URL.Query().Get("numbered"))
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprint(w, looks[min(max(s.at, 1), len(looks))-1])
	}
	assert.Equal(t, result{0, "==> 0. Join the workers\nworker-1: one\nworker-1: two\nworker-1: two\nworker-2: first\n" +
		"worker-2: second\nworker-1: three\n", ""}, windlass(t, api, "op", "logs", opID, "-f"))
}

func TestOpLogsFollow_endsAsAWatchDoes(t *testing.T) {
	s, api := followed()
	s.ops = []string{opIn("FAILED_TEMP", "2026-11-21T11:59:40Z")}
	got := windlass(t, api, "op", "logs", opID, "--follow")
	assert.Equal(t, exitWaiting, got.code)
	assert.Contains(t, got.err, "windlass op retry "+opID)
}
