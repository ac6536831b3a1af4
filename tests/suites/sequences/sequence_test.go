// Package sequences changes a VNF by operations in random order and disturbs them at random moments. When one stops,
// the test decides at random how it continues. After each operation, all places must agree about the VNF.
package sequences

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

var (
	seed   = flag.Uint64("seed", 1, "the seed of all choices; a sequence that failed tells its own")
	length = flag.Int("length", 12, "so many operations after the first")
)

// settings shorten the times that Windlass waits: nothing in a lab needs minutes.
var settings = map[string]string{"WINDLASS_WORKER_ATTEMPTS": "3", "WINDLASS_WORKER_RECONNECT": "5s"}

// patience is the limit for an operation that is no longer disturbed, on a busy machine.
const patience = 15 * time.Minute

// sequence is a VNF and what happens to it.
type sequence struct {
	bed  *testbed.Bed
	vnf  string
	size testbed.Sizes // what the VNF should have
	// stopped are the VNFCs that are stopped on purpose.
	stopped []string
	random  *rand.Rand
	story   []string // what happened, for readers of a failure
}

// TestSequence disturbs random operations, and decides retry, rollback or fail when one stops.
func TestSequence(t *testing.T) {
	for name, value := range settings {
		t.Setenv(name, value)
	}
	s := &sequence{
		bed:    testbed.New(t, environment.Fake),
		random: rand.New(rand.NewPCG(*seed, *seed)),
	}
	defer func() {
		if t.Failed() {
			t.Logf("Seed %d:\n  %s", *seed, strings.Join(s.story, "\n  "))
		}
	}()
	s.bed.Pace(t, 0, pace)
	vnf, op := s.bed.Instantiate(t, "sequence", testbed.Impatient)
	s.vnf, s.size = vnf, testbed.Smallest
	s.bed.Await(t, op, patience, "COMPLETED")
	for range *length {
		s.step(t)
	}
	s.bed.Remove(t, s.vnf)
	s.bed.RequireNothingLeft(t)
	t.Logf("%d operations:\n  %s", *length, strings.Join(s.story, "\n  "))
}

// pace is the duration of every script. Shorter scripts would make the steps of an operation too short for a
// disturbance.
const pace = 40 * time.Millisecond

func (s *sequence) tell(format string, args ...any) {
	s.story = append(s.story, fmt.Sprintf(format, args...))
}

// step runs one operation, with or without a disturbance, until it has ended, and checks the VNF in all places.
func (s *sequence) step(t *testing.T) {
	t.Helper()
	o := s.chooseOperation(t)
	d := disturbances[s.random.IntN(len(disturbances))]
	s.tell("%s from %v, %s", o.name, s.size, d.name)
	op := o.begin(t)
	if d.strike != nil && s.awaitMoment(t, op) {
		d.strike(t, s, op)
	}
	end := s.decide(t, o, op)
	s.bed.ClearFaults(t) // faults that are left must not disturb the next operation
	if end == lcm.Completed {
		s.size, s.stopped = o.after, o.stops
	}
	if end == lcm.Failed {
		if o.operates { // some machines may be stopped
			s.mend(t, "start", s.starting().begin(t))
			s.stopped = nil
		}
		s.recover(t)
	}
	s.bed.RequireStepsEnded(t, op)
	if len(s.stopped) > 0 {
		s.bed.RequireStopped(t, s.vnf, s.stopped...)
		return
	}
	s.bed.RequireConsistent(t, s.vnf)
	require.Equal(t, s.size, s.bed.Count(t, s.vnf))
}

// awaitMoment waits until a random step of the operation has begun. It returns false when the operation has stopped
// before.
func (s *sequence) awaitMoment(t *testing.T, op string) bool {
	t.Helper()
	chance := s.random.Float64()
	for end := time.Now().Add(patience); time.Now().Before(end); testbed.Pause(t) {
		if stopped(s.state(t, op)) {
			return false
		}
		begun, all := 0, 0
		for _, step := range s.bed.Steps(t, op) {
			if step.Node != "" {
				continue
			}
			if all++; step.State != "PENDING" {
				begun++
			}
		}
		if all > 0 && float64(begun) > chance*float64(all) {
			return true
		}
	}
	require.FailNow(t, "the operation does not get on", "%s", s.bed.Timings(t, op))
	return false
}

func (s *sequence) state(t *testing.T, op string) lcm.OperationState {
	t.Helper()
	state, _ := s.bed.Get(t, op)["operationState"].(string)
	return lcm.OperationState(state)
}

func stopped(state lcm.OperationState) bool { return state == lcm.FailedTemp || state.Terminal() }

// decide waits for the operation, and makes a random decision each time it stops, until it has ended.
func (s *sequence) decide(t *testing.T, o operation, op string) lcm.OperationState {
	t.Helper()
	for range mostDecisions {
		last := s.bed.Await(t, op, patience, "COMPLETED", "FAILED_TEMP", "ROLLED_BACK", "FAILED")
		state := lcm.OperationState(last["operationState"].(string))
		if state.Terminal() {
			s.tell("  %s", state)
			return state
		}
		s.bed.ClearFaults(t)
		links := last["_links"].(map[string]any)
		choice := s.choose(map[string]int{"retry": 5, "rollback": 4, "fail": 2}, func(name string) bool {
			// After a heal of the entire VNF became FAILED, only another such heal helps, so "fail" would test nothing
			// new.
			return links[name] != nil && (name != "fail" || o.name != healAll)
		})
		s.tell("  FAILED_TEMP: %s; %s", last["error"].(map[string]any)["detail"], choice)
		a := s.bed.Act(t, op, choice, nil)
		require.Less(t, a.Status, 300, "%s: %s", choice, a.Body)
		// Sometimes an operator cancels what they have decided.
		if choice != "fail" && s.random.IntN(5) == 0 && s.awaitMoment(t, op) {
			cancel(t, s, op)
		}
	}
	require.FailNow(t, "the operation does not end", "%s", s.bed.Timings(t, op))
	return ""
}

// mostDecisions is more than any operation needs here.
const mostDecisions = 20

// choose chooses one of the allowed names at random, by their weights.
func (s *sequence) choose(weights map[string]int, allowed func(string) bool) string {
	var names []string
	for name, weight := range weights {
		if allowed(name) {
			names = append(names, slices.Repeat([]string{name}, weight)...)
		}
	}
	slices.Sort(names) // maps have no order, sequences have
	return names[s.random.IntN(len(names))]
}
