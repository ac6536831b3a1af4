package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

func runReconnection(t *testing.T, w *world, before func(*testsuite.TestWorkflowEnvironment)) error {
	t.Helper()
	if w.what.Steps == nil {
		w.what.Steps = stepsOf(lcm.OpChangeExtConn, lifecycle.Facts{})
	}
	env := newRun(t, w)
	env.RegisterWorkflow(ChangeExtConn)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) {
		return lcm.Plan{Operation: lcm.OpChangeExtConn}, nil
	})
	register("ReconnectStack", func(ctx context.Context,
		in resources.ReconnectStackInput,
	) (out resources.ReconnectStackOutput, err error) {
		_, err = w.work(ctx, workInput{
			Tracked: in.Tracked,
			Name:    map[bool]string{false: "reconnect", true: "as before"}[in.AsBefore],
		})
		if in.AsBefore {
			out.DeploymentID, out.Vnfcs = "stack", []record.Vnfc{{ServerID: "restored"}}
		}
		return out, err
	})
	register("TryVim", func(ctx context.Context, in resources.TryVimInput) (out resources.TryVimOutput, err error) {
		_, err = w.work(ctx, workInput{Tracked: in.Tracked, Name: "try"})
		return out, err
	})
	register("FindNodes", func(context.Context, kubenode.FindNodesInput) (kubenode.FindNodesOutput, error) {
		return kubenode.FindNodesOutput{DeploymentID: "stack", Vnfcs: []record.Vnfc{{ServerID: "s"}}}, nil
	})
	if before != nil {
		before(env)
	}
	env.ExecuteWorkflow(ChangeExtConn, lcm.OperationInput{
		OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpChangeExtConn,
	})
	return env.GetWorkflowError()
}

func TestChangeExtConn_recordsWhatTheVnfConsistsOf(t *testing.T) {
	t.Parallel()
	w := &world{}
	require.NoError(t, runReconnection(t, w, nil))
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.Completed}, w.states)
	require.Equal(t, []string{"reconnect"}, w.done)
	require.Equal(t, "stack", w.last.Outcome.DeploymentID)
}

func TestChangeExtConn_triesAnotherVimConnectionFirst(t *testing.T) {
	t.Parallel()
	for action, done := range map[lcm.Action][]string{lcm.Retry: {"try", "reconnect"}, lcm.Rollback: nil} {
		w := &world{
			what: lifecycle.Description{Steps: stepsOf(lcm.OpChangeExtConn, lifecycle.Facts{ChangesVim: true})},
			fail: map[string][]error{"try": {broken("refused")}},
		}
		require.NoError(t, runReconnection(t, w,
			func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, action) }))
		require.Equal(t, done, w.done)
		require.True(t, w.states[len(w.states)-1].Terminal())
	}
}

func TestChangeExtConn_isRetriedOrRolledBack(t *testing.T) {
	t.Parallel()
	for action, done := range map[lcm.Action][]string{lcm.Retry: {"reconnect"}, lcm.Rollback: {"as before"}} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			w := &world{fail: map[string][]error{"reconnect": {broken("Heat failed.")}}}
			require.NoError(t, runReconnection(t, w,
				func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, action) }))
			require.Equal(t, done, w.done)
			require.True(t, w.states[len(w.states)-1].Terminal())
			if action == lcm.Rollback { // the current ports differ from the recorded ones
				require.Equal(t, &record.Outcome{
					Restored: true, DeploymentID: "stack", Vnfcs: []record.Vnfc{{ServerID: "restored"}},
				}, w.last.Outcome)
			}
		})
	}
}

// TestChangeExtConn_recordsWhatAnOperationThatIsGivenUpHasLeft checks that an operation that becomes FAILED records its
// ports, because the VIM may have replaced some.
func TestChangeExtConn_recordsWhatAnOperationThatIsGivenUpHasLeft(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"reconnect": {broken("Heat failed.")}}}
	require.Error(t, runReconnection(t, w, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterActivityWithOptions(func(context.Context,
			resources.FindConnectionsInput,
		) (resources.FindConnectionsOutput, error) {
			return resources.FindConnectionsOutput{
				DeploymentID: "stack", Vnfcs: []record.Vnfc{{ServerID: "s"}}, Moved: []string{"cp"},
			}, nil
		}, activity.RegisterOptions{Name: "FindConnections"})
		decide(env, time.Hour, lcm.Fail)
	}))
	require.Equal(t, lcm.Failed, w.states[len(w.states)-1])
	require.Equal(t, &record.Outcome{
		Left: true, Moved: []string{"cp"}, DeploymentID: "stack", Vnfcs: []record.Vnfc{{ServerID: "s"}},
	}, w.last.Outcome)
}

func TestChangeExtConn_isCancelled(t *testing.T) {
	t.Parallel()
	w := &world{hang: map[string]bool{"reconnect": true}}
	require.NoError(t, runReconnection(t, w, func(env *testsuite.TestWorkflowEnvironment) {
		decideWhen(env, w.hanging.Load, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Forceful})
		decide(env, time.Hour, lcm.Rollback)
	}))
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack},
		w.states)
}
