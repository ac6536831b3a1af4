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

// beatsPerSecond limits the heartbeats of a process. Otherwise a thousand waiting activities would overload Temporal's
// database. With many activities, a cancel takes a little longer.
const beatsPerSecond = 50

// pause is the time between two heartbeats of one activity, for this number of activities. It is well below the
// heartbeat timeout of the workflows.
func pause(living int64) time.Duration {
	const least, most = time.Second, 14 * time.Second
	return min(max(time.Duration(living)*time.Second/beatsPerSecond, least), most)
}

// Heartbeat reports that the activity lives, until the returned function is called. Heartbeats deliver a forceful
// cancel and reveal the loss of a worker. An activity that ends within a second sends none, because each heartbeat is a
// write in Temporal's database.
func Heartbeat(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	alive := context.WithoutCancel(ctx) // it takes time to end remote work on a slow node, too
	living.Add(1)
	go func() {
		defer living.Add(-1)
		tick := time.NewTimer(pause(living.Load())) // the SDK throttles the heartbeats further
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

// Unheard tells whether ctx was cancelled because Temporal did not answer this attempt's heartbeats. Then only the
// attempt is lost, as when its worker dies; the operation is not cancelled.
func Unheard(ctx context.Context) bool {
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

// Begun returns the time of the activity's first attempt, so that all attempts share one limit.
func Begun(ctx context.Context) time.Time {
	if info := activity.GetInfo(ctx); info.Attempt > 1 {
		return info.ScheduledTime
	}
	return time.Now()
}
