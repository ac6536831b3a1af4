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
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func runContainers(t *testing.T, w *world, to lcm.VnfState, before func(*testsuite.TestWorkflowEnvironment)) {
	t.Helper()
	facts := lifecycle.Facts{
		Flavour:  &descriptor.Flavour{Containers: true},
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{}},
	}
	w.what = lifecycle.Description{
		ChangeStateTo: to, Whole: true,
		Steps: lifecycle.Steps(facts, lcm.Plan{Operation: lcm.OpOperate, ChangeStateTo: to}),
	}
	env := newRun(t, w)
	env.RegisterWorkflow(Operate)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) {
		return lcm.Plan{Operation: lcm.OpOperate, ChangeStateTo: to, Operated: []lcm.OperatedVnfc{{VnfcID: "web-1"}}}, nil
	})
	register("OperateContainers", func(
		ctx context.Context, in resources.OperateContainersInput,
	) (resources.OperateContainersOutput, error) {
		_, err := w.work(ctx, workInput{Tracked: in.Tracked, Name: string(in.To)})
		return resources.OperateContainersOutput{}, err
	})
	register("FindNodes", func(context.Context, kubenode.FindNodesInput) (kubenode.FindNodesOutput, error) {
		return kubenode.FindNodesOutput{DeploymentID: "deployment", Vnfcs: []record.Vnfc{{ServerID: "web-2"}}}, nil
	})
	if before != nil {
		before(env)
	}
	env.ExecuteWorkflow(Operate, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpOperate})
	require.NoError(t, env.GetWorkflowError())
}

func TestOperate_stopsContainersAllTogether(t *testing.T) {
	t.Parallel()
	w := &world{}
	runContainers(t, w, lcm.VnfStopped, nil)
	require.Equal(t, []string{"STOPPED"}, w.done)
	require.Equal(t, &record.Operated{ChangeStateTo: lcm.VnfStopped, Vnfcs: []string{"web-1"}}, w.last.Outcome.Operated)
}

func TestOperate_findsTheContainersThatItHasStarted(t *testing.T) {
	t.Parallel()
	w := &world{}
	runContainers(t, w, lcm.VnfStarted, nil)
	require.Equal(t, []string{"STARTED"}, w.done)
	require.Nil(t, w.last.Outcome.Operated)
	require.Equal(t, []record.Vnfc{{ServerID: "web-2"}}, w.last.Outcome.Vnfcs)
}

func TestOperate_startsContainersAgainWhoseStopIsRolledBack(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"STOPPED": {broken("The API server has a full disk.")}}}
	runContainers(t, w, lcm.VnfStopped,
		func(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, lcm.Rollback) })
	require.Equal(t, []string{"STARTED"}, w.done)
	require.True(t, w.last.Outcome.Restored)
	require.Equal(t, []record.Vnfc{{ServerID: "web-2"}}, w.last.Outcome.Vnfcs)
}
