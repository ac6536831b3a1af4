package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// What of a step only waits, or only looks, need not be waited for by who cancels an operation with GRACEFUL: ended, it
// leaves nothing half done, and a retry does it anew.

// endsWaits is the change since which a GRACEFUL cancel ends what only waits: operations that were cancelled before
// replay without it.
const endsWaits = "graceful-cancel-ends-waits"

type waitsKey struct{}

// onlyWaits marks activities that change nothing: they wait until something is so, or look whether it is. Never mark a
// wait inside of a step that changes one node after the other: the rest would be left for later.
func onlyWaits(ctx workflow.Context) workflow.Context {
	return workflow.WithValue(ctx, waitsKey{}, true)
}

// wait is an activity that a GRACEFUL cancel ends.
type wait struct{ stop workflow.CancelFunc }

// endable is the context of an activity; over must be called when the activity has ended. The control is nil where
// nobody can cancel.
func (c *control) endable(ctx workflow.Context) (endable workflow.Context, over func()) {
	if c == nil || ctx.Value(waitsKey{}) == nil {
		return ctx, func() {}
	}
	ctx, stop := workflow.WithCancel(ctx)
	if c.cancel == lcm.Graceful && c.endsWaits { // it came while the step did something else
		stop()
		return ctx, func() {}
	}
	w := &wait{stop}
	c.waits = append(c.waits, w)
	return ctx, func() {
		c.waits = slices.DeleteFunc(c.waits, func(other *wait) bool { return other == w })
		stop()
	}
}

// endWaits ends what only waits.
func (c *control) endWaits(ctx workflow.Context) {
	c.endsWaits = workflow.GetVersion(ctx, endsWaits, workflow.DefaultVersion, 1) >= 1
	if !c.endsWaits {
		return
	}
	for _, w := range c.waits {
		w.stop()
	}
}
