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

// TestAllEvents_goOnAfterTheLastOne checks that a client that lost the stream of all operations gets the events that
// came meanwhile, of its project only.
func TestAllEvents_goOnAfterTheLastOne(t *testing.T) {
	b, e := servertest.TwoProjects(t, func(o *apiserver.Options) { o.Heartbeat = 20 * time.Millisecond })
	read := func(client, header string, enough func(line string) bool) (lines []string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.HTTP.URL+servertest.AllEvents, nil)
		require.NoError(t, err)
		for _, h := range []string{client, header} {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			lines = append(lines, s.Text())
			if enough(s.Text()) {
				return lines
			}
		}
		t.Fatalf("the stream has ended: %s", lines)
		return nil
	}
	opOcc := e.IDs["vnfLcmOpOccId"]
	failed := read(
		servertest.Edge,
		"Last-Event-ID: 0",
		func(l string) bool { return strings.Contains(l, `"state":"FAILED_TEMP"`) },
	)
	require.Contains(t, failed[len(failed)-1], `"vnfLcmOpOccId":"`+opOcc+`"`)
	require.Contains(t, failed[len(failed)-1], `"vnfInstanceId":"`+e.IDs["vnfInstanceId"]+`"`)
	last := strings.TrimPrefix(failed[len(failed)-3], "id: ")

	b.Enter("/"+opOcc, lcm.RollingBack)
	more := read(servertest.Edge, "Last-Event-ID: "+last, func(l string) bool { return strings.HasPrefix(l, "data: ") })
	require.Contains(t, more[len(more)-1], `"state":"ROLLING_BACK"`, "what was seen does not come again")

	_, err := b.Store.RecordDrift(t.Context(), lcm.VnfInstanceID(e.IDs["vnfInstanceId"]), lcm.DriftReport{
		ID: "check-1", CheckedAt: time.Now(), Findings: []lcm.DriftFinding{{Kind: lcm.DriftServerStopped}},
	}, nil)
	require.NoError(t, err)
	more = read(
		servertest.Edge,
		"Last-Event-ID: "+last,
		func(l string) bool { return strings.Contains(l, `"reportId":"check-1"`) },
	)
	require.Equal(t, "event: drift", more[len(more)-2])
	require.Contains(t, more[len(more)-1], `"findings":1`)
	require.Contains(t, more[len(more)-1], `"vnfInstanceId":"`+e.IDs["vnfInstanceId"]+`"`)
	require.NotContains(t, more[len(more)-1], "vnfLcmOpOccId", "it is of no operation")

	quiet := read(servertest.Core, "Last-Event-ID: 0", func(l string) bool { return l == ": still there" })
	require.NotContains(t, strings.Join(quiet, "\n"), "data:", "another project sees nothing")
	b.Do("GET", servertest.AllEvents, nil, servertest.Edge, "Last-Event-ID: nonsense").Problem(http.StatusBadRequest)
	b.Do("GET", servertest.AllEvents, nil, servertest.As("edge", "vim:v1:readonly")).Problem(http.StatusForbidden)
}
