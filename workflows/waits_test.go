package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// waiting is an operation with a step that waits and works in parallel, and then waits again.
func waiting(ctx workflow.Context, in lcm.OperationInput) error {
	var w *world
	work := func(name string) func(workflow.Context) error {
		return func(ctx workflow.Context) error {
			_, err := call(onNode(ctx), w.work, workInput{Tracked: track(ctx, ""), Name: name})
			return err
		}
	}
	waits := func(name string) func(workflow.Context) error {
		return func(ctx workflow.Context) error { return work(name)(onlyWaits(ctx)) }
	}
	return runOperation(ctx, &operation{
		in:    in,
		learn: func(lifecycle.Description) {},
		tables: tables{{
			"ask-for-grant": {do: func(workflow.Context) error { return nil }},
			"first":         {do: work("a")},
			"second": {do: func(ctx workflow.Context) error {
				ended := together(ctx, waits("ssh"), work("b"))
				if err := waits("ready")(ctx); err != nil {
					return err
				}
				return ended
			}},
			"third": {do: work("c")},
		}},
		outcome: func() *record.Outcome { return &record.Outcome{} },
	})
}

// ends returns work that ends when a channel is closed. It calls begun when it begins.
func (w *world) ends(with <-chan struct{}, begun func()) func(context.Context, workInput) (struct{}, error) {
	return func(ctx context.Context, in workInput) (struct{}, error) {
		begun()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-with:
				return w.work(ctx, in)
			case <-ctx.Done():
				return struct{}{}, ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

func TestOperation_gracefulCancelEndsWhatOnlyWaits(t *testing.T) {
	t.Parallel()
	w := &world{}
	env := newRun(t, w)
	env.RegisterWorkflow(waiting)
	waited := make(chan struct{})
	env.OnActivity("work", anyContext, workIs("ssh")).Return(func(ctx context.Context, in workInput) (struct{}, error) {
		defer close(waited)
		return w.ends(nil, func() { w.hanging.Store(true) })(ctx, in)
	}).Once()
	env.OnActivity("work", anyContext, workIs("b")).Return(func(ctx context.Context, in workInput) (struct{}, error) {
		<-waited
		if ctx.Err() != nil {
			return struct{}{}, errors.New("it was ended, though it works")
		}
		return w.work(ctx, in)
	}).Once()
	env.OnActivity("work", anyContext, anyWork).Return(w.work)
	cancel := decideWhen(env, w.hanging.Load, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Graceful})
	decide(env, time.Hour, lcm.Retry)
	env.ExecuteWorkflow(waiting, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpInstantiate})
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, cancel.err)
	require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.Processing, lcm.Completed},
		w.states[len(w.states)-4:])
	require.Equal(t, []string{"a", "b"}, w.done[:2], "what works goes on to its end; what would wait does not begin")
	require.ElementsMatch(t, []string{"ssh", "b", "ready", "c"}, w.done[2:], "the retry does the step anew")
	var ended []lcm.Step
	for _, s := range w.steps {
		if s.State == lcm.StepCancelled {
			ended = append(ended, s)
		}
	}
	require.Len(t, ended, 1)
	require.Equal(t, "Second", ended[0].Title)
}
