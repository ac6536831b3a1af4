package faults

import (
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// fault is a column of the matrix.
type fault struct {
	name string
	// strike causes the fault while the cell's step runs. It returns whether the step met the fault: for some faults,
	// only strike can see this.
	strike func(t testing.TB, c *cell) (hit bool)
	// mend ends the fault before the decision on a failed operation, or at the end of the operation.
	mend func(t testing.TB, c *cell)
	// lasts is true if the fault stays until the operation stops.
	lasts bool
	// reason matches the error of an operation that has stopped.
	reason *regexp.Regexp
	// service is set if only steps with requests to this service meet the fault.
	service string
	// containers is true for a fault that only containerised VNFs can meet.
	containers bool
	// elsewhere is true for a fault that only TestSample_ofContainers tests in CI.
	elsewhere bool
}

// anything matches every error. Every cell additionally refuses errors that Windlass did not understand.
var anything = regexp.MustCompile(`\S`)

// aNode matches the name of the node that has failed, or of something that only this node could do.
var aNode = regexp.MustCompile(`(cp|worker|storage|registry|lb|web|gateway)-[0-9a-f]{8}|ansible|etcd|virtual IP`)

// faults are the columns of the matrix.
var faults = []fault{
	{name: "worker killed", strike: signal("worker", syscall.SIGKILL), reason: anything},
	{name: "worker stopped", strike: signal("worker", syscall.SIGTERM), reason: anything},
	{name: "API server killed", strike: signal("apiserver", syscall.SIGKILL), reason: anything},
	{name: "PostgreSQL restarted", strike: signal("postgres", syscall.SIGINT), reason: anything}, // "fast shutdown"
	{name: "Temporal restarted", strike: signal("temporal", syscall.SIGKILL), reason: anything},
	{
		name: "Heat 500", service: "heat", strike: refuse("heat", map[string]any{"status": 500}), mend: clearFaults,
		reason: anything,
	},
	{
		name: "Heat hangs", service: "heat", strike: refuse("heat", map[string]any{"delay_ms": hang.Milliseconds()}),
		mend: clearFaults, reason: anything,
	},
	{
		name: "Nova 500", service: "nova", strike: refuse("nova", map[string]any{"status": 500}), mend: clearFaults,
		reason: anything,
	},
	{
		name: "Nova hangs", service: "nova", strike: refuse("nova", map[string]any{"delay_ms": hang.Milliseconds()}),
		mend: clearFaults, reason: anything,
	},
	{name: "SSH cut", strike: cut, reason: aNode},
	{name: "node frozen", strike: order("freeze"), mend: revive, lasts: true, reason: aNode},
	{name: "node rebooted", strike: order("reboot"), reason: aNode},
	{name: "node killed", strike: order("kill"), mend: revive, lasts: true, reason: aNode},
	{name: "cluster's API server killed", containers: true, strike: killCluster, reason: anything},
	{name: "PostgreSQL killed", elsewhere: true, strike: signal("postgres", syscall.SIGKILL), reason: anything},
}

// hang is longer than Windlass waits for an answer of the cloud in this matrix.
const (
	callTimeout = 8 * time.Second
	hang        = callTimeout + 4*time.Second
)

// signal sends a signal to a process, and waits until another process replaces it.
func signal(process string, with syscall.Signal) func(testing.TB, *cell) bool {
	return func(t testing.TB, c *cell) bool {
		info, err := c.site.bed.Info()
		require.NoError(t, err)
		pid := info.Processes[process]
		require.NotZero(t, pid, "%s does not run", process)
		require.NoError(t, syscall.Kill(pid, with))
		require.Eventually(t, func() bool {
			info, err := c.site.bed.Info()
			return err == nil && info.Processes[process] != 0 && info.Processes[process] != pid
		}, 2*time.Minute, 50*time.Millisecond, "%s does not come back", process)
		c.site.bed.AwaitAPI(t)
		return true
	}
}

// refuse makes a service answer in this way until it has got requests for a moment. The fault hits if there was a
// request.
func refuse(service string, how map[string]any) func(testing.TB, *cell) bool {
	return func(t testing.TB, c *cell) bool {
		order := map[string]any{"service": service, "count": -1}
		maps.Copy(order, how)
		c.site.bed.ClearFaults(t) // the delays of slowDown
		c.site.bed.Fault(t, order)
		var first time.Time
		for end := time.Now().Add(patience); ; testbed.Pause(t) {
			hits := hitsOf(t, c.site.bed)
			if hits > 0 && first.IsZero() {
				first = time.Now()
			}
			// One request that hangs is enough. Refusals must also meet some repetitions.
			if hits > 0 && (how["delay_ms"] != nil || time.Since(first) > 2*time.Second) || c.stopped(t) {
				break
			}
			if hits == 0 && !c.running(t) {
				break
			}
			require.False(t, time.Now().After(end), "%s got no request, and the step did not end", service)
		}
		hit := hitsOf(t, c.site.bed) > 0
		c.site.bed.ClearFaults(t)
		return hit
	}
}

func hitsOf(t testing.TB, b *testbed.Bed) (hits int) {
	t.Helper()
	var all struct {
		Faults []struct {
			Hits int `json:"hits"`
		} `json:"faults"`
	}
	require.NoError(t, json.Unmarshal(b.Lab(t, http.MethodGet, "/faults", nil).Body, &all))
	for _, f := range all.Faults {
		hits += f.Hits
	}
	return hits
}

func clearFaults(t testing.TB, c *cell) { c.site.bed.ClearFaults(t) }

// cut cuts the connections to all nodes that have some, as soon as there is a connection.
func cut(t testing.TB, c *cell) bool {
	for hit := false; ; testbed.Pause(t) {
		for _, id := range serversIn(t, c.site.bed) {
			hit = c.site.bed.Lab(t, http.MethodPost, "/machines/"+id+"/cut", nil).Status < 300 || hit
		}
		if hit || !c.running(t) {
			return hit
		}
	}
}

func serversIn(t testing.TB, b *testbed.Bed) (ids []string) {
	t.Helper()
	var all struct {
		Machines []struct {
			ID string `json:"id"`
		} `json:"machines"`
	}
	require.NoError(t, json.Unmarshal(b.Lab(t, http.MethodGet, "/machines", nil).Body, &all))
	for _, m := range all.Machines {
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	return ids
}

// order does something to the node on which the step works, or to another machine. It misses if there is no machine
// yet, or none any more.
func order(what string) func(testing.TB, *cell) bool {
	return func(t testing.TB, c *cell) bool {
		c.victim = c.chooseVictim(t)
		return c.victim != "" && c.site.bed.Lab(t, http.MethodPost, "/machines/"+c.victim+"/"+what, nil).Status < 300
	}
}

// chooseVictim returns the machine of a node on which the step works, or else the last machine.
func (c *cell) chooseVictim(t testing.TB) string {
	t.Helper()
	ids := serversIn(t, c.site.bed)
	for _, s := range c.site.bed.Steps(t, c.op) {
		if s.Title != c.step || s.Node == "" || s.State != "RUNNING" {
			continue
		}
		_, digits, _ := strings.Cut(s.Node, "-")
		if at := slices.IndexFunc(ids, func(id string) bool { return strings.HasPrefix(id, digits) }); at >= 0 {
			return ids[at]
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[len(ids)-1]
}

// revive thaws and starts the victim, unless it was replaced.
func revive(t testing.TB, c *cell) {
	if c.victim == "" || !slices.Contains(serversIn(t, c.site.bed), c.victim) {
		return
	}
	for _, how := range []string{"thaw", "start"} {
		if how == "start" && c.endsStopped(t) {
			continue
		}
		c.site.bed.Lab(t, http.MethodPost, "/machines/"+c.victim+"/"+how, nil)
	}
}

// logs returns the directory of a bed's logs, for people who examine a failed cell.
func logs(b *testbed.Bed) string { return filepath.Join(b.Dir, "dev", "logs") }
