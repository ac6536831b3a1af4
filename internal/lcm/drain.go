package lcm

import "time"

// DrainAction is the decision about a node that still had pods or volumes after its time to drain.
type DrainAction string

// The decisions. A node that was drained in time needs none.
const (
	// DrainForced: pods were deleted without their consent.
	DrainForced DrainAction = "FORCED"
	// DrainFailed: pods were left alone, and the step has failed.
	DrainFailed DrainAction = "FAILED"
	// DrainNotWaited: the node was not Ready, so Windlass did not wait.
	DrainNotWaited DrainAction = "NOT_WAITED_FOR"
	// DrainWentOn: volumes were still attached when their time was over.
	DrainWentOn DrainAction = "WENT_ON"
)

// DrainDecision is a decision during the drain of a node, with its step and its reason. It is kept with the operation,
// because the output may be deleted and a retry clears the error.
type DrainDecision struct {
	Node   string      `json:"node"`
	Step   int         `json:"step"`
	Phase  Phase       `json:"phase"`
	Action DrainAction `json:"action"`
	// Detail is a sentence for the operator.
	Detail string    `json:"detail"`
	At     time.Time `json:"at"`
}
