package lcm

import "time"

// InstanceSummary is what a list shows of a VNF instance at a glance.
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
	// DriftCheckedAt is when the last check for drift was, nil before the first.
	DriftCheckedAt *time.Time
	DriftFindings  int
}

// OperationSummary is what a list shows of an operation at a glance.
type OperationSummary struct {
	ID              OpOccID
	ProjectID       ProjectID
	VnfInstanceID   VnfInstanceID
	VnfInstanceName string // "" when it has none, or is gone
	Operation       Operation
	State           OperationState
	// StartTime and StateEnteredTime are nil of an operation that is none.
	StartTime, StateEnteredTime *time.Time
	// Step is the title of the step under way, or of the one that failed.
	Step                                   string
	IsAutomaticInvocation, IsCancelPending bool
	Error                                  *Error
}
