package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script is an operation that continues whenever the client has got an event.
type script struct {
	mu     sync.Mutex
	ops    []string
	steps  []string
	at     int
	opened []string // Last-Event-ID of each stream
}

func (s *script) current(list []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return list[min(s.at, len(list)-1)]
}

func (s *script) api() *fakeAPI {
	return &fakeAPI{answers: map[string]http.HandlerFunc{
		"GET /vnflcm/v1/vnf_lcm_op_occs/" + opID: func(w http.ResponseWriter, r *http.Request) {
			ok(200, s.current(s.ops))(w, r)
		},
		"GET /windlass/v1/vnf_lcm_op_occs/" + opID + "/steps": func(w http.ResponseWriter, r *http.Request) {
			ok(200, s.current(s.steps))(w, r)
			s.mu.Lock()
			s.at++
			s.mu.Unlock()
		},
		"GET /windlass/v1/vnf_lcm_op_occs/" + opID + "/events": s.events,
		"POST /vnflcm/v1/vnf_lcm_op_occs/" + opID + "/retry":   accepted(""),
	}}
}

// events sends one event whenever the steps were read, and ends the stream early once.
func (s *script) events(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.opened = append(s.opened, r.Header.Get("Last-Event-ID"))
	first := len(s.opened) == 1
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	_, _ = io.WriteString(w, "id: 7\nevent: step\ndata: {}\n\n")
	_ = flush.Flush()
	if first {
		return
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			_, _ = io.WriteString(w, ": still there\n\n")
			_ = flush.Flush()
		}
	}
}

func opIn(state, entered string) string {
	return `{"id":"` + opID + `","operation":"INSTANTIATE","operationState":"` + state + `","startTime":"2026-11-21T11:59:00Z",
		"stateEnteredTime":"` + entered + `","_links":{"retry":{"href":"x"},"rollback":{"href":"x"}},"error":{"detail":"cp-1 is out of disk; make room and retry."}}`
}

func stepIn(state, node string) string {
	return `{"index":0,"title":"Join the workers","phase":"FORWARD","node":"` + node + `","state":"` + state + `","attempt":1,
		"startedAt":"2026-11-21T11:59:10Z","endedAt":"2026-11-21T11:59:22Z","error":{"detail":"out of disk"}}`
}

func TestWatch_writesALineForEveryChange(t *testing.T) {
	s := &script{
		ops: []string{
			opIn("STARTING", "2026-11-21T11:59:00Z"), opIn("PROCESSING", "2026-11-21T11:59:01Z"),
			opIn("PROCESSING", "2026-11-21T11:59:01Z"), opIn("COMPLETED", "2026-11-21T11:59:40Z"),
		},
		steps: []string{
			`[]`, `[` + stepIn("RUNNING", "worker-1") + `]`, `[` + stepIn("RUNNING", "worker-1") + `]`,
			`[` + stepIn("DONE", "worker-1") + `]`,
		},
	}
	got := windlass(t, s.api(), "op", "watch", opID)
	assert.Equal(t, result{0, "01:00 INSTANTIATE STARTING\n01:00 INSTANTIATE PROCESSING\n01:00 worker-1: Join the " +
		"workers: running\n" +
		"00:40 worker-1: Join the workers: done in 12s\n00:40 INSTANTIATE COMPLETED\n", ""}, got)
	assert.Equal(t, []string{"", "7"}, s.opened, "a broken stream goes on after the last event")
}

func TestWatch_saysWhatCanBeDoneAboutAFailure(t *testing.T) {
	s := &script{
		ops:   []string{opIn("FAILED_TEMP", "2026-11-21T11:59:40Z")},
		steps: []string{`[` + stepIn("FAILED", "cp-1") + `]`},
	}
	got := windlass(t, s.api(), "op", "watch", opID)
	assert.Equal(t, exitWaiting, got.code)
	golden(t, "watch-failed", got.out+got.err)
}

func TestWatch_offersNoRollbackWhereTheAPIDoesNot(t *testing.T) {
	failed := strings.Replace(opIn("FAILED_TEMP", "2026-11-21T11:59:40Z"), `,"rollback":{"href":"x"}`, "", 1)
	s := &script{ops: []string{failed}, steps: []string{`[]`}}
	got := windlass(t, s.api(), "op", "watch", opID)
	assert.Equal(t, exitWaiting, got.code)
	assert.Contains(t, got.err, "windlass op retry "+opID)
	assert.NotContains(t, got.err, "rollback")
}

func TestRetry_watchesPastTheFailureItRetries(t *testing.T) {
	failed := opIn("FAILED_TEMP", "2026-11-21T11:59:40Z")
	s := &script{ops: []string{failed, failed, opIn("COMPLETED", "2026-11-21T11:59:50Z")}, steps: []string{`[]`}}
	got := windlass(t, s.api(), "op", "retry", opID, "--watch")
	assert.Equal(t, 0, got.code, got.err)
	assert.Contains(t, got.out, "COMPLETED")
}

