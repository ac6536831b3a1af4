// Package activities holds the side effects of Windlass, one idempotent activity each. They are methods of a few small
// structs, e.g. OpOccs (the operation's own records), Infrastructure (the VIM), Nodes and Cluster (the VMs over SSH). A
// method's name is its Temporal activity type: renaming a method breaks running operations.
package activities

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Tracked is embedded in the input of every activity of a step. The worker's interceptor records the step's progress
// under it.
type Tracked struct {
	Step lcm.StepRef `json:"step"`
}

// StepRef says which step the activity works for.
func (t Tracked) StepRef() lcm.StepRef { return t.Step }
