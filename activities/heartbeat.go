package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
)

// heartbeat reports that the activity lives until the function that it returns is called. A forceful cancel and the
// loss of a worker are noticed by it. An activity that is over within a second sends none: each is a write in
// Temporal's database.
func heartbeat(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	alive := context.WithoutCancel(ctx) // ending remote work on a node that is slow to answer takes its time, too
	go func() {
		tick := time.NewTicker(time.Second) // the SDK sends them on at its own pace
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				activity.RecordHeartbeat(alive)
			}
		}
	}()
	return func() { close(done) }
}

// unheard tells whether ctx was cancelled because Temporal did not answer this attempt's heartbeats. The attempt is
// lost then, as when its worker dies, and not the operation cancelled.
func unheard(ctx context.Context) bool {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return false
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) {
		return true
	}
	for _, away := range []any{
		new(*serviceerror.Unavailable), new(*serviceerror.DeadlineExceeded), new(*serviceerror.ResourceExhausted), new(*serviceerror.Internal),
	} {
		if errors.As(cause, away) {
			return true
		}
	}
	return false
}
