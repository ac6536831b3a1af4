package lcm

import (
	"fmt"
	"strings"
)

// Decision is one of those that an operation in FAILED_TEMP waits for, and what it is good for.
type Decision struct {
	Purpose string
	Action  Action
}

// DecisionsAfter are the decisions about an operation that has failed with this error, the most likely one first.
func DecisionsAfter(cause *Error, canRollBack bool) []Decision {
	mend := Decision{"Mend the cause and go on with", Retry}
	undo := Decision{"Undo what was done with", Rollback}
	leave := Decision{"Leave things as they are with", Fail}
	switch {
	case !canRollBack:
		return []Decision{mend, leave}
	case cause.NeedsRequest(): // a retry of the same fails again
		undo.Purpose = "Undo it, correct the request, and send it anew"
		mend.Purpose = "Only if the cause is elsewhere, mend it and retry"
		return []Decision{undo, mend, leave}
	default:
		return []Decision{mend, undo, leave}
	}
}

// cancelled is how the error of an operation that was cancelled begins.
const cancelled = "The operation was cancelled (%s)."

// Cancelled is the error of an operation that a cancel has stopped.
func Cancelled(mode CancelMode) *Error { return Errorf(KindBroken, cancelled, mode) }

// WasCancelled tells whether a cancel of that mode has stopped the operation with this error.
func (e *Error) WasCancelled(mode CancelMode) bool {
	return e != nil && strings.Contains(e.Detail, fmt.Sprintf(cancelled, mode))
}
