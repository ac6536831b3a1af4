package lcm

import "fmt"

// Decision is an action that an operation in FAILED_TEMP waits for, with its purpose.
type Decision struct {
	Purpose string
	Action  Action
}

// DecisionsAfter returns the possible decisions about an operation that failed with this error, the most likely one
// first.
func DecisionsAfter(cause *Error, canRollBack bool) []Decision {
	mend := Decision{"Mend the cause and go on with", Retry}
	undo := Decision{"Undo what was done with", Rollback}
	leave := Decision{"Leave things as they are with", Fail}
	switch {
	case !canRollBack:
		return []Decision{mend, leave}
	case cause.NeedsRequest(): // a retry with the same request fails again
		undo.Purpose = "Undo it, correct the request, and send it anew"
		mend.Purpose = "Only if the cause is elsewhere, mend it and retry"
		return []Decision{undo, mend, leave}
	default:
		return []Decision{mend, undo, leave}
	}
}

// Cancelled is the error of an operation that a cancel stopped.
func Cancelled(mode CancelMode) *Error {
	return &Error{Kind: KindBroken, Detail: fmt.Sprintf("The operation was cancelled (%s).", mode), Cancelled: mode}
}
