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

func runRepackaging(t *testing.T, w *world, before func(*testsuite.TestWorkflowEnvironment)) error {
	t.Helper()
	w.what.Steps = stepsOf(lcm.OpChangeVnfPkg, lifecycle.Facts{})
	env := newRun(t, w)
	env.RegisterWorkflow(ChangeVnfPkg)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) {
		return lcm.Plan{Operation: lcm.OpChangeVnfPkg, VnfPkgID: "next"}, nil
	})
	register(
		"ChangePackage",
		func(ctx context.Context, in resources.ChangePackageInput) (resources.ChangePackageOutput, error) {
			_, err := w.work(ctx, workInput{
				Tracked: in.Tracked, Name: map[bool]string{false: "change", true: "as before"}[in.AsBefore],
			})
			return resources.ChangePackageOutput{}, err
		},
	)
	register("FindNodes", func(context.Context, kubenode.FindNodesInput) (kubenode.FindNodesOutput, error) {
		return kubenode.FindNodesOutput{DeploymentID: "deployment", Vnfcs: []record.Vnfc{{ServerID: "pod"}}}, nil
	})
	if before != nil {
		before(env)
	}
	env.ExecuteWorkflow(ChangeVnfPkg, lcm.OperationInput{
		OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpChangeVnfPkg,
	})
	return env.GetWorkflowError()
}

func TestChangeVnfPkg_recordsWhatTheVnfConsistsOf(t *testing.T) {
	t.Parallel()
	w := &world{}
	require.NoError(t, runRepackaging(t, w, nil))
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.Completed}, w.states)
	require.Equal(t, []string{"change"}, w.done)
	require.Equal(t, []record.Vnfc{{ServerID: "pod"}}, w.last.Outcome.Vnfcs)
	require.False(t, w.last.Outcome.Restored)
}

func TestChangeVnfPkg_isRetriedOrRolledBack(t *testing.T) {
	t.Parallel()
	for action, done := range map[lcm.Action][]string{lcm.Retry: {"change"}, lcm.Rollback: {"as before"}} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			w := &world{fail: map[string][]error{"change": {broken("ImagePullBackOff.")}}}
			require.NoError(t, runRepackaging(t, w,
				func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, action) }))
			require.Equal(t, done, w.done)
			require.True(t, w.states[len(w.states)-1].Terminal())
			if action == lcm.Rollback { // the current Pods differ from the recorded ones
				require.Equal(t, &record.Outcome{
					Restored: true, DeploymentID: "deployment", Vnfcs: []record.Vnfc{{ServerID: "pod"}},
				}, w.last.Outcome)
			}
		})
	}
}

func TestChangeVnfPkg_recordsWhatAnOperationThatIsGivenUpHasLeft(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"change": {broken("ImagePullBackOff.")}}}
	require.Error(t, runRepackaging(t, w,
		func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, lcm.Fail) }))
	require.True(t, w.last.Outcome.Left)
	require.Equal(t, []record.Vnfc{{ServerID: "pod"}}, w.last.Outcome.Vnfcs)
}
