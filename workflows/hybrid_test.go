package workflows

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// mixedFacts returns the facts of a VNF of a server and a Pod.
func mixedFacts() lifecycle.Facts {
	return lifecycle.Facts{
		Flavour: &descriptor.Flavour{Hybrid: true, Vdus: []descriptor.Vdu{{ID: "vm"}, {ID: "web", Containers: true}}},
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{VnfState: lcm.VnfStarted, VnfcResources: []lcm.VnfcResourceInfo{
			{ID: "server", VduID: "vm", ComputeResource: lcm.ResourceHandle{ResourceID: "server"}},
			{ID: "pod", VduID: "web", ComputeResource: lcm.ResourceHandle{ResourceID: "pod"}},
		}}},
	}
}

// runMixed runs an operation on this VNF.
func runMixed(
	t *testing.T, w *world, op lcm.Operation, body string, before func(*testsuite.TestWorkflowEnvironment),
) {
	t.Helper()
	f := mixedFacts()
	p, err := planOf(f, op, body)
	require.NoError(t, err)
	w.what = lifecycle.Description{
		ChangeStateTo: p.ChangeStateTo, Whole: p.Whole, ServerIDs: []string{"server", "pod"}, Steps: lifecycle.Steps(f, p),
	}
	env := newRun(t, w)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	do := func(ctx context.Context, tracked activities.Tracked, name string) error {
		_, err := w.work(ctx, workInput{Tracked: tracked, Name: name})
		return err
	}
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) { return p, nil })
	register("OperateContainers", func(
		ctx context.Context, in resources.OperateContainersInput,
	) (out resources.OperateContainersOutput, err error) {
		return out, do(ctx, in.Tracked, "containers "+string(in.To))
	})
	register("SwitchServer", func(
		ctx context.Context, in resources.SwitchServerInput,
	) (out resources.SwitchServerOutput, err error) {
		return out, do(ctx, in.Tracked, in.ServerID+" "+string(in.To))
	})
	register("FindNodes", func(context.Context, kubenode.FindNodesInput) (kubenode.FindNodesOutput, error) {
		return kubenode.FindNodesOutput{DeploymentID: "deployment", Vnfcs: []record.Vnfc{{ServerID: "found"}}}, nil
	})
	register("ChangeStack", func(
		ctx context.Context, in resources.ChangeStackInput,
	) (out resources.ChangeStackOutput, err error) {
		return out, do(ctx, in.Tracked, "replace "+strings.Join(in.Leaving, " ")+" on "+in.On)
	})
	register(
		"FindLostServers",
		func(_ context.Context, in resources.ServersInput) (out resources.LostServersOutput, err error) {
			require.NotContains(t, in.ServerIDs, "pod", "a Pod that is replaced is no server that was lost")
			return out, nil
		},
	)
	register(
		"RestoreServers",
		func(ctx context.Context, in resources.ServersInput) (out resources.LostServersOutput, err error) {
			return out, do(ctx, in.Tracked, "restore "+strings.Join(in.ServerIDs, " "))
		},
	)
	workflow := map[lcm.Operation]any{lcm.OpOperate: Operate, lcm.OpHeal: Heal}[op]
	env.RegisterWorkflow(workflow)
	if before != nil {
		before(env)
	}
	env.ExecuteWorkflow(workflow, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: op})
	require.NoError(t, env.GetWorkflowError())
}

func rollBack(env *testsuite.TestWorkflowEnvironment) { decide(env, time.Hour, lcm.Rollback) }

func TestHybrid_stopsContainersThenServers(t *testing.T) {
	t.Parallel()
	w := &world{}
	runMixed(t, w, lcm.OpOperate, `{"changeStateTo":"STOPPED"}`, nil)
	require.Equal(t, []string{"containers STOPPED", "server STOPPED"}, w.done)
	require.Equal(t, &record.Operated{ChangeStateTo: lcm.VnfStopped, Vnfcs: []string{"pod", "server"}}, w.last.Outcome.Operated)
}

func TestHybrid_startsBothAgainWhoseStopIsRolledBack(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"server STOPPED": {broken("The hypervisor hangs.")}}}
	runMixed(t, w, lcm.OpOperate, `{"changeStateTo":"STOPPED"}`, rollBack)
	require.Equal(t, []string{"containers STOPPED", "server STARTED", "containers STARTED"}, w.done)
	require.True(t, w.last.Outcome.Restored)
}

func TestHybrid_healsEachPartOnItsVim(t *testing.T) {
	t.Parallel()
	w := &world{}
	runMixed(t, w, lcm.OpHeal, `{"vnfcInstanceId":["server","pod"]}`, nil)
	require.Equal(t, []string{"replace pod on kubernetes", "replace server on openstack"}, w.done)
	require.Equal(t, []record.Vnfc{{ServerID: "found"}}, w.last.Outcome.Vnfcs)
}

func TestHybrid_takesAHealBack(t *testing.T) {
	t.Parallel()
	w := &world{fail: map[string][]error{"replace server on openstack": {broken("No valid host.")}}}
	runMixed(t, w, lcm.OpHeal, `{"vnfcInstanceId":["server","pod"]}`, rollBack)
	require.Equal(t, []string{"replace pod on kubernetes", "restore server"}, w.done)
	require.Equal(t, lcm.RolledBack, w.states[len(w.states)-1])
	require.True(t, w.last.Outcome.Restored, "Pods that were replaced do not come back")
}
