package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestPause_growsWithTheNumberOfActivities(t *testing.T) {
	for living, want := range map[int64]time.Duration{
		1: time.Second, 50: time.Second, 200: 4 * time.Second, 700: 14 * time.Second, 5000: 14 * time.Second,
	} {
		require.Equal(t, want, pause(living), "%d", living)
	}
}

func TestUnheard_isAnAttemptWhoseHeartbeatsTemporalDidNotAnswer(t *testing.T) {
	for _, c := range []struct {
		cause error
		want  bool
	}{
		{serviceerror.NewUnavailable("away"), true},
		{serviceerror.NewDeadlineExceeded("slow"), true},
		{context.DeadlineExceeded, true},
		{temporal.NewCanceledError(), false},
		{serviceerror.NewNotFound("given up"), false},
		{worker.ErrWorkerShutdown, false},
		{context.Canceled, false},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		require.False(t, Unheard(ctx))
		cancel(c.cause)
		require.Equal(t, c.want, Unheard(ctx), "%v", c.cause)
	}
	late, done := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer done()
	require.False(t, Unheard(late), "the activity's own limit")
}

func TestBoundary_anUnheardAttemptIsRetried(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	act := func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(serviceerror.NewUnavailable("away"))
		return Boundary(ctx, "create the deployment", ctx.Err())
	}
	env.RegisterActivity(act)
	_, err := env.ExecuteActivity(act)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, string(lcm.KindUnavailable), app.Type())
	require.False(t, app.NonRetryable())
}
