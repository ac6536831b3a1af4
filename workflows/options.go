package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// The profiles of activities. Timeouts and retries are chosen here and nowhere else; limits that a request
// can set (waiting for SSH, kubeadm ...) are kept by the activities themselves, because a history holds
// no parameters.
const (
	// beat bounds how long a dead worker goes unnoticed, where no other takes over from it on the same machine. Activities
	// of a busy worker send their heartbeats up to 14 seconds apart.
	beat = 20 * time.Second
	// longest is above every limit that an activity keeps for itself; it ends only what hangs by a bug.
	longest = 3 * time.Hour
	// playing is above what any playbook takes: kubespray's may work for hours on many nodes.
	playing = 7 * 24 * time.Hour
	// outage is longer than any database is away: an operation waits for it rather than lose its own records.
	outage = 365 * 24 * time.Hour
)

// recording is for Windlass's own records, which are small, frequent and wait for nothing but the
// database. They must land, however long it is away.
func recording(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout: 20 * time.Second,
		// Without it the first limit would be the one of all tries together.
		ScheduleToCloseTimeout: outage,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 200 * time.Millisecond,
			MaximumInterval: 10 * time.Second,
		},
	})
}

// short is for one call of an API.
func short(ctx workflow.Context) workflow.Context {
	return working(ctx, 5*time.Minute)
}

// polling is for an activity that waits for the VIM.
func polling(ctx workflow.Context) workflow.Context { return working(ctx, longest) }

// onNode is for an activity that works on one node over SSH.
func onNode(ctx workflow.Context) workflow.Context { return working(ctx, longest) }

// untilDone is for a playbook or an upload, which takes as long as it takes: its progress is in the output of the step.
func untilDone(ctx workflow.Context) workflow.Context { return working(ctx, playing) }

// soon is for a node that has worked and should answer at once: a network that is away for some seconds is waited for,
// a dead node costs about a minute.
func soon(ctx workflow.Context) workflow.Context { return patiently(ctx, longest, 5) }

// once is for cleaning up behind work that may have failed because the node is gone: it must not hold the
// operation up.
func once(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: beat, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 3},
	})
}

// glance is for a look that nobody should wait for: a client waits for the answer to what comes after it.
func glance(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: 8 * time.Second, HeartbeatTimeout: beat,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 3},
	})
}

// working retries what waiting can fix (activities say so by the kind of their error) about two minutes long.
func working(ctx workflow.Context, limit time.Duration) workflow.Context {
	return patiently(ctx, limit, 10)
}

func patiently(ctx workflow.Context, limit time.Duration, attempts int32) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: limit,
		HeartbeatTimeout:    beat,
		// FORCEFUL waits until the step has reported that its remote work is dead.
		WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 20 * time.Second, MaximumAttempts: attempts,
		},
	})
}
