package worker

import (
	"errors"
	"math"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// most is the largest number of attempts of an activity; 0 when there is no limit. The worker may have a lower limit
// than the workflow. Attempts that a stopping worker has interrupted may go beyond it.
func (t *tracker) most(info activity.Info, args []any) int {
	most := mostOf(info)
	if t.attempts > 0 && !patient(args) && int(info.Attempt) <= t.attempts && (most == 0 || t.attempts < most) {
		most = t.attempts
	}
	return most
}

// mostOf is the workflow's limit.
func mostOf(info activity.Info) int {
	if info.RetryPolicy == nil {
		return 0
	}
	return int(info.RetryPolicy.MaximumAttempts)
}

// underWay tells of an attempt that begins, nil for the first one.
func underWay(info activity.Info, most int) *lcm.StepRetry {
	if info.Attempt <= 1 {
		return nil
	}
	return &lcm.StepRetry{Attempt: int(info.Attempt), Attempts: most, Activity: info.ActivityID}
}

// retryAfter tells of an attempt that has failed and that Temporal follows with another one, nil for any other end. Its
// error is the one that Temporal gets: it is cut, and has no secrets.
func retryAfter(info activity.Info, most int, err error, now time.Time) *lcm.StepRetry {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	limit := mostOf(info)
	if !ok || app.NonRetryable() || limit > 0 && int(info.Attempt) >= limit {
		return nil
	}
	next := now.Add(pause(info, app))
	if info.ScheduleToCloseTimeout > 0 && next.After(info.ScheduledTime.Add(info.ScheduleToCloseTimeout)) {
		return nil
	}
	return &lcm.StepRetry{
		Attempt: int(info.Attempt), Attempts: most, Error: errorOf(err), Next: &next, Activity: info.ActivityID,
	}
}

// pause is the time until Temporal's next attempt.
func pause(info activity.Info, app *temporal.ApplicationError) time.Duration {
	policy := info.RetryPolicy
	switch {
	case app.NextRetryDelay() > 0:
		return app.NextRetryDelay()
	case policy == nil:
		return 0
	}
	next := float64(policy.InitialInterval) * math.Pow(policy.BackoffCoefficient, float64(info.Attempt-1))
	if policy.MaximumInterval > 0 {
		next = min(next, float64(policy.MaximumInterval))
	}
	return time.Duration(next)
}
