package lcm

import (
	"encoding/json"
	"time"
)

// OperationRecord is what an operation's workflow writes about itself. Records are numbered: one that
// is not newer than the last one written changes nothing, so that an activity may repeat it.
type OperationRecord struct {
	OpOccID  OpOccID `json:"opOccId"`
	Sequence int64   `json:"sequence"` // grows by one with every record of an operation, from 1
	// State may be the present one, to record a new step or that a cancel is pending.
	State OperationState `json:"state"`
	// Step is the title of the step under way; it is replaced with every record, as are Error (nil
	// clears it), IsCancelPending and CancelMode.
	Step            string     `json:"step,omitempty"`
	Error           *Error     `json:"error,omitempty"`
	IsCancelPending bool       `json:"isCancelPending,omitempty"`
	CancelMode      CancelMode `json:"cancelMode,omitempty"`
	// ForwardOnly never goes back once it is set.
	ForwardOnly bool `json:"forwardOnly,omitempty"`
	// GrantID and ResourceChanges are kept as they are when unset.
	GrantID         string           `json:"grantId,omitempty"`
	ResourceChanges *ResourceChanges `json:"resourceChanges,omitempty"`
	// DriftPolicy is the one that the instance gets where it has none of its own; nil gives it none.
	DriftPolicy *DriftPolicy `json:"-"`
	// ChangedInfo is kept as it is when unset.
	ChangedInfo *VnfInfoModifications `json:"-"`
	// Grant is kept from the first record that has one on.
	Grant *Grant `json:"-"`
	// Instance is written in the same transaction, e.g. INSTANTIATED together with COMPLETED. Its
	// Version must be the stored one.
	Instance *VnfInstance `json:"-"`
}

// EventType says what an Event tells of.
type EventType string

// The types of events.
const (
	EventOperation EventType = "operation" // Data is an OperationEvent
	EventStep      EventType = "step"      // Data is a StepEvent
	EventOutput    EventType = "output"    // Data is an OutputEvent
	EventDrift     EventType = "drift"     // Data is a DriftEvent; it is of an instance, not of an operation
)

// Event is one line of an operation's history, for live views. The ids of one operation's events grow
// in the order in which they become visible, with gaps.
type Event struct {
	ID int64
	// OpOccID is "" for an event of an instance.
	OpOccID OpOccID
	// VnfInstanceID is that of the operation, or the instance itself; only events of all operations have it.
	VnfInstanceID VnfInstanceID
	Type          EventType
	At            time.Time
	Data          json.RawMessage
}

// OperationEvent is the data of an "operation" event.
type OperationEvent struct {
	State            OperationState `json:"state"`
	StateEnteredTime time.Time      `json:"stateEnteredTime"`
	Step             string         `json:"step,omitempty"`
	IsCancelPending  bool           `json:"isCancelPending,omitempty"`
	CancelMode       CancelMode     `json:"cancelMode,omitempty"`
	Error            *Error         `json:"error,omitempty"`
}

// StepEvent is the data of a "step" event.
type StepEvent struct {
	Index    int        `json:"index"`
	Phase    Phase      `json:"phase"`
	Title    string     `json:"title"`
	Node     string     `json:"node,omitempty"`
	State    StepState  `json:"state"`
	Attempt  int        `json:"attempt"`
	Started  *time.Time `json:"started,omitempty"`
	Ended    *time.Time `json:"ended,omitempty"`
	Error    *Error     `json:"error,omitempty"`
	LastLine string     `json:"lastLine,omitempty"`
}

// OutputEvent is the data of an "output" event: lines were added to the captured output of a step.
type OutputEvent struct {
	Index    int    `json:"index"`
	Phase    Phase  `json:"phase"`
	Node     string `json:"node,omitempty"`
	Attempt  int    `json:"attempt"`
	Lines    int    `json:"lines"`
	LastLine string `json:"lastLine,omitempty"`
}

// DriftEvent is the data of a "drift" event: a check of the instance has a report.
type DriftEvent struct {
	ReportID  string    `json:"reportId"`
	CheckedAt time.Time `json:"checkedAt"`
	// Findings is how many there are.
	Findings int `json:"findings"`
}

// Phase says whether the step is done or undone.
func (r StepRef) Phase() Phase {
	if r.Undo {
		return PhaseCompensation
	}
	return PhaseForward
}

// SealedSecret is a secret as it is stored.
type SealedSecret struct {
	Ref SecretRef
	// KeyID names the key of the key file that opens it.
	KeyID  string
	Sealed []byte
}