func TestOpDecision_waitsWithoutOutput(t *testing.T) {
	failed := opIn("FAILED_TEMP", "2026-11-21T11:59:40Z")
	s := &script{ops: []string{failed, failed, opIn("COMPLETED", "2026-11-21T11:59:50Z")}, steps: []string{`[]`}}
	got := windlass(t, s.api(), "op", "retry", opID, "--wait", "--timeout", "1m")
	assert.Equal(t, result{0, "Operation " + opID + " has completed.\n", ""}, got)
	got = windlass(t, s.api(), "op", "retry", opID, "--timeout", "1m")
	assert.Equal(t, exitUsage, got.code, "--timeout is for --wait and --watch")
}

func TestWatch_endsAtOnceForAnOperationThatDoesNotExist(t *testing.T) {
	got := windlass(t, &fakeAPI{}, "op", "watch", opID)
	assert.Equal(t, result{1, "", "windlass: There is no such resource.\n"}, got)
}

func TestWatch_waitsForAnAPIThatIsBeingRestarted(t *testing.T) {
	s := &script{ops: []string{opIn("COMPLETED", "2026-11-21T11:59:50Z")}, steps: []string{`[]`}}
	api := s.api()
	path := "GET /vnflcm/v1/vnf_lcm_op_occs/" + opID
	answer, away := api.answers[path], true
	api.answers[path] = func(w http.ResponseWriter, r *http.Request) {
		if away {
			away = false
			problem(503, `{"status":503,"detail":"The database is away."}`)(w, r)
			return
		}
		answer(w, r)
	}
	got := windlass(t, api, "op", "watch", opID)
	assert.Equal(t, 0, got.code, got.err)
	assert.Contains(t, got.out, "The database is away.\n")
}

func TestLiveView_redrawsInPlaceAndFitsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	v := &liveView{out: &out, now: func() time.Time { return noon }, size: func() (int, int) { return 90, 20 }}
	snap := snapshot{}
	require.NoError(t, json.Unmarshal([]byte(opIn("PROCESSING", "2026-11-21T11:59:01Z")), &snap.op))
	require.NoError(t, json.Unmarshal([]byte(steps), &snap.steps))
	v.show(snap)
	first := out.String()
	golden(t, "live-view", readable(first))
	out.Reset()
	v.tick()
	assert.True(t, strings.HasPrefix(out.String(), "\x1b["+string(rune('0'+v.drawn))+"A"),
		"the second drawing covers the first")
	for line := range strings.Lines(readable(first)) {
		assert.LessOrEqual(t, len([]rune(strings.TrimRight(stripStyles(line), "\n"))), 90, line)
	}

	out.Reset()
	v.size = func() (int, int) { return 90, 4 }
	v.tick()
	assert.Equal(t, 3, v.drawn, "no more lines than the terminal has")

	out.Reset()
	v.colourless = true
	v.tick()
	assert.NotEmpty(t, out.String())
	for _, style := range []string{green, red, yellow, dim, plain} {
		assert.NotContains(t, out.String(), style)
	}
}

func readable(text string) string { return strings.ReplaceAll(text, "\x1b", "^") }

func stripStyles(text string) string {
	for _, style := range []string{green, red, yellow, dim, plain, "\x1b[J"} {
		text = strings.ReplaceAll(text, readable(style), "")
	}
	return strings.TrimPrefix(text, "\r")
}

func TestPackageCreate_buildsADirectoryAndUploadsIt(t *testing.T) {
	dir := "../../vnfpkg/samples/k8s-ha"
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	api := resources()
	api.answers["POST /vnfpkgm/v1/vnf_packages"] = ok(201, `{"id":"52a2f1f4"}`)
	api.answers["PUT /vnfpkgm/v1/vnf_packages/52a2f1f4/package_content"] = ok(202, "")
	got := windlass(t, api, "package", "create", dir)
	require.Equal(t, 0, got.code, got.err)
	assert.True(t, strings.HasPrefix(api.last("PUT").body, "PK"), "a zip archive")
	assert.Contains(t, got.out, "ONBOARDED")
}

func TestPackageCreate_leavesNoPackageThatWasRefused(t *testing.T) {
	file := t.TempDir() + "/bad.zip"
	require.NoError(t, os.WriteFile(file, []byte("no zip"), 0o600))
	api := resources()
	api.answers["POST /vnfpkgm/v1/vnf_packages"] = ok(201, `{"id":"52a2f1f4"}`)
	api.answers["PUT /vnfpkgm/v1/vnf_packages/52a2f1f4/package_content"] = problem(400,
		`{"status":400,"detail":"The package is not a zip archive."}`)
	got := windlass(t, api, "package", "create", file)
	assert.Equal(t, result{1, "", "windlass: The package is not a zip archive.\n"}, got)
	assert.Equal(t, "/vnfpkgm/v1/vnf_packages/52a2f1f4", api.last("DELETE").path)
}

func TestPackageBuild_leavesTheFormerFileWhenItFails(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/old.zip"
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	got := command(t, "", "package", "build", t.TempDir(), "-o", file)
	assert.Equal(t, 1, got.code)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "old", string(content))
}
