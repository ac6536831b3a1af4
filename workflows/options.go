package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// The profiles of activities. Only this file chooses timeouts and retries. The activities themselves keep the limits
// that a request can set (waiting for SSH, kubeadm ...), because a history holds no parameters.
const (
	// beat bounds how long a dead worker goes unnoticed, where no other worker takes over on the same machine. Activities
	// of a busy worker send their heartbeats up to 14 seconds apart.
	beat = 20 * time.Second
	// longest is above every limit that an activity keeps itself. It ends only an activity that hangs because of a bug.
	longest = 3 * time.Hour
	// playing is longer than any playbook takes: kubespray's may work for hours on many nodes.
	playing = 7 * 24 * time.Hour
	// outage is longer than any outage of the database. An operation waits for the database rather than lose its own
	// records.
	outage = 365 * 24 * time.Hour
)

// recording is for Windlass's own records. They are small and frequent, and wait for nothing but the database. They
// must land, however long it is away.
func recording(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout: 20 * time.Second,
		// Without it, StartToCloseTimeout would bound all tries together.
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

// untilDone is for a playbook or an upload, whose duration nobody knows. The output of the step shows the progress.
func untilDone(ctx workflow.Context) workflow.Context { return working(ctx, playing) }

// soon is for a node that has worked and should answer at once. It bears a network outage of some seconds; a dead node
// costs about a minute.
func soon(ctx workflow.Context) workflow.Context { return patiently(ctx, longest, 5) }

// once is for the cleanup after work that may have failed because the node is gone. It must not hold the operation up.
func once(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: beat, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 3},
	})
}

// glance is for a short look: a client waits for the answer to what comes after it.
func glance(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: 8 * time.Second, HeartbeatTimeout: beat,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 3},
	})
}

// working retries for about two minutes, but only errors that waiting can fix. Activities say so by the kind of their
// error.
func working(ctx workflow.Context, limit time.Duration) workflow.Context {
	return patiently(ctx, limit, 10)
}

func patiently(ctx workflow.Context, limit time.Duration, attempts int32) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: limit,
		HeartbeatTimeout:    beat,
		// A FORCEFUL cancel waits until the step has reported that its remote work is dead.
		WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 20 * time.Second, MaximumAttempts: attempts,
		},
	})
}
