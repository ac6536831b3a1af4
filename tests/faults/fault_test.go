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

	"github.com/windlass-nfv/windlass/tests/testbed"
)

// fault is a column of the matrix.
type fault struct {
	name string
	// strike brings the fault about while the cell's step runs, and tells whether it hit: whether the step met it at
	// all is for some to be seen afterwards only.
	strike func(t testing.TB, c *cell) (hit bool)
	// mend ends it, before somebody decides on an operation that has failed, or at the operation's end.
	mend func(t testing.TB, c *cell)
	// lasts is set when the fault stays until the operation stops.
	lasts bool
	// reason is what the error of an operation that stopped must say.
	reason *regexp.Regexp
	// service is what a step must ask to meet the fault, where that is all that matters.
	service string
	// containers is set for what happens to VNFs of containers only.
	containers bool
	// elsewhere is set for what TestSample leaves to TestSample_ofContainers.
	elsewhere bool
}

// anything but an error that Windlass does not understand, which every cell refuses.
var anything = regexp.MustCompile(`\S`)

// aNode names the one that is to blame, or what only it could have done.
var aNode = regexp.MustCompile(`(cp|worker|storage|registry|lb|web|gateway)-[0-9a-f]{8}|ansible|etcd|virtual IP`)

// faults are the columns of the matrix.
var faults = []fault{
	{name: "worker killed", strike: signal("worker", syscall.SIGKILL), reason: anything},
	{name: "worker stopped", strike: signal("worker", syscall.SIGTERM), reason: anything},
	{name: "API server killed", strike: signal("apiserver", syscall.SIGKILL), reason: anything},
	{name: "PostgreSQL restarted", strike: signal("postgres", syscall.SIGINT), reason: anything}, // its "fast shutdown"
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

// hang is longer than Windlass waits for a call of the cloud in this matrix.
const (
	callTimeout = 8 * time.Second
	hang        = callTimeout + 4*time.Second
)

// signal sends a process a signal, and waits until another has taken its place.
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

// refuse lets a service answer so, until it has been asked that way for a moment; hit: it was asked.
func refuse(service string, how map[string]any) func(testing.TB, *cell) bool {
	return func(t testing.TB, c *cell) bool {
		order := map[string]any{"service": service, "count": -1}
		maps.Copy(order, how)
		c.site.bed.ClearFaults(t) // the delays that hold the step
		c.site.bed.Fault(t, order)
		var first time.Time
		for end := time.Now().Add(patience); ; testbed.Pause(t) {
			hits := hitsOf(t, c.site.bed)
			if hits > 0 && first.IsZero() {
				first = time.Now()
			}
			// One call that hangs is enough; of refusals, some more than the first try.
			if hits > 0 && (how["delay_ms"] != nil || time.Since(first) > 2*time.Second) || c.stopped(t) {
				break
			}
			if hits == 0 && !c.running(t) {
				break
			}
			require.False(t, time.Now().After(end), "%s is neither asked nor does the step end", service)
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

// cut cuts the connections to whatever nodes have some, as soon as there is one.
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

// order does something to the node that the step works on, or to a control plane. It misses where there is no machine
// yet, or none any more.
func order(what string) func(testing.TB, *cell) bool {
	return func(t testing.TB, c *cell) bool {
		c.victim = c.chooseVictim(t)
		return c.victim != "" && c.site.bed.Lab(t, http.MethodPost, "/machines/"+c.victim+"/"+what, nil).Status < 300
	}
}

// chooseVictim is the machine of a node that is worked on in the step, else of the last node.
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

// revive brings the victim back, unless it was replaced.
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

// logs is the directory of a bed's state, for people who look into a failed cell.
func logs(b *testbed.Bed) string { return filepath.Join(b.Dir, "dev", "logs") }
