package model

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// work says what a driver does with the servers of a VNF, and how the test sees the effect.
type work interface {
	// connects reports whether the VNF can be connected to another network.
	connects() bool
	// params returns additionalParams of the request to instantiate.
	params(w *walker) map[string]any
	// heals returns the VDUs whose servers can be healed alone.
	heals() []string
	// size returns the number of servers at a scale level.
	size(level int) int
	// runs counts what was done for the VNF so far, and is nil where nothing records it.
	runs(t *testing.T, w *walker, servers []server) runs
	// due returns what a completed operation must have done, given the servers before and after it.
	due(op opView, before, after ground) runs
	// wrong lists how the machines differ from what the VNF requires. It is not called for an uneven VNF.
	wrong(t *testing.T, w *walker, is vnf, servers []server) []string
}

// server is a server of a VNF. The VNF records its id and VDU, the cloud its address.
type server struct{ id, vdu, address string }

// runs count how often each thing was done.
type runs map[string]int

// ground is a VNF with its servers and what was done on them.
type ground struct {
	vnf     vnf
	servers []server
	runs    runs
}

// coming returns the servers that exist after, but not before.
func coming(before, after ground) []server {
	return slices.DeleteFunc(slices.Clone(after.servers), func(s server) bool { return slices.Contains(before.servers, s) })
}

// staying returns the servers that exist both before and after.
func staying(before, after ground) []server {
	return slices.DeleteFunc(slices.Clone(after.servers), func(s server) bool { return !slices.Contains(before.servers, s) })
}

// look compares the VNF's machines with what its last operation, which has ended, must have made of them.
func (w *walker) look(t *testing.T, op opView, is vnf, inst instView) {
	t.Helper()
	if w.kind.work == nil {
		return
	}
	now := ground{vnf: is, servers: w.servers(t, inst)}
	now.runs = w.kind.work.runs(t, w, now.servers)
	// A completed heal of the entire VNF also repairs an uneven VNF.
	whole := op.State == lcm.Completed && (op.Operation != lcm.OpHeal || w.healed == "")
	if op.State != lcm.Failed && (!w.uneven && !w.torn || whole && op.Operation == lcm.OpHeal) && !w.given {
		w.requireMade(t, op, is, inst, now)
	}
	if op.State == lcm.Completed && !w.uneven && !w.torn && !w.given && !w.stale {
		w.requireDone(t, op, now)
	}
	w.torn = op.Operation == lcm.OpTerminate && op.State == lcm.Failed || w.torn && !(whole && op.remakes())
	w.ground, w.stale = now, false
}

// requireMade requires that the recorded servers are those in the cloud, and that the machines match the VNF.
func (w *walker) requireMade(t *testing.T, op opView, is vnf, inst instView, now ground) {
	t.Helper()
	var existing []string
	for _, s := range now.servers {
		existing = append(existing, s.id)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(inst.vdus())), existing, "servers recorded, and those of the cloud\n  %s",
		w.told())
	if is.instantiated {
		require.Len(t, now.servers, w.kind.work.size(is.level), "servers at level %d\n  %s", is.level, w.told())
	}
	wrong := w.kind.work.wrong(t, w, is, now.servers)
	require.Empty(t, wrong, "after %s, which was %s\n  %s", op.Operation, op.State, w.told())
}

// requireDone requires that everything that the operation had to do was done once on each server. More than once is
// right after a forceful cancel, which may come when a script has just ended, and after the worker was killed, because
// Temporal may not have got the result.
func (w *walker) requireDone(t *testing.T, op opView, now ground) {
	t.Helper()
	due, again := w.kind.work.due(op, w.ground, now), w.forced || w.worker != w.workerNow(t)
	for what, times := range now.runs {
		if done := times - w.ground.runs[what]; done != due[what] && !(again && done > due[what] && due[what] > 0) {
			require.Equal(t, due[what], done, "how often %q was done in %s %s\n  %s", what, op.Operation, op.ID, w.told())
		}
	}
	for what, times := range due {
		require.GreaterOrEqual(t, now.runs[what]-w.ground.runs[what], times, "how often %q was done in %s %s\n  %s", what,
			op.Operation, op.ID, w.told())
	}
}

// workerNow returns the process id of the worker.
func (w *walker) workerNow(t *testing.T) int {
	t.Helper()
	info, err := w.bed.Info()
	require.NoError(t, err)
	return info.Processes["worker"]
}

// servers returns the VNF's servers in the cloud, with the VDUs that the VNF records for them.
func (w *walker) servers(t *testing.T, inst instView) (list []server) {
	t.Helper()
	for _, m := range machines(t, w.bed) {
		if !strings.HasSuffix(m.Stack, w.vnf) {
			continue
		}
		made := server{id: m.ID, vdu: inst.vdus()[m.ID]}
		for _, addresses := range m.Addresses {
			for _, a := range addresses {
				made.address = a.Address
			}
		}
		list = append(list, made)
	}
	return list
}

// machine is a server of the lab's cloud.
type machine struct {
	ID        string `json:"id"`
	Stack     string `json:"stack"`
	Addresses map[string][]struct {
		Address string `json:"addr"`
	} `json:"addresses"`
}

func machines(t *testing.T, bed *testbed.Bed) []machine {
	t.Helper()
	var all struct {
		Machines []machine `json:"machines"`
	}
	bed.LabInto(t, "/machines", &all)
	return all.Machines
}

// chooseHealed chooses one of the VNF's servers for the next heal, or the entire VNF.
func (w *walker) chooseHealed(t *testing.T, at position) {
	t.Helper()
	w.healed = ""
	if w.kind.work == nil || at.unfinished() || !at.instantiated || at.uneven || w.torn || w.random.IntN(3) == 0 {
		return
	}
	var inst instView
	w.get(t, w.api()+"/vnf_instances/"+w.vnf, &inst)
	var list []string
	for id, vdu := range inst.vdus() {
		if slices.Contains(w.kind.work.heals(), vdu) {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	if len(list) > 0 {
		w.healed = list[w.random.IntN(len(list))]
	}
}

// files returns the files of a machine whose paths begin with below.
func files(t *testing.T, bed *testbed.Bed, machine, below string) (found map[string]string) {
	t.Helper()
	bed.LabInto(t, "/machines/"+machine+"/files?below="+url.QueryEscape(below), &found)
	return found
}
