package lcm

import "time"

// DrainAction is what was decided about a node whose pods or volumes did not go by themselves.
type DrainAction string

// The decisions. A node that was drained in time needs none.
const (
	// DrainForced: pods were deleted without their consent.
	DrainForced DrainAction = "FORCED"
	// DrainFailed: pods were left alone, and the step has failed.
	DrainFailed DrainAction = "FAILED"
	// DrainNotWaited: the node was not Ready, so that nothing was waited for.
	DrainNotWaited DrainAction = "NOT_WAITED_FOR"
	// DrainWentOn: volumes were still attached when their time was over.
	DrainWentOn DrainAction = "WENT_ON"
)

// DrainDecision is what was decided when a node was drained, in which step, and why. It is kept with the operation: its
// output may be gone, and its error is gone once it is retried.
type DrainDecision struct {
	Node   string      `json:"node"`
	Step   int         `json:"step"`
	Phase  Phase       `json:"phase"`
	Action DrainAction `json:"action"`
	// Detail is a sentence for the operator.
	Detail string    `json:"detail"`
	At     time.Time `json:"at"`
}
