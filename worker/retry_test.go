package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func away(options temporal.ApplicationErrorOptions) error {
	e := lcm.Errorf(lcm.KindUnavailable, "The VIM does not answer.")
	options.Details = []any{*e}
	return temporal.NewApplicationErrorWithOptions(e.Sentence(), string(e.Kind), options)
}

// TestTracker_tellsHowAWholeStepIsTriedAgain has activities for the step as a whole, whose row the workflow writes.
func TestTracker_tellsHowAWholeStepIsTriedAgain(t *testing.T) {
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"retried": {away(temporal.ApplicationErrorOptions{}), "The VIM does not answer."},
		"final":   {away(temporal.ApplicationErrorOptions{NonRetryable: true}), ""},
		"done":    {nil, ""},
	} {
		k := &kept{}
		err := runOn(t, k, "", func(context.Context) error { return c.err })
		require.Equal(t, c.err != nil, err != nil, what)
		require.Empty(t, k.steps, what)
		if c.want == "" {
			require.Empty(t, k.retries, "%s: an activity that ends at its first attempt has nothing to tell", what)
			continue
		}
		require.Len(t, k.retries, 1, what)
		assert.Equal(t, 1, k.retries[0].Attempt)
		assert.Equal(t, c.want, k.retries[0].Error.Sentence())
		assert.NotNil(t, k.retries[0].Next)
	}
}

func TestTracker_tellsHowANodeIsTriedAgain(t *testing.T) {
	k := &kept{}
	require.Error(t, run(t, k, func(context.Context) error { return away(temporal.ApplicationErrorOptions{}) }))
	require.Len(t, k.steps, 2)
	require.Nil(t, k.steps[0].Retry)
	require.Equal(t, "The VIM does not answer.", k.steps[1].Retry.Error.Sentence())
	require.Empty(t, k.retries)
}

// TestRetryAfter_knowsWhenTemporalTriesAgain has the policy of most activities.
func TestRetryAfter_knowsWhenTemporalTriesAgain(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	info := func(attempt int32) activity.Info {
		return activity.Info{
			ActivityID: "7", Attempt: attempt, ScheduledTime: now,
			RetryPolicy: &temporal.RetryPolicy{
				InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 20 * time.Second, MaximumAttempts: 10,
			},
		}
	}
	for attempt, want := range map[int32]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 9: 20 * time.Second} {
		got := retryAfter(info(attempt), 10, away(temporal.ApplicationErrorOptions{}), now)
		require.NotNil(t, got)
		assert.Equal(t, want, got.Next.Sub(now), "after attempt %d", attempt)
		assert.Equal(t, int(attempt), got.Attempt)
		assert.Equal(t, 10, got.Attempts)
		assert.Equal(t, "7", got.Activity)
	}
	later := retryAfter(info(1), 10, away(temporal.ApplicationErrorOptions{NextRetryDelay: time.Minute}), now)
	assert.Equal(t, time.Minute, later.Next.Sub(now), "the other side has named a time")
	short := info(3)
	short.ScheduleToCloseTimeout = 3 * time.Second
	for what, none := range map[string]*lcm.StepRetry{
		"the last attempt":  retryAfter(info(10), 10, away(temporal.ApplicationErrorOptions{}), now),
		"a final error":     retryAfter(info(1), 10, away(temporal.ApplicationErrorOptions{NonRetryable: true}), now),
		"no time is left":   retryAfter(short, 10, away(temporal.ApplicationErrorOptions{}), now),
		"a cancel":          retryAfter(info(1), 10, context.Canceled, now),
		"a success":         retryAfter(info(1), 10, nil, now),
		"the first attempt": underWay(info(1), 10),
	} {
		assert.Nil(t, none, what)
	}
	assert.Equal(t, &lcm.StepRetry{Attempt: 4, Attempts: 10, Activity: "7"}, underWay(info(4), 10))
}

// patientInput is of an activity that the worker does not end early.
type patientInput struct{ activities.Tracked }

func (patientInput) Patient() bool { return true }

func TestMost_isTheLowerLimit(t *testing.T) {
	info := activity.Info{Attempt: 2, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 10}}
	args := []any{workInput{}}
	assert.Equal(t, 10, (&tracker{}).most(info, args))
	assert.Equal(t, 3, (&tracker{attempts: 3}).most(info, args))
	assert.Equal(t, 10, (&tracker{attempts: 30}).most(info, args))
	assert.Equal(t, 10, (&tracker{attempts: 3}).most(info, []any{patientInput{}}))
	info.Attempt = 4
	assert.Equal(t, 10, (&tracker{attempts: 3}).most(info, args), "a stopping worker has interrupted an attempt")
	assert.Zero(t, (&tracker{}).most(activity.Info{}, args))
}

// TestTracker_tellsNoSecretOfARetry has an error with a cause, which is for the log only.
func TestTracker_tellsNoSecretOfARetry(t *testing.T) {
	k := &kept{}
	err := runOn(t, k, "", func(ctx context.Context) error {
		_, err := (&records.OpOccs{Facts: leakingFacts{}}).PlanOperation(ctx, records.PlanInput{})
		return err
	})
	require.Error(t, err)
	require.Len(t, k.retries, 1)
	assert.Equal(t, "The VIM does not answer.", k.retries[0].Error.Sentence())
	assert.NotContains(t, k.retries[0].Error.Error(), "hunter2")
	assert.NotContains(t, k.lines, "hunter2")
}

type leakingFacts struct{ records.Facts }

func (leakingFacts) Plan(context.Context, lcm.OpOccID, map[string]string) (lcm.Plan, error) {
	return lcm.Plan{}, lcm.Wrap(lcm.KindUnavailable, errors.New("GET /?password=hunter2"), "The VIM does not answer.")
}
