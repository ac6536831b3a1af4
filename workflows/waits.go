package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Some activities only wait or look. A client that cancels with GRACEFUL need not wait for them: ending them leaves
// nothing half done, and a retry does them anew.

// endsWaits is the change since which a GRACEFUL cancel ends activities that only wait. Operations that were cancelled
// before replay without it.
const endsWaits = "graceful-cancel-ends-waits"

type waitsKey struct{}

// onlyWaits marks activities that change nothing: they wait for a condition, or look at something. Never mark a wait
// inside a step that changes one node after the other: the remaining nodes would be left for later.
func onlyWaits(ctx workflow.Context) workflow.Context {
	return workflow.WithValue(ctx, waitsKey{}, true)
}

// wait is an activity that a GRACEFUL cancel ends.
type wait struct{ stop workflow.CancelFunc }

// endable is the context of an activity. The caller must call over when the activity has ended. The control is nil
// where nobody can cancel.
func (c *control) endable(ctx workflow.Context) (endable workflow.Context, over func()) {
	if c == nil || ctx.Value(waitsKey{}) == nil {
		return ctx, func() {}
	}
	ctx, stop := workflow.WithCancel(ctx)
	if c.cancel == lcm.Graceful && c.endsWaits { // the cancel came while the step did something else
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

// endWaits ends the activities that only wait.
func (c *control) endWaits(ctx workflow.Context) {
	c.endsWaits = workflow.GetVersion(ctx, endsWaits, workflow.DefaultVersion, 1) >= 1
	if !c.endsWaits {
		return
	}
	for _, w := range c.waits {
		w.stop()
	}
}
