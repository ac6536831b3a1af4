package lcm

import "time"

// InstanceSummary is the row of a VNF instance in a list.
type InstanceSummary struct {
	ID                 VnfInstanceID
	ProjectID          ProjectID
	Name               string
	VnfdID             VnfdID
	Provider           string
	ProductName        string
	SoftwareVersion    string
	VnfdVersion        string
	InstantiationState InstantiationState
	VnfState           VnfState // "" when it is not instantiated
	Created            time.Time
	// Last is the last operation; its ID is "" when there was none.
	Last OperationSummary
	// DriftCheckedAt is the time of the last check for drift, nil before the first.
	DriftCheckedAt *time.Time
	DriftFindings  int
}

// OperationSummary is the row of an operation in a list.
type OperationSummary struct {
	ID              OpOccID
	ProjectID       ProjectID
	VnfInstanceID   VnfInstanceID
	VnfInstanceName string // "" when the instance has no name, or is deleted
	Operation       Operation
	State           OperationState
	// StartTime and StateEnteredTime are nil when there is no operation.
	StartTime, StateEnteredTime *time.Time
	// Step is the title of the current step, or of the failed step.
	Step string
	// Retry tells of an activity of that step that is tried again; nil when there is none.
	Retry *StepRetry
	// Slow is set when the step takes much longer than usual, or when the next step does not begin.
	Slow                                   *SlowStep
	IsAutomaticInvocation, IsCancelPending bool
	Error                                  *Error
}

// SlowStep tells of a step that takes much longer than usual, by IsSlow.
type SlowStep struct {
	// Since is when the step began, or when it should have begun.
	Since time.Time `json:"since"`
	// Usual is the median of the last times, in seconds. It is 0 if the next step should have begun at once, and nil if
	// nobody knows.
	Usual *float64 `json:"usual"`
}

// IsSlow tells whether a step that has taken a time until now takes much longer than usual: three times as long, and at
// least a minute longer. If nobody knows the usual time (0), an hour is much. The database's view slow_operation has
// the same rule.
func IsSlow(usual, taken time.Duration) bool {
	if usual == 0 {
		return taken > time.Hour
	}
	return taken > max(3*usual, usual+time.Minute)
}
