package activities

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
)

// living counts the activities of this process that send heartbeats.
var living atomic.Int64

// beatsPerSecond bounds the heartbeats of a process. A thousand activities that wait would otherwise keep Temporal's
// database busy with nothing else; who cancels one of so many waits for it a little longer.
const beatsPerSecond = 50

// pause is the time between two heartbeats of one of so many activities: well below the timeout that workflows give.
func pause(living int64) time.Duration {
	const least, most = time.Second, 14 * time.Second
	return min(max(time.Duration(living)*time.Second/beatsPerSecond, least), most)
}

// heartbeat reports that the activity lives until the function that it returns is called. A forceful cancel and the
// loss of a worker are noticed by it. An activity that is over within a second sends none: each is a write in
// Temporal's database.
func heartbeat(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	alive := context.WithoutCancel(ctx) // ending remote work on a node that is slow to answer takes its time, too
	living.Add(1)
	go func() {
		defer living.Add(-1)
		tick := time.NewTimer(pause(living.Load())) // the SDK holds them back to its own pace
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				activity.RecordHeartbeat(alive)
				tick.Reset(pause(living.Load()))
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
		new(*serviceerror.Unavailable), new(*serviceerror.DeadlineExceeded), new(*serviceerror.ResourceExhausted),
		new(*serviceerror.Internal),
	} {
		if errors.As(cause, away) {
			return true
		}
	}
	return false
}
