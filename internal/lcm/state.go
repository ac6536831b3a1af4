package lcm

// OperationState is the state of a VnfLcmOpOcc (SOL003 clause 5.6.2.2).
type OperationState string

// The states of SOL003 clause 5.6.2.2.
const (
	Starting    OperationState = "STARTING"
	Processing  OperationState = "PROCESSING"
	Completed   OperationState = "COMPLETED"
	FailedTemp  OperationState = "FAILED_TEMP"
	Failed      OperationState = "FAILED"
	RollingBack OperationState = "ROLLING_BACK"
	RolledBack  OperationState = "ROLLED_BACK"
)

// OperationStates lists every state, in the order in which an operation may enter them.
var OperationStates = [...]OperationState{Starting, Processing, Completed, FailedTemp, Failed, RollingBack, RolledBack}

// Terminal reports whether no further transition is possible from s.
func (s OperationState) Terminal() bool {
	return s == Completed || s == Failed || s == RolledBack
}

// Action is a task that a client can start on an operation that runs or has failed.
type Action string

// The task resources of a VnfLcmOpOcc (SOL003 clauses 5.4.14 to 5.4.17). The values are also the names
// of the workflow's updates and signals.
const (
	Retry    Action = "retry"
	Rollback Action = "rollback"
	Fail     Action = "fail"
	Cancel   Action = "cancel"
)

// Accepts reports whether an operation in state s takes action a (SOL003 clause 5.6.2.3 and the 409
// rules of clauses 5.4.14 to 5.4.17).
func (s OperationState) Accepts(a Action) bool {
	switch a {
	case Retry, Rollback, Fail:
		return s == FailedTemp
	case Cancel:
		return s == Starting || s == Processing || s == RollingBack
	default:
		return false
	}
}

// CanBecome reports whether SOL003 clause 5.6.2.2 has a transition from s to next. STARTING to FAILED_TEMP is not a
// transition: an operation that fails before it touched a resource is ROLLED_BACK. See Operation.FirstState for an
// operation that is never STARTING.
func (s OperationState) CanBecome(next OperationState) bool {
	switch s {
	case Starting:
		return next == Processing || next == RolledBack
	case Processing:
		return next == Completed || next == FailedTemp
	case FailedTemp:
		return next == Processing || next == RollingBack || next == Failed
	case RollingBack:
		return next == RolledBack || next == FailedTemp
	default:
		return false
	}
}

// CancelMode says how much of the present work a cancel interrupts (SOL003 clause 5.5.4.6 CancelModeType).
type CancelMode string

// The modes of SOL003 clause 5.5.4.6.
const (
	Graceful CancelMode = "GRACEFUL" // the current step ends, the next does not start
	Forceful CancelMode = "FORCEFUL" // the current step is interrupted; remote commands are killed
)

// InstantiationState says whether a VnfInstance has resources (SOL003 clause 5.5.2.2).
type InstantiationState string

// The states of SOL003 clause 5.5.2.2.
const (
	NotInstantiated InstantiationState = "NOT_INSTANTIATED"
	Instantiated    InstantiationState = "INSTANTIATED"
)
