package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// The sizes between which operations change.
var (
	small = testbed.Smallest
	wide  = testbed.Sizes{ControlPlanes: 3, Workers: 3}
	tall  = testbed.Sizes{ControlPlanes: 5, Workers: 2}
	none  = testbed.Sizes{}
)

// operation is a row of the matrix: what is done to a VNF of one size, and which it has afterwards.
type operation struct {
	name          string
	before, after testbed.Sizes
	begin         func(t testing.TB, s *site) (op string)
}

// operations are the rows of the matrix.
var operations = []operation{
	{"instantiate", none, small, func(t testing.TB, s *site) string {
		s.name = "vnf-" + s.unique()
		var op string
		edit := testbed.Impatient
		if onRealMachines() {
			edit = nil
		}
		s.vnf, op = s.bed.Instantiate(t, s.name, edit)
		return op
	}},
	{"scale out", small, wide, scale("SCALE_OUT", "worker_instance")},
	{"scale in", wide, small, scale("SCALE_IN", "worker_instance")},
	{"heal worker", small, small, heal("workerNode")},
	{"heal control plane", small, small, heal("masterNode")},
	{"heal several", small, small, heal("masterNode", "workerNode")},
	{"scale out control planes", small, tall, scale("SCALE_OUT", "master_instance")},
	{"scale in control planes", tall, small, scale("SCALE_IN", "master_instance")},
	{"scale to level", wide, tall, func(t testing.TB, s *site) string { return s.bed.ScaleTo(t, s.vnf, tall) }},
	{"heal all", small, small, heal()},
	{"terminate", small, none, func(t testing.TB, s *site) string {
		return s.bed.Begin(t, s.vnf, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	}},
}

func scale(direction, aspect string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string { return s.bed.Scale(t, s.vnf, direction, aspect) }
}

// heal heals one VNFC of each VDU, or the entire VNF.
func heal(vdus ...string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string {
		var ids []string
		for _, vdu := range vdus {
			ids = append(ids, s.bed.VnfcOf(t, s.vnf, vdu))
		}
		return s.bed.Heal(t, s.vnf, "the fault matrix", ids...)
	}
}

// site is a Windlass and a lab, with one VNF at most.
type site struct {
	bed  *testbed.Bed
	vnf  string        // "" while there is none
	name string        // the VNF's
	now  testbed.Sizes // of the VNF
}

// patience is the limit for an operation that nothing disturbs any more, on a machine that is busy.
const patience = 15 * time.Minute

// prepare brings the VNF to a size, undisturbed.
func (s *site) prepare(t testing.TB, want testbed.Sizes) {
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
		s.await(t, s.bed.ScaleTo(t, s.vnf, want))
	}
	s.now = want
}

func (s *site) await(t testing.TB, op string) {
	t.Helper()
	s.bed.Await(t, op, patience, "COMPLETED")
}

// check wants the VNF to be of that size, and the same everywhere; without one, nothing is left.
func (s *site) check(t testing.TB, op string, want testbed.Sizes) {
	t.Helper()
	s.bed.RequireStepsEnded(t, op)
	if want == none {
		s.bed.RequireNothingLeft(t)
		return
	}
	if onRealMachines() {
		s.bed.RequireNodes(t, "cluster-"+s.name, want)
		s.bed.RequireRecorded(t, s.vnf)
		s.bed.CheckDriftUntil(t, s.vnf, func(r lcm.DriftReport) bool { return len(r.Findings) == 0 })
		return
	}
	s.bed.RequireConsistent(t, s.vnf)
	s.bed.RequireMembers(t, want.ControlPlanes, want.Workers)
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
