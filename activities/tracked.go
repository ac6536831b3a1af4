// Package activities has what the side effects of Windlass share: the subject of an activity, its errors, its
// heartbeat, and the VNF that it works for. The packages below it hold the activities, one idempotent side effect each.
// They are methods of a few small structs. A method's name is its Temporal activity type: renaming a method breaks
// running operations.
package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Tracked is embedded in the input of every activity of a step. The worker's interceptor records the step's progress
// under it.
type Tracked struct {
	Step lcm.StepRef `json:"step"`
}

// StepRef says which step the activity works for.
func (t Tracked) StepRef() lcm.StepRef { return t.Step }

// Output stores the lines that a step prints.
type Output interface {
	// Lines returns a function that stores one line per call. It never fails and never blocks long.
	Lines(ctx context.Context, ref lcm.StepRef) func(line string)
}

// Starter starts the workflows of operations.
type Starter interface {
	// Start starts the operation's workflow. It is no error if the workflow runs already.
	Start(ctx context.Context, in lcm.OperationInput) error
}
