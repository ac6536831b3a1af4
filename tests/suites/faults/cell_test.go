package faults

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// cell is one fault during one step of one operation.
type cell struct {
	operation operation
	step      string
	fault     fault

	site     *site
	op       string // path of the operation
	victim   string // the machine that is frozen, killed or rebooted
	decision string // the decision when the operation waits: retry, or rollback if that is possible
	hold     time.Duration
}

// outcome is how a cell ended.
type outcome string

// An operation may survive a fault in these ways. Everything else fails the cell.
const (
	byItself   outcome = "completed by itself"
	retried    outcome = "completed on retry"
	rolledBack outcome = "rolled back"
	// untouched: the step does not meet that fault. For example, it sends no request to Heat.
	untouched outcome = "not met"
)

// run runs the operation with the fault during its step, and checks what is left.
func (c *cell) run(t testing.TB) (how outcome, late bool) {
	t.Helper()
	for c.hold = 150 * time.Millisecond; ; c.hold *= 3 {
		c.site.prepare(t, c.operation.before)
		c.slowDown(t)
		c.op = c.operation.begin(t, c.site)
		if late = !c.awaitStep(t); !late || c.hold > time.Second {
			break
		}
		// The step ended before the test saw it: run repeats the operation more slowly.
		c.speedUp(t)
		c.finish(t, "")
	}
	hit := !c.stopped(t) && c.fault.strike(t, c)
	c.speedUp(t)
	decided := c.finish(t, c.decision)
	switch {
	case !hit:
		return untouched, late
	case decided != "":
		return map[string]outcome{"retry": retried, "rollback": rolledBack}[decided], late
	case c.state(t) == "ROLLED_BACK": // by itself, because nothing had been changed
		return rolledBack, late
	}
	return byItself, late
}

// slowDown delays each step: every script, and every answer of Heat.
func (c *cell) slowDown(t testing.TB) {
	t.Helper()
	if !onRealMachines() { // real machines are slow by themselves
		c.site.bed.Pace(t, 0, c.hold)
	}
	c.site.bed.Fault(t, map[string]any{"service": "heat", "delay_ms": c.hold.Milliseconds(), "count": -1})
	c.pacePods(c.hold)
}

func (c *cell) speedUp(t testing.TB) {
	t.Helper()
	if !onRealMachines() {
		c.site.bed.Pace(t, 0, 0)
	}
	c.site.bed.ClearFaults(t)
	c.pacePods(0)
}

// pacePods delays what the cluster of a containerised VNF does with each Pod.
func (c *cell) pacePods(hold time.Duration) {
	if c.site.cluster != nil {
		c.site.cluster.Kubelet.Pace.Store(int64(hold))
	}
}

// awaitStep waits until the step runs. It returns false if the step had ended when the test first saw it, or if the
// operation has stopped.
func (c *cell) awaitStep(t testing.TB) bool {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		switch state := c.stepState(t); {
		case state == "RUNNING":
			return true
		case state != "PENDING" && state != "", c.stopped(t):
			return false
		}
		require.False(t, time.Now().After(end), "%q does not begin:%s", c.step, c.site.bed.Timings(t, c.op))
	}
}

func (c *cell) stepState(t testing.TB) (state string) {
	t.Helper()
	for _, s := range c.site.bed.Steps(t, c.op) {
		if s.Title == c.step && s.Node == "" {
			state = s.State
		}
	}
	return state
}

func (c *cell) running(t testing.TB) bool { return c.stepState(t) == "RUNNING" && !c.stopped(t) }

func (c *cell) state(t testing.TB) string {
	t.Helper()
	state, _ := c.site.bed.Get(t, c.op)["operationState"].(string)
	return state
}

// stopped says whether the operation has ended or waits for a decision.
func (c *cell) stopped(t testing.TB) bool {
	t.Helper()
	switch c.state(t) {
	case "COMPLETED", "FAILED_TEMP", "FAILED", "ROLLED_BACK":
		return true
	}
	return false
}

// finish waits for the operation, sends at most one decision if it waits for that, and checks what it has left. It
// returns the decision.
func (c *cell) finish(t testing.TB, decision string) (decided string) {
	t.Helper()
	b := c.site.bed
	last := b.Await(t, c.op, patience, "COMPLETED", "FAILED_TEMP", "ROLLED_BACK")
	if c.fault.mend != nil {
		c.fault.mend(t, c)
	}
	if last["operationState"] != "COMPLETED" {
		c.requireReason(t, last)
	}
	if last["operationState"] == "FAILED_TEMP" {
		if decided = "retry"; decision == "rollback" && last["_links"].(map[string]any)["rollback"] != nil {
			decided = "rollback"
		}
		a := b.Act(t, c.op, decided, nil)
		require.Equal(t, http.StatusAccepted, a.Status, "%s: %s", decided, a.Body)
		last = b.Await(t, c.op, patience, map[string]string{"retry": "COMPLETED", "rollback": "ROLLED_BACK"}[decided])
	}
	want := c.operation.after
	if last["operationState"] == "ROLLED_BACK" {
		want = c.operation.before
	}
	if decided == "" && last["operationState"] == "COMPLETED" {
		c.healVictim(t)
	}
	c.site.check(t, c.op, want)
	if want.stopped && c.fault.lasts {
		want = c.wake(t)
	}
	if want == none {
		a := b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+c.site.vnf, nil)
		require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
		c.site.vnf = ""
	}
	c.site.now = want
	return decided
}

// wake starts a VNF that was stopped while a node was dead. Now all nodes must work.
func (c *cell) wake(t testing.TB) (now state) {
	t.Helper()
	op := operate("STARTED")(t, c.site)
	c.site.await(t, op)
	now = c.operation.after
	now.stopped = false
	c.site.check(t, op, now)
	return now
}

// healVictim heals a node that died while the operation could continue without it, as an operator does. Such a node
// does not get the changes of the operation. A stopped VNF needs no heal: its nodes boot when it is started.
func (c *cell) healVictim(t testing.TB) {
	t.Helper()
	if c.victim == c.site.ansible.ID {
		return // this machine does not belong to the VNF, and it is back again
	}
	if !c.fault.lasts || c.operation.after.stopped || !slices.Contains(serversIn(t, c.site.bed), c.victim) {
		return
	}
	if c.operation.after.storage && c.victim == c.site.bed.VnfcOf(t, c.site.vnf, testbed.StorageVdu) {
		c.site.await(t, c.site.healStorage(t))
		return
	}
	c.site.await(t, c.site.bed.Heal(t, c.site.vnf, c.victim))
	if c.victim == c.site.database {
		c.site.database = c.site.bed.VnfcOf(t, c.site.vnf, "database")
	}
}

// requireReason checks that the error says what went wrong, and that Windlass understood it.
func (c *cell) requireReason(t testing.TB, op map[string]any) {
	t.Helper()
	problem, _ := op["error"].(map[string]any)
	detail, _ := problem["detail"].(string)
	require.Regexp(t, c.fault.reason, detail)
	for _, ignorance := range []string{"does not know", "was not understood", "Bug"} {
		require.False(t, strings.Contains(detail, ignorance), "the detail gives no reason: %s", detail)
	}
}
