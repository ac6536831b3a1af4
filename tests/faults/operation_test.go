package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/windlass-nfv/windlass/tests/testbed"
)

// sizes are how many nodes a cluster has.
type sizes struct{ controlPlanes, workers int }

// The sample package's levels: an aspect's level 0 has so many, and its steps add so many.
var (
	small = sizes{3, 2}
	wide  = sizes{3, 3}
	tall  = sizes{5, 2}
	none  = sizes{}
)

// operation is a row of the matrix: what is done to a VNF of one size, and which it has afterwards.
type operation struct {
	name          string
	before, after sizes
	begin         func(t testing.TB, s *site) (op string)
}

// operations are the rows of the matrix.
var operations = []operation{
	{"instantiate", none, small, func(t testing.TB, s *site) string {
		s.name = "vnf-" + s.unique()
		var op string
		s.vnf, op = s.bed.Instantiate(t, s.name, impatient)
		return op
	}},
	{"scale out", small, wide, scale("SCALE_OUT", "worker_instance")},
	{"scale in", wide, small, scale("SCALE_IN", "worker_instance")},
	{"heal worker", small, small, heal("workerNode")},
	{"heal control plane", small, small, heal("masterNode")},
	{"heal several", small, small, heal("masterNode", "workerNode")},
	{"scale out control planes", small, tall, scale("SCALE_OUT", "master_instance")},
	{"scale in control planes", tall, small, scale("SCALE_IN", "master_instance")},
	{"scale to level", wide, tall, func(t testing.TB, s *site) string { return s.toLevel(t, tall) }},
	{"heal all", small, small, heal()},
	{"terminate", small, none, func(t testing.TB, s *site) string {
		return s.bed.Begin(t, s.vnf, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	}},
}

func scale(direction, aspect string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string {
		return s.bed.Begin(t, s.vnf, "scale", map[string]any{"type": direction, "aspectId": aspect})
	}
}

// heal heals one VNFC of each VDU, or the entire VNF.
func heal(vdus ...string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string {
		body := map[string]any{"cause": "the fault matrix"}
		var ids []string
		for _, vdu := range vdus {
			ids = append(ids, s.bed.VnfcOf(t, s.vnf, vdu))
		}
		if len(ids) > 0 {
			body["vnfcInstanceId"] = ids
		}
		return s.bed.Begin(t, s.vnf, "heal", body)
	}
}

// impatient shortens the limits for what a node does not do in this matrix: answer late.
func impatient(_, cluster map[string]any) {
	cluster["timeouts"] = map[string]any{
		"ssh": 30, "login": 5, "command": 60, "virtual_ip": 30, "join": 60, "node_ready": 30, "drain": 30, "stack": 300,
	}
}

// site is a Windlass and a lab, with one VNF at most.
type site struct {
	bed  *testbed.Bed
	vnf  string // "" while there is none
	name string // the VNF's
	now  sizes  // of the VNF
}

// patience is the limit for an operation that nothing disturbs any more, on a machine that is busy.
const patience = 15 * time.Minute

// prepare brings the VNF to a size, undisturbed.
func (s *site) prepare(t testing.TB, want sizes) {
	t.Helper()
	if s.now == want {
		return
	}
	switch {
	case want == none:
		s.bed.Terminate(t, s.vnf)
		s.bed.RequireNothingLeft(t)
		s.vnf = ""
	case s.now == none:
		s.await(t, operations[0].begin(t, s))
		s.now = small
		s.prepare(t, want)
	default:
		s.await(t, s.toLevel(t, want))
	}
	s.now = want
}

func (s *site) await(t testing.TB, op string) {
	t.Helper()
	s.bed.Await(t, op, patience, "COMPLETED")
}

func (s *site) toLevel(t testing.TB, want sizes) string {
	t.Helper()
	return s.bed.Begin(t, s.vnf, "scale_to_level", map[string]any{"scaleInfo": []any{
		map[string]any{"aspectId": "master_instance", "scaleLevel": (want.controlPlanes - small.controlPlanes) / 2},
		map[string]any{"aspectId": "worker_instance", "scaleLevel": want.workers - small.workers},
	}})
}

// check wants the VNF to be of that size, and the same everywhere; without one, nothing is left.
func (s *site) check(t testing.TB, op string, want sizes) {
	t.Helper()
	s.bed.RequireStepsEnded(t, op)
	if want == none {
		s.bed.RequireNothingLeft(t)
		return
	}
	s.bed.RequireConsistent(t, s.vnf)
	s.bed.RequireMembers(t, want.controlPlanes, want.workers)
}

// titles are the steps of an operation, in order.
func titles(steps []testbed.Step) (list []string) {
	for _, step := range steps {
		if step.Node == "" && !slices.Contains(list, step.Title) {
			list = append(list, step.Title)
		}
	}
	return list
}
