package lcm

import (
	"strings"
	"time"
)

// TaskQueue is the queue that the worker polls for workflows and activities.
const TaskQueue = "windlass-lcm"

// WorkflowName is the name under which a workflow is registered and started. One operation, one workflow.
type WorkflowName string

// The workflows, one for each lifecycle operation. Renaming one breaks running operations.
const (
	WorkflowInstantiate   WorkflowName = "Instantiate"
	WorkflowScale         WorkflowName = "Scale"
	WorkflowHeal          WorkflowName = "Heal"
	WorkflowModifyInfo    WorkflowName = "ModifyInfo"
	WorkflowOperate       WorkflowName = "Operate"
	WorkflowChangeExtConn WorkflowName = "ChangeExtConn"
	WorkflowChangeVnfPkg  WorkflowName = "ChangeVnfPkg"
	WorkflowChangeFlavour WorkflowName = "ChangeFlavour"
	WorkflowTerminate     WorkflowName = "Terminate"
)

// WorkflowID makes the id under which the workflow of an operation runs.
func WorkflowID(id OpOccID) string { return workflowPrefix + string(id) }

// OperationOfWorkflow tells which operation the workflow with this id carries out, if it does.
func OperationOfWorkflow(id string) (OpOccID, bool) {
	of, is := strings.CutPrefix(id, workflowPrefix)
	return OpOccID(of), is
}

const workflowPrefix = "lcm-"

// OperationInput starts the workflow of an operation. It holds ids only: histories are readable, so
// parameters stay in the database.
type OperationInput struct {
	OpOccID       OpOccID       `json:"opOccId"`
	VnfInstanceID VnfInstanceID `json:"vnfInstanceId"`
	Operation     Operation     `json:"operation"`
	// Resumed is set by the reconciler when an earlier run of this workflow was terminated from
	// outside: the operation begins in FAILED_TEMP and waits for a decision.
	Resumed bool `json:"resumed,omitempty"`
}

// Input is the input of the operation's workflow.
func (o VnfLcmOpOcc) Input() OperationInput {
	return OperationInput{OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: o.Operation}
}

// The search attributes of an operation's workflow. All have the type Keyword and are in clear.
const (
	AttrVnfInstanceID  = "VnfInstanceId"
	AttrOperation      = "LcmOperation"
	AttrOperationState = "OperationState"
	AttrStep           = "LcmStep"
	// AttrVnfInstanceName and AttrVimName are for people who read lists. Namespaces from earlier releases may lack them.
	AttrVnfInstanceName = "VnfInstanceName"
	AttrVimName         = "VimName"
)

// SearchAttributes lists the attributes that the namespace should have.
var SearchAttributes = [...]string{
	AttrVnfInstanceID, AttrOperation, AttrOperationState, AttrStep, AttrVnfInstanceName, AttrVimName,
}

// CancelRequest is the argument of the update "cancel".
type CancelRequest struct {
	Mode CancelMode `json:"cancelMode"`
}

// FromOperators lets Temporal's own tools send the request, without encryption: see internal/secrets.
func (CancelRequest) FromOperators() {}

// QueryStatus is the name of the workflow's query; the answer is an OperationStatus.
const QueryStatus = "status"

// OperationStatus is the progress of an operation.
type OperationStatus struct {
	State           OperationState `json:"state"`
	Step            string         `json:"step,omitempty"`
	Error           *Error         `json:"error,omitempty"`
	IsCancelPending bool           `json:"isCancelPending,omitempty"`
	CancelMode      CancelMode     `json:"cancelMode,omitempty"`
	// ForwardOnly is set once a server was deleted, or may have been: then rollback is not possible any more.
	ForwardOnly bool `json:"forwardOnly,omitempty"`
}

// StepRef names the operation and the step that an activity works for. Every tracked activity has one in its input; the
// worker's interceptor records the step's progress under it.
type StepRef struct {
	OpOccID OpOccID `json:"opOccId"`
	// Step counts from 0 in the order of the operation's list.
	Step int    `json:"step"`
	Node string `json:"node,omitempty"`
	// Undo is set while the step is being undone.
	Undo bool `json:"undo,omitempty"`
}

// StepState is the state of a step, or of one node's part of it.
type StepState string

// The states of a step.
const (
	StepPending   StepState = "PENDING"
	StepRunning   StepState = "RUNNING"
	StepDone      StepState = "DONE"
	StepFailed    StepState = "FAILED"
	StepCancelled StepState = "CANCELLED"
)

// Phase says whether a step is being done or undone.
type Phase string

// The phases of a step.
const (
	PhaseForward      Phase = "FORWARD"
	PhaseCompensation Phase = "COMPENSATION"
)

// Step is one row of an operation's progress: a step, or one node's part of it.
type Step struct {
	OpOccID OpOccID
	// Index counts from 0 in the order of the operation's list.
	Index int
	Phase Phase
	// ID, Undo and Final come from the operation's list; rows of nodes, and rows of undone steps, have none.
	ID    string `json:",omitempty"`
	Undo  string `json:",omitempty"`
	Final bool   `json:",omitempty"`
	Title string
	// Node is "" for the step as a whole.
	Node     string
	State    StepState
	Attempt  int
	Started  time.Time // zero while PENDING
	Ended    time.Time // zero until it ended
	Error    *Error
	LastLine string
	// Retry is set while an activity of a running step is tried more than once.
	Retry *StepRetry `json:",omitempty"`
	// Usual is the median of what the step took the last times; 0 if nobody knows. Rows of nodes have none.
	Usual time.Duration `json:",omitempty"`
}

// StepRetry tells how it stands with an activity that did not succeed at its first attempt.
type StepRetry struct {
	// Attempt is the number of the attempt that has failed, or that is under way if Next is nil. It counts from 1 and
	// begins again when a person retries the operation.
	Attempt int `json:"attempt"`
	// Attempts is the largest number of attempts; 0 when there is no limit.
	Attempts int `json:"attempts,omitempty"`
	// Error is the error of the last attempt that has failed; nil if its worker was lost.
	Error *Error `json:"error,omitempty"`
	// Next is the time of the next attempt.
	Next *time.Time `json:"next,omitempty"`
	// Activity is Temporal's id of the activity. A step may have several activities at once; the newest failure is told.
	Activity string `json:"activity,omitempty"`
}
