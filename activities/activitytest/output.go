package activitytest

import (
	"context"
	"sync"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Output stores the lines of all steps.
type Output struct {
	mu    sync.Mutex
	Shown []string     // each with its node
	Show  func(string) // is called with each line
}

// Lines implements activities.Output.
func (l *Output) Lines(_ context.Context, ref lcm.StepRef) func(string) {
	return func(line string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.Shown = append(l.Shown, ref.Node+": "+line)
		if l.Show != nil {
			l.Show(ref.Node + ": " + line)
		}
	}
}
