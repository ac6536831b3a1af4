package sequences

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// operation is a change of the VNF.
type operation struct {
	name  string
	after testbed.Sizes
	begin func(t *testing.T) (op string)
	// operates is set when the operation starts or stops machines; stops are the VNFCs that it stops.
	operates bool
	stops    []string
}

const healAll = "heal all"

// most is the greatest size of the VNF: enough for every kind of change, small enough for one machine.
var most = testbed.Sizes{ControlPlanes: 5, Workers: 5}

// chooseOperation chooses an operation that is possible at the VNF's size.
func (s *sequence) chooseOperation(t *testing.T) operation {
	t.Helper()
	if len(s.stopped) > 0 {
		return s.starting() // no other operation is possible or useful
	}
	all := s.operations(t)
	weights := map[string]int{}
	for name, o := range all {
		if weights[name] = 2; o.name == healAll || o.operates { // fewer, because a stopped VNF must be started next
			weights[name] = 1
		}
	}
	return all[s.choose(weights, func(string) bool { return true })]
}

func (s *sequence) operations(t *testing.T) map[string]operation {
	t.Helper()
	all := map[string]operation{}
	add := func(name string, after testbed.Sizes, begin func(t *testing.T) string) {
		all[name] = operation{name: name, after: after, begin: begin}
	}
	scale := func(name, direction, aspect string, controlPlanes, workers int) {
		after := testbed.Sizes{ControlPlanes: s.size.ControlPlanes + controlPlanes, Workers: s.size.Workers + workers}
		if !within(after) {
			return
		}
		add(name, after, func(t *testing.T) string { return s.bed.Scale(t, s.vnf, direction, aspect) })
	}
	scale("scale out", "SCALE_OUT", "worker_instance", 0, 1)
	scale("scale in", "SCALE_IN", "worker_instance", 0, -1)
	scale("scale out control planes", "SCALE_OUT", "master_instance", 2, 0)
	scale("scale in control planes", "SCALE_IN", "master_instance", -2, 0)
	other := testbed.Sizes{ControlPlanes: 3 + 2*s.random.IntN(2), Workers: 2 + s.random.IntN(4)}
	if other != s.size {
		add("scale to level", other, func(t *testing.T) string { return s.bed.ScaleTo(t, s.vnf, other) })
	}
	heal := func(name string, vnfcs ...string) {
		add(name, s.size, func(t *testing.T) string { return s.bed.Heal(t, s.vnf, vnfcs...) })
	}
	heal("heal worker", s.some(t, "workerNode", 1)...)
	heal("heal control plane", s.some(t, "masterNode", 1)...)
	heal("heal several", append(s.some(t, "workerNode", 2), s.some(t, "masterNode", 1)...)...)
	heal(healAll)
	stop := func(name string, body map[string]any, vnfcs ...string) {
		body["changeStateTo"] = string(lcm.VnfStopped)
		all[name] = operation{name: name, after: s.size, operates: true, stops: vnfcs, begin: func(t *testing.T) string {
			return s.bed.Begin(t, s.vnf, "operate", body)
		}}
	}
	stop("stop all", map[string]any{}, slices.Collect(maps.Keys(s.bed.Vnfcs(t, s.vnf)))...)
	some := append(s.some(t, "workerNode", 1), s.some(t, "masterNode", 1)...)
	stop("stop some", map[string]any{"stopType": "GRACEFUL", "gracefulStopTimeout": 30, "vnfcInstanceId": some}, some...)
	return all
}

// starting returns an operation that starts all stopped machines.
func (s *sequence) starting() operation {
	return operation{name: "start", after: s.size, operates: true, begin: func(t *testing.T) string {
		return s.bed.Operate(t, s.vnf, string(lcm.VnfStarted))
	}}
}

func within(s testbed.Sizes) bool {
	return s.ControlPlanes >= testbed.Smallest.ControlPlanes && s.ControlPlanes <= most.ControlPlanes &&
		s.Workers >= testbed.Smallest.Workers && s.Workers <= most.Workers
}

// some returns random VNFCs of a VDU.
func (s *sequence) some(t *testing.T, vdu string, count int) (ids []string) {
	t.Helper()
	for id, of := range s.bed.Vnfcs(t, s.vnf) {
		if of == vdu {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	s.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids[:count]
}

// disturbance is something that happens in the middle of an operation.
type disturbance struct {
	name   string
	strike func(t *testing.T, s *sequence, op string)
}

// The list has "undisturbed" three times, so that about a third of the operations is not disturbed.
var disturbances = []disturbance{
	{"undisturbed", nil},
	{"undisturbed", nil},
	{"undisturbed", nil},
	{"a script fails", breakScript(1)},
	{"scripts fail", breakScript(4)},
	{"cancelled", cancel},
	{"cancelled", cancel},
	{"the worker is killed", func(t *testing.T, s *sequence, _ string) { s.bed.KillWorker(t) }},
	{"Heat refuses", func(t *testing.T, s *sequence, _ string) {
		s.bed.Fault(t, map[string]any{"service": "heat", "status": http.StatusInternalServerError, "count": 40})
	}},
}

// breakScript makes the next scripts fail, independent of their names.
func breakScript(times int) func(t *testing.T, s *sequence, op string) {
	return func(t *testing.T, s *sequence, _ string) {
		s.bed.ScriptFault(t, map[string]any{"times": times, "exit_code": 1, "output": "windlass: it broke."})
	}
}

// cancel cancels the operation. The API refuses this when the operation has stopped meanwhile.
func cancel(t *testing.T, s *sequence, op string) {
	mode := []string{"GRACEFUL", "FORCEFUL"}[s.random.IntN(2)]
	a := s.bed.Act(t, op, "cancel", map[string]any{"cancelMode": mode})
	s.tell("  cancel %s: %d", mode, a.Status)
	require.Contains(t, []int{http.StatusAccepted, http.StatusConflict}, a.Status, "%s", a.Body)
}
