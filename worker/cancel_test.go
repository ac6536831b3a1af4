package worker

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// busy is how long a workflow may take on a busy machine before that looks like a deadlock.
const busy = time.Minute

// heard is a Temporal that knows of a cancel after some heartbeats.
type heard struct {
	mu       sync.Mutex
	answers  []error // to the heartbeats, in turn; nil after them
	beats    int
	told     []error // by CompleteActivity
	tellFail error
}

func (h *heard) RecordActivityHeartbeat(context.Context, []byte, ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.beats++
	if h.beats > len(h.answers) {
		return nil
	}
	return h.answers[h.beats-1]
}

func (h *heard) CompleteActivity(_ context.Context, _ []byte, _ any, err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, err)
	return h.tellFail
}

// outside keeps what the canceller returns to the SDK. The SDK's test environment would wait for a result that is
// pending.
type outside struct {
	interceptor.WorkerInterceptorBase
	interceptor.ActivityInboundInterceptorBase
	err error
}

func (o *outside) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	o.Next = next
	return o
}

func (o *outside) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	_, o.err = o.Next.ExecuteActivity(ctx, in)
	return nil, nil
}

// Init implements interceptor.ActivityInboundInterceptor.
func (o *outside) Init(out interceptor.ActivityOutboundInterceptor) error { return o.Next.Init(out) }

// runCancelled runs an activity of an operation, and tells of the FORCEFUL cancel of an operation as soon as it runs.
func runCancelled(t *testing.T, temporal *heard, of lcm.OpOccID, do func(context.Context) error) error {
	t.Helper()
	c, cancels := newCanceller(temporal), make(chan lcm.OpOccID)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go c.run(ctx, cancels)

	var suite testsuite.WorkflowTestSuite
	env, around := suite.NewTestWorkflowEnvironment(), &outside{}
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: lcm.WorkflowID("op")})
	env.SetWorkerOptions(sdkworker.Options{
		Interceptors: []interceptor.WorkerInterceptor{around, c}, DeadlockDetectionTimeout: busy,
	})
	work := func(ctx context.Context) error {
		cancels <- of
		return do(ctx)
	}
	env.RegisterActivityWithOptions(work, activity.RegisterOptions{Name: "work"})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Hour})
		return workflow.ExecuteActivity(ctx, "work").Get(ctx, nil)
	})
	require.NoError(t, env.GetWorkflowError())
	require.Empty(t, c.running, "it forgets activities that have ended")
	return around.err
}

func untilCancelled(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return errors.New("not cancelled")
	}
}

func TestCanceller_asksTemporalUntilItKnows(t *testing.T) {
	server := &heard{answers: []error{nil, serviceerror.NewUnavailable("busy"), temporal.NewCanceledError()}}
	err := runCancelled(t, server, "op", untilCancelled)
	require.ErrorIs(t, err, activity.ErrResultPending)
	require.Equal(t, 3, server.beats)
	require.Len(t, server.told, 1)
	require.True(t, temporal.IsCanceledError(server.told[0]))
}

func TestCanceller_leavesTheAnswerToTheSDKWhenItsOwnFails(t *testing.T) {
	server := &heard{answers: []error{temporal.NewCanceledError()}, tellFail: serviceerror.NewUnavailable("away")}
	err := runCancelled(t, server, "op", untilCancelled)
	require.NotErrorIs(t, err, activity.ErrResultPending)
	require.ErrorIs(t, err, context.Canceled)
}

func TestCanceller_touchesNoOtherOperation(t *testing.T) {
	server := &heard{answers: []error{temporal.NewCanceledError()}}
	err := runCancelled(t, server, "another", func(ctx context.Context) error { return ctx.Err() })
	require.NoError(t, err)
	require.Zero(t, server.beats)
}

// An activity that ends in spite of the cancel has a result of its own.
func TestCanceller_keepsTheResultOfWorkThatIsDone(t *testing.T) {
	for name, end := range map[string]error{"done": nil, "failed": errors.New("it failed")} {
		t.Run(name, func(t *testing.T) {
			server := &heard{answers: []error{temporal.NewCanceledError()}}
			err := runCancelled(t, server, "op", func(ctx context.Context) error {
				<-ctx.Done()
				return end
			})
			require.Equal(t, end == nil, err == nil, "%v", err)
			require.Empty(t, server.told)
		})
	}
}

func TestCanceller_stopsAskingWhenTemporalHasNoSuchActivity(t *testing.T) {
	server := &heard{answers: []error{serviceerror.NewNotFound("the activity has timed out"), temporal.NewCanceledError()}}
	asked := func() bool {
		server.mu.Lock()
		defer server.mu.Unlock()
		return server.beats > 0
	}
	err := runCancelled(t, server, "op", func(ctx context.Context) error {
		require.Eventually(t, asked, time.Minute, time.Millisecond)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(300 * time.Millisecond): // longer than the pause between two heartbeats
			return nil
		}
	})
	require.NoError(t, err)
	require.Equal(t, 1, server.beats)
}
