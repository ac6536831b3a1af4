package model

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// work is what a driver does with the servers of a VNF, and how it is seen there.
type work interface {
	// connects tells whether the VNF can be connected to another network.
	connects() bool
	// params are additionalParams of the request to instantiate.
	params(w *walker) map[string]any
	// heals are the VDUs whose servers can be healed alone.
	heals() []string
	// size is how many servers there are at a level.
	size(level int) int
	// runs tells what was done for the VNF so far, nil where nothing of it is noted.
	runs(t *testing.T, w *walker, servers []server) runs
	// due is what a completed operation must have done, by the servers before and after it.
	due(op opView, before, after ground) runs
	// wrong lists in what the machines are not as the VNF should be. It is not asked of one that is uneven.
	wrong(t *testing.T, w *walker, is vnf, servers []server) []string
}

// server is one of a VNF's, as it is recorded and as the cloud has it.
type server struct{ id, vdu, address string }

// runs count what was done, by what it was.
type runs map[string]int

// ground is a VNF where it is made: its servers, and what was done on them.
type ground struct {
	vnf     vnf
	servers []server
	runs    runs
}

// coming are the servers of after that are not among those before.
func coming(before, after ground) []server {
	return slices.DeleteFunc(slices.Clone(after.servers), func(s server) bool { return slices.Contains(before.servers, s) })
}

// staying are the servers that are there before and after.
func staying(before, after ground) []server {
	return slices.DeleteFunc(slices.Clone(after.servers), func(s server) bool { return !slices.Contains(before.servers, s) })
}

// look compares the VNF's machines with what its last operation, which is over, must have made of them.
func (w *walker) look(t *testing.T, op opView, is vnf, inst instView) {
	t.Helper()
	if w.kind.work == nil {
		return
	}
	now := ground{vnf: is, servers: w.servers(t, inst)}
	now.runs = w.kind.work.runs(t, w, now.servers)
	whole := op.State == lcm.Completed && (op.Operation != lcm.OpHeal || w.healed == "") // and mended, if that was needed
	if op.State != lcm.Failed && (!w.uneven && !w.torn || whole && op.Operation == lcm.OpHeal) && !w.given {
		w.requireMade(t, op, is, inst, now)
	}
	if op.State == lcm.Completed && !w.uneven && !w.torn && !w.given {
		w.requireDone(t, op, now)
	}
	w.torn = op.Operation == lcm.OpTerminate && op.State == lcm.Failed || w.torn && !(whole && op.remakes())
	w.ground = now
}

// requireMade wants the servers that are recorded to be those of the cloud, and to be as the VNF is.
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

// requireDone wants what the operation had to do to have been done once on each server. A script that was killed by a
// cancel may have come to its end before, and one that has ended is run again where the worker is killed before
// Temporal knows.
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

// workerNow is the process id of the worker.
func (w *walker) workerNow(t *testing.T) int {
	t.Helper()
	info, err := w.bed.Info()
	require.NoError(t, err)
	return info.Processes["worker"]
}

// servers are those that the cloud has for the VNF, with the VDUs that are recorded for them.
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

// machine is a server of the lab.
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

// chooseHealed takes one of the VNF's servers, or all of them.
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

// files are those of a machine whose paths begin so.
func files(t *testing.T, bed *testbed.Bed, machine, below string) (found map[string]string) {
	t.Helper()
	bed.LabInto(t, "/machines/"+machine+"/files?below="+url.QueryEscape(below), &found)
	return found
}
