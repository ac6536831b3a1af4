// Package model sends random sequences of requests to a Windlass, thousands if wanted, while processes are killed and
// the cloud refuses requests. It compares every answer and every transition with a model of SOL003 clause 5.6.2.
package model

import (
	"net/http"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// position is the state of a VNF instance and of its last operation.
type position struct {
	exists       bool
	containers   bool // the VNF is of containers, and can get another package while it runs
	instantiated bool
	stopped      bool          // the VNF is STOPPED: it must be started before it is healed
	op           lcm.Operation // "" before the first operation
	state        lcm.OperationState
	forwardOnly  bool // a rollback is not possible any more
	level        int  // scale level of the aspect
	flavour      string
	uneven       bool // the servers may differ from the scale level, because an operation became FAILED
	between      bool // the VNF may have parts of two flavours, because a CHANGE_FLAVOUR became FAILED
	leftovers    bool // an INSTANTIATE became FAILED, and its stack still exists
	// forced is set while a FORCEFUL cancel is under way. Another cancel adds nothing to it.
	forced bool
	// unsure is set when a retry, rollback or fail may have been accepted although no answer came, or is accepted but
	// not recorded yet.
	unsure bool
}

// unfinished reports whether an operation is under way or waits for a decision.
func (p position) unfinished() bool { return p.op != "" && !p.state.Terminal() }

// action is a request that a client may make at any time.
type action string

// The actions. The model makes each of them in every position, also where the API must refuse it.
const (
	instantiate action = "instantiate"
	terminate   action = "terminate"
	heal        action = "heal"
	remove      action = "delete"
	stop        action = "stop"  // operate, to STOPPED
	start       action = "start" // operate, to STARTED
	scaleOut    action = "scale out"
	scaleIn     action = "scale in"
	scaleTo     action = "scale to level"    // to a level that exists
	scaleTooFar action = "scale to no level" // to a level that does not exist
	connect     action = "connect"           // change_ext_conn, to one of the two networks
	change      action = "change package"
	enlarge     action = "change flavour"      // to the flavour large
	reduce      action = "change flavour back" // to the flavour simple
	modify      action = "modify"
	misfit      action = "misfit" // modify, to a value that the VNFD does not allow
	retry       action = "retry"
	rollback    action = "rollback"
	fail        action = "fail"
	cancel      action = "cancel"
)

var actions = []action{
	instantiate, terminate, heal, stop, start, scaleOut, scaleIn, scaleTo, scaleTooFar, connect, change, enlarge, reduce,
	modify, misfit, remove,
	retry, rollback, fail, cancel,
}

// mostLevel is the greatest scale level of the aspect in the VNFD.
const mostLevel = 2

// begins reports whether an action begins an operation.
func (a action) begins() bool {
	return !slices.Contains([]action{remove, retry, rollback, fail, cancel}, a)
}

// steps reports whether an action is a SCALE. Its answer depends on the current scale level.
func (a action) steps() bool { return a == scaleOut || a == scaleIn }

// scales reports whether an action is a SCALE or a SCALE_TO_LEVEL.
func (a action) scales() bool { return a.steps() || a == scaleTo || a == scaleTooFar }

// flavours are the flavours to which actions change the VNF.
var flavours = map[action]string{enlarge: "large", reduce: "simple"}

// decides reports whether an action is about the last operation.
func (a action) decides() bool { return !a.begins() && a != remove }

// answer returns the status that the standard requires for an action in a position (SOL003 clauses 5.4.2 to 5.4.17).
func (p position) answer(a action) int {
	switch {
	case !p.exists, a == change && !p.containers: // Windlass does not support the task for VNFs of servers only
		return http.StatusNotFound
	case a.decides():
		return p.decided(a)
	case p.unfinished():
		return http.StatusConflict
	case a == remove && !p.instantiated && !p.leftovers:
		return http.StatusNoContent
	case (a == heal || a == change || flavours[a] != "" || a.scales()) && p.stopped:
		return http.StatusConflict
	case flavours[a] != "" && flavours[a] == p.flavour:
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
		return http.StatusNotFound // the task is not supported for the operation
	case a == cancel && !p.state.Terminal() && !waits && !p.forced, a == retry && waits, a == rollback && waits &&
		!p.forwardOnly:
		return http.StatusAccepted
	case a == fail && waits:
		return http.StatusOK
	}
	return http.StatusConflict
}

// next maps each state to the states that may follow it, as in the figure of clause 5.6.2.2.
var next = map[lcm.OperationState][]lcm.OperationState{
	lcm.Starting:    {lcm.Processing, lcm.RolledBack},
	lcm.Processing:  {lcm.Completed, lcm.FailedTemp, lcm.RolledBack},
	lcm.FailedTemp:  {lcm.Processing, lcm.RollingBack, lcm.Failed},
	lcm.RollingBack: {lcm.RolledBack, lcm.FailedTemp},
}

// follows reports whether an operation may go through these states, in this order. A MODIFY_INFO needs no grant, so it
// begins in PROCESSING. Only a MODIFY_INFO may go from PROCESSING to ROLLED_BACK without a decision.
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
