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
	Retry                                  *StepRetry
	IsAutomaticInvocation, IsCancelPending bool
	Error                                  *Error
}
