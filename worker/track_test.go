package worker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// kept records the steps and the lines.
type kept struct {
	mu    sync.Mutex
	steps []lcm.Step
	// retries are those of activities for a whole step.
	retries []*lcm.StepRetry
	lines   []string
	fail    error
}

func (k *kept) RecordRetry(_ context.Context, _ lcm.StepRef, _ string, retry *lcm.StepRetry) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.retries = append(k.retries, retry)
	return k.fail
}

func (k *kept) RecordStep(_ context.Context, s lcm.Step) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.steps = append(k.steps, s)
	return k.fail
}

func (k *kept) AppendOutput(_ context.Context, _ lcm.StepRef, _ int, lines []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines = append(k.lines, lines...)
	return k.fail
}

type workInput struct {
	activities.Tracked
}

func run(t *testing.T, k *kept, do func(context.Context) error) error {
	t.Helper()
	return runOn(t, k, "cp-1", do)
}

// runOn runs an activity for a node, or for the step as a whole.
func runOn(t *testing.T, k *kept, node string, do func(context.Context) error) error {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{
		Interceptors: []interceptor.WorkerInterceptor{&tracker{progress: k, log: slog.New(slog.DiscardHandler)}},
	})
	work := func(ctx context.Context, _ workInput) error { return do(ctx) }
	env.RegisterActivityWithOptions(work, activity.RegisterOptions{Name: "work"})
	_, err := env.ExecuteActivity("work",
		workInput{activities.Tracked{Step: lcm.StepRef{OpOccID: "op", Step: 3, Node: node}}})
	return err
}

func TestTracker_recordsBeginEndAndEveryLine(t *testing.T) {
	k := &kept{}
	require.NoError(t, run(t, k, func(ctx context.Context) error {
		show := lines{}.Lines(ctx, lcm.StepRef{})
		for i := range 1000 {
			show(strconv.Itoa(i))
		}
		return nil
	}))
	require.Len(t, k.steps, 2)
	require.Equal(t, lcm.StepRunning, k.steps[0].State)
	require.Equal(t, lcm.StepDone, k.steps[1].State)
	require.Equal(t, "cp-1", k.steps[1].Node)
	require.True(t, k.steps[0].Started.Equal(k.steps[1].Started), "the end belongs to this beginning")
	require.Len(t, k.lines, 1000)
	require.Equal(t, "999", k.lines[999])
}

// TestTracker_holdsNoMoreThanIsKept has a node with endless output, which comes faster than lines are stored.
func TestTracker_holdsNoMoreThanIsKept(t *testing.T) {
	k := &kept{}
	line := strings.Repeat("x", 1<<10)
	require.NoError(t, run(t, k, func(ctx context.Context) error {
		show := lines{}.Lines(ctx, lcm.StepRef{})
		for range 20 * lcm.MaxStepOutput / len(line) {
			show(line)
		}
		return nil
	}))
	size := len(k.lines) * lcm.OutputSize(line)
	require.Greater(t, size, lcm.MaxStepOutput, "so that the store says what was cut off")
	require.LessOrEqual(t, size, lcm.MaxStepOutput+lcm.OutputSize(line))
}

func TestTracker_recordsTheSentenceOfAFailure(t *testing.T) {
	k := &kept{}
	err := run(t, k, func(context.Context) error {
		e := lcm.Errorf(lcm.KindExhausted, "The disk of cp-1 is full.")
		return temporal.NewApplicationErrorWithOptions(e.Sentence(), string(e.Kind),
			temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{*e}})
	})
	require.Error(t, err)
	require.Equal(t, lcm.StepFailed, k.steps[1].State)
	require.Equal(t, "The disk of cp-1 is full.", k.steps[1].Error.Sentence())
	require.Equal(t, lcm.KindExhausted, k.steps[1].Error.Kind)
}

func TestTracker_tellsOfAnAttemptThatAnotherOneFollows(t *testing.T) {
	for final, want := range map[bool][]string{true: nil, false: {"Attempt 1: The VIM does not answer."}} {
		k := &kept{}
		require.Error(t, run(t, k, func(context.Context) error {
			e := lcm.Errorf(lcm.KindUnavailable, "The VIM does not answer.")
			return temporal.NewApplicationErrorWithOptions(e.Sentence(), string(e.Kind),
				temporal.ApplicationErrorOptions{NonRetryable: final, Details: []any{*e}})
		}))
		require.Equal(t, want, k.lines)
	}
}

func TestTracker_progressNeverFailsTheWork(t *testing.T) {
	k := &kept{fail: errors.New("the database is away")}
	require.NoError(t, run(t, k, func(ctx context.Context) error {
		lines{}.Lines(ctx, lcm.StepRef{})("a line")
		return nil
	}))
}

func TestTracker_recordsACancelAsOne(t *testing.T) {
	k := &kept{}
	err := run(t, k, func(context.Context) error { return context.Canceled })
	require.Error(t, err)
	require.Equal(t, lcm.StepCancelled, k.steps[1].State)
	require.Nil(t, k.steps[1].Error)
	require.False(t, k.steps[1].Ended.Before(k.steps[1].Started), time.Now())
}

func TestTracker_endsTheTriesEarlierThanTheWorkflow(t *testing.T) {
	away := temporal.NewApplicationErrorWithOptions("cp-1 does not answer", string(lcm.KindUnavailable),
		temporal.ApplicationErrorOptions{Details: []any{*lcm.Errorf(lcm.KindUnavailable, "cp-1 does not answer")}})
	limited := &tracker{attempts: 3}
	final := func(ctx context.Context, t *tracker, attempt int) bool {
		app, ok := errors.AsType[*temporal.ApplicationError](t.lastOf(ctx, attempt, away))
		return ok && app.NonRetryable()
	}
	require.False(t, final(t.Context(), limited, 2))
	require.True(t, final(t.Context(), limited, 3))
	require.Equal(t, "cp-1 does not answer", errorOf(limited.lastOf(t.Context(), 3, away)).Detail, "it says what it said")
	require.False(t, final(t.Context(), &tracker{}, 10), "the workflow counts")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(sdkworker.ErrWorkerShutdown)
	require.False(t, final(ctx, limited, 3), "another worker goes on")
	require.NoError(t, limited.lastOf(t.Context(), 3, nil))
}

// brokenFacts cannot plan because of an internal error, which clients must not see.
type brokenFacts struct{ records.Facts }

func (brokenFacts) Plan(context.Context, lcm.OpOccID, map[string]string) (lcm.Plan, error) {
	return lcm.Plan{}, lcm.Wrap(lcm.KindBroken, errors.New("relation is corrupt"), "The database cannot be read.")
}

func TestTracker_logsAFailureOnceWithItsCause(t *testing.T) {
	var sdk, own bytes.Buffer
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(&sdk,
		&slog.HandlerOptions{Level: slog.LevelWarn}))))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{
		Interceptors: []interceptor.WorkerInterceptor{&tracker{
			progress: &kept{},
			log:      slog.New(slog.NewTextHandler(&own, nil)),
		}},
	})
	env.RegisterActivity(&records.OpOccs{Facts: brokenFacts{}})
	_, err := env.ExecuteActivity("PlanOperation",
		records.PlanInput{Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: "op"}}})
	require.ErrorContains(t, err, "The database cannot be read.")
	require.NotContains(t, err.Error(), "corrupt")
	require.Equal(t, 1, strings.Count(own.String(), "corrupt"), own.String())
	require.NotContains(t, sdk.String(), "corrupt")
}
