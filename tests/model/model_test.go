// Package model asks a Windlass for whatever comes, in thousands of random sequences, while processes are killed and
// the cloud refuses, and compares every answer and every transition with a model of SOL003 clause 5.6.2.
package model

import (
	"net/http"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// position is where a VNF instance is: the resource itself, and its last operation.
type position struct {
	exists       bool
	containers   bool // the VNF is of containers, and can get another package while it runs
	instantiated bool
	stopped      bool          // the VNF is STOPPED: it must be started before it is healed
	op           lcm.Operation // "" before the first
	state        lcm.OperationState
	forwardOnly  bool // a rollback is not possible any more
	level        int  // scale level of the aspect
	uneven       bool // what is there may be other than the level says, because something was given up
	leftovers    bool // an INSTANTIATE was given up, and its stack is there
	// forced is set while a FORCEFUL cancel is under way, which nothing can be added to.
	forced bool
	// unsure is set when a decision may have been taken that nobody has answered, and that is not recorded yet.
	unsure bool
}

// unfinished tells that an operation is under way or waits for a decision.
func (p position) unfinished() bool { return p.op != "" && !p.state.Terminal() }

// action is a request that a client may make at any time.
type action string

// The actions. Each is made in every position, whether it fits or not.
const (
	instantiate action = "instantiate"
	terminate   action = "terminate"
	heal        action = "heal"
	remove      action = "delete"
	stop        action = "stop"  // operate, to STOPPED
	start       action = "start" // operate, to STARTED
	scaleOut    action = "scale out"
	scaleIn     action = "scale in"
	scaleTo     action = "scale to level"    // to any that there is
	scaleTooFar action = "scale to no level" // to one that there is not
	connect     action = "connect"           // change_ext_conn, to either network
	change      action = "change package"
	modify      action = "modify"
	misfit      action = "misfit" // modify, to what the VNFD does not allow
	retry       action = "retry"
	rollback    action = "rollback"
	fail        action = "fail"
	cancel      action = "cancel"
)

var actions = []action{
	instantiate, terminate, heal, stop, start, scaleOut, scaleIn, scaleTo, scaleTooFar, connect, change, modify, misfit,
	remove,
	retry, rollback, fail, cancel,
}

// mostLevel is the greatest scale level of the aspect in the VNFD.
const mostLevel = 2

// begins tells that an action begins an operation.
func (a action) begins() bool {
	return !slices.Contains([]action{remove, retry, rollback, fail, cancel}, a)
}

// steps tells that an action is a SCALE, whose answer depends on what is there.
func (a action) steps() bool { return a == scaleOut || a == scaleIn }

// scales tells that an action is a SCALE or a SCALE_TO_LEVEL.
func (a action) scales() bool { return a.steps() || a == scaleTo || a == scaleTooFar }

// decides tells that an action is about the last operation.
func (a action) decides() bool { return !a.begins() && a != remove }

// answer is the status that the standard wants for an action in a position (SOL003 clauses 5.4.2 to 5.4.17).
func (p position) answer(a action) int {
	switch {
	case !p.exists, a == change && !p.containers: // the task is not supported for VMs
		return http.StatusNotFound
	case a.decides():
		return p.decided(a)
	case p.unfinished():
		return http.StatusConflict
	case a == remove && !p.instantiated && !p.leftovers:
		return http.StatusNoContent
	case (a == heal || a == change || a.scales()) && p.stopped:
		return http.StatusConflict
	case p.instantiated && (a == scaleOut && p.level == mostLevel || a == scaleIn && p.level == 0 || a == scaleTooFar):
		return http.StatusBadRequest
	case a == modify, a == misfit, a == instantiate && !p.instantiated, a != instantiate && a != remove && p.instantiated:
		return http.StatusAccepted
	}
	return http.StatusConflict
}

func (p position) decided(a action) int {
	waits := p.state == lcm.FailedTemp
	switch {
	case a == rollback && p.op == lcm.OpTerminate:
		return http.StatusNotFound // the task is not supported for it
	case a == cancel && !p.state.Terminal() && !waits && !p.forced, a == retry && waits, a == rollback && waits &&
		!p.forwardOnly:
		return http.StatusAccepted
	case a == fail && waits:
		return http.StatusOK
	}
	return http.StatusConflict
}

// next are the states that may follow one: the figure of clause 5.6.2.2.
var next = map[lcm.OperationState][]lcm.OperationState{
	lcm.Starting:    {lcm.Processing, lcm.RolledBack},
	lcm.Processing:  {lcm.Completed, lcm.FailedTemp, lcm.RolledBack},
	lcm.FailedTemp:  {lcm.Processing, lcm.RollingBack, lcm.Failed},
	lcm.RollingBack: {lcm.RolledBack, lcm.FailedTemp},
}

// follows tells whether an operation may have gone through those states, in that order. A MODIFY_INFO needs no grant,
// so it begins in PROCESSING, and only that is rolled back from there without a decision.
func follows(op lcm.Operation, states []lcm.OperationState) bool {
	at := lcm.Starting
	if op == lcm.OpModifyInfo {
		at = lcm.Processing
	}
	if states[0] != at {
		return false
	}
	for _, s := range states {
		alone := at == lcm.Processing && s == lcm.RolledBack
		if s != at && !slices.Contains(next[at], s) || alone && op != lcm.OpModifyInfo {
			return false
		}
		at = s
	}
	return true
}
