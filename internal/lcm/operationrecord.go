package lcm

import (
	"encoding/json"
	"time"
)

// OperationRecord is a record that an operation's workflow writes about itself. Records are numbered. A record that is
// not newer than the last one changes nothing, so an activity may repeat it.
type OperationRecord struct {
	OpOccID  OpOccID `json:"opOccId"`
	Sequence int64   `json:"sequence"` // counts the records of an operation, from 1
	// State may be the present state, to record a new step or a pending cancel.
	State OperationState `json:"state"`
	// Step is the title of the current step. Every record replaces it, and also Error (nil clears it), IsCancelPending
	// and CancelMode.
	Step            string     `json:"step,omitempty"`
	Error           *Error     `json:"error,omitempty"`
	IsCancelPending bool       `json:"isCancelPending,omitempty"`
	CancelMode      CancelMode `json:"cancelMode,omitempty"`
	// ForwardOnly stays set once it is set.
	ForwardOnly bool `json:"forwardOnly,omitempty"`
	// GrantID and ResourceChanges keep their stored values when unset.
	GrantID         string           `json:"grantId,omitempty"`
	ResourceChanges *ResourceChanges `json:"resourceChanges,omitempty"`
	// NothingLeft is set when an INSTANTIATE is given up and has left nothing.
	NothingLeft bool `json:"-"`
	// DriftPolicy is for an instance that has no policy yet; nil sets none.
	DriftPolicy *DriftPolicy `json:"-"`
	// ChangedInfo keeps its stored value when unset.
	ChangedInfo *VnfInfoModifications `json:"-"`
	// Grant is stored from the first record that has one.
	Grant *Grant `json:"-"`
	// Instance is written in the same transaction, e.g. INSTANTIATED together with COMPLETED. Its
	// Version must be the stored one.
	Instance *VnfInstance `json:"-"`
}

// EventType is the type of an Event.
type EventType string

// The types of events.
const (
	EventOperation EventType = "operation" // Data is an OperationEvent
	EventStep      EventType = "step"      // Data is a StepEvent
	EventOutput    EventType = "output"    // Data is an OutputEvent
	EventDrift     EventType = "drift"     // Data is a DriftEvent; it belongs to an instance, not to an operation
)

// Event is one line of an operation's history, for live views. Ids of one operation's events grow in the order in which
// the events become visible, with gaps.
type Event struct {
	ID int64
	// OpOccID is "" for an event of an instance.
	OpOccID OpOccID
	// VnfInstanceID is the operation's instance, or the event's own. Only events of all operations have it.
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
	Retry    *StepRetry `json:"retry,omitempty"`
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
	// Findings is the number of findings.
	Findings int `json:"findings"`
}

// Phase says whether the step is being done or undone.
func (r StepRef) Phase() Phase {
	if r.Undo {
		return PhaseCompensation
	}
	return PhaseForward
}

// SealedSecret is a secret in its stored form.
type SealedSecret struct {
	Ref SecretRef
	// KeyID names the key in the key file that opens it.
	KeyID  string
	Sealed []byte
}
