// Package activities holds the side effects of Windlass, one idempotent activity each, as methods of
// few small structs: OpOccs (the operation's own records), Infrastructure (the VIM), Nodes and Cluster
// (the VMs over SSH). A method's name is its Temporal type: renaming one breaks running operations.
package activities

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Tracked is embedded in the input of every activity that belongs to a step; the worker's interceptor
// records the step's progress under it.
type Tracked struct {
	Step lcm.StepRef `json:"step"`
}

// StepRef says which step the activity works for.
func (t Tracked) StepRef() lcm.StepRef { return t.Step }
