package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// healed returns the steps of a heal.
func healed(f lifecycle.Facts, whole bool) []lifecycle.Step {
	f.Flavour = &descriptor.Flavour{}
	f.Instance.Instantiated = &lcm.InstantiatedVnfInfo{ExtVirtualLinks: f.Links}
	return lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpHeal, Whole: whole, Within: !whole})
}

// TestHeal_ofAllThatIsGivenUpForgetsWhatItHasMade checks that a heal of the entire VNF that becomes FAILED removes the
// host keys of its new servers. The instance never records these servers, so no later operation would remove the keys.
func TestHeal_ofAllThatIsGivenUpForgetsWhatItHasMade(t *testing.T) {
	t.Parallel()
	w := &world{
		what: lifecycle.Description{
			Steps:   healed(lifecycle.Facts{Drivers: []lifecycle.VnfDriver{&kubeadm.Installer{}}}, true),
			Cluster: true, Whole: true, ServerIDs: []string{"old"},
			Nodes: lcm.Nodes{{Name: "cp-old", Role: lcm.ControlPlane, ServerID: "old"}},
		},
		fail: map[string][]error{"log in": {broken("nobody answers")}},
	}
	var forgotten []kubecluster.ForgetNodesInput
	env := newRun(t, w)
	env.RegisterWorkflow(Heal)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) {
		return lcm.Plan{Operation: lcm.OpHeal, Whole: true}, nil
	})
	register("DeregisterVim", func(context.Context, kubecluster.DeregisterVimInput) (out kubecluster.DeregisterVimOutput,
		err error,
	) {
		return out, nil
	})
	register("DeleteStack", func(context.Context, resources.DeploymentInput) (out resources.DeleteStackOutput, err error) {
		return out, nil
	})
	register("CreateStack", func(context.Context, resources.DeploymentInput) (out resources.CreateStackOutput, err error) {
		return out, nil
	})
	register("FindNodes", func(context.Context, kubenode.FindNodesInput) (kubenode.FindNodesOutput, error) {
		return kubenode.FindNodesOutput{
			DeploymentID: "stack", Vnfcs: []record.Vnfc{{ServerID: "new"}},
			Nodes: lcm.Nodes{{Name: "cp-new", Role: lcm.ControlPlane, ServerID: "new"}},
		}, nil
	})
	register("ForgetNodes", func(_ context.Context, in kubecluster.ForgetNodesInput) (out kubecluster.ForgetNodesOutput,
		err error,
	) {
		forgotten = append(forgotten, in)
		return out, nil
	})
	register("WaitForSSH", func(ctx context.Context, in reach.NodeInput) (out kubenode.WaitForSSHOutput,
		err error,
	) {
		_, err = w.work(ctx, workInput{Tracked: in.Tracked, Name: "log in"})
		return out, err
	})
	decide(env, time.Hour, lcm.Fail)
	env.ExecuteWorkflow(Heal, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpHeal})
	require.Error(t, env.GetWorkflowError(), "a FAILED operation makes a failed workflow")
	require.Equal(t, lcm.Failed, w.states[len(w.states)-1])
	require.Len(t, forgotten, 2)
	require.Equal(t, []string{"old"}, forgotten[0].ServerIDs)
	require.False(t, forgotten[0].KeepCluster)
	require.Equal(t, []string{"new"}, forgotten[1].ServerIDs)
	require.True(t, forgotten[1].KeepCluster)
}

// runReplacement heals a VNF that is not a cluster. lost returns the servers that are deleted when the operation looks.
func runReplacement(
	t *testing.T, w *world, lost func() []string, before func(*testsuite.TestWorkflowEnvironment),
) error {
	t.Helper()
	env := newRun(t, w)
	env.RegisterWorkflow(Heal)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) {
		return lcm.Plan{Operation: lcm.OpHeal, Within: true, Leaving: []lcm.LeavingVnfc{{VnfcID: "old", ServerID: "old"}}},
			nil
	})
	register("FindNodes", func(context.Context, kubenode.FindNodesInput) (kubenode.FindNodesOutput, error) {
		return kubenode.FindNodesOutput{DeploymentID: "stack", Vnfcs: []record.Vnfc{{ServerID: "new"}}}, nil
	})
	register("ChangeStack", func(ctx context.Context, in resources.ChangeStackInput) (out resources.ChangeStackOutput,
		err error,
	) {
		require.True(t, in.Within)
		require.Equal(t, []string{"old"}, in.Leaving)
		_, err = w.work(ctx, workInput{Tracked: in.Tracked, Name: "change"})
		return out, err
	})
	register("FindLostServers", func(_ context.Context, in resources.ServersInput) (resources.LostServersOutput, error) {
		require.Equal(t, []string{"old"}, in.ServerIDs)
		return resources.LostServersOutput{Lost: lost()}, nil
	})
	register("RestoreServers", func(ctx context.Context, in resources.ServersInput) (out resources.LostServersOutput,
		err error,
	) {
		require.Equal(t, []string{"old"}, in.ServerIDs)
		if out.Lost = lost(); len(out.Lost) == 0 {
			_, err = w.work(ctx, workInput{Tracked: in.Tracked, Name: "restore"})
		}
		return out, err
	})
	before(env)
	env.ExecuteWorkflow(Heal, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpHeal})
	return env.GetWorkflowError()
}

func none() []string { return nil }

func TestHeal_goesBackWhileNothingIsDeleted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail   map[string][]error
		decide []lcm.Action
		done   []string
		states []lcm.OperationState
	}{
		"success": {nil, nil, []string{"change"}, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.Completed}},
		"retry": {
			map[string][]error{"change": {broken("no host")}},
			[]lcm.Action{lcm.Retry},
			[]string{"change"},
			[]lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Processing, lcm.Completed},
		},
		"rollback": {
			map[string][]error{"change": {broken("no host")}},
			[]lcm.Action{lcm.Rollback},
			[]string{"restore"},
			[]lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack},
		},
		"a rollback that fails is rolled back again": {
			map[string][]error{"change": {broken("no host")}, "restore": {broken("Nova is away")}},
			[]lcm.Action{lcm.Rollback, lcm.Rollback},
			[]string{"restore"},
			[]lcm.OperationState{
				lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.FailedTemp, lcm.RollingBack,
				lcm.RolledBack,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{
				what: lifecycle.Description{Steps: healed(lifecycle.Facts{}, false), ServerIDs: []string{"old"}},
				fail: c.fail,
			}
			require.NoError(t, runReplacement(t, w, none, func(env *testsuite.TestWorkflowEnvironment) {
				for i, action := range c.decide {
					decide(env, time.Duration(i+1)*time.Hour, action)
				}
			}))
			require.Equal(t, c.done, w.done)
			require.Equal(t, c.states, w.states)
			require.Equal(t, c.states[len(c.states)-1] == lcm.Completed, w.last.Status.ForwardOnly,
				"the former server is deleted")
		})
	}
}

// TestHeal_goesForwardOnlyOnceAServerIsDeleted has a VIM that has replaced some servers and failed for others.
func TestHeal_goesForwardOnlyOnceAServerIsDeleted(t *testing.T) {
	t.Parallel()
	w := &world{
		what: lifecycle.Description{Steps: healed(lifecycle.Facts{}, false), ServerIDs: []string{"old"}},
		fail: map[string][]error{"change": {broken("no host")}},
	}
	gone := func() []string { return []string{"old"} }
	var refused *answer
	require.NoError(t, runReplacement(t, w, gone, func(env *testsuite.TestWorkflowEnvironment) {
		refused = decide(env, time.Hour, lcm.Rollback)
		decide(env, 2*time.Hour, lcm.Retry)
	}))
	require.ErrorContains(t, refused.rejected, "goes forward only")
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.Processing, lcm.Completed},
		w.states)
	require.True(t, w.last.Status.ForwardOnly)
}

// TestHeal_isNotRolledBackWhenTheVimHasGoneOn has a VIM that continues after the operation was cancelled, so that the
// rollback finds another state than before the heal.
func TestHeal_isNotRolledBackWhenTheVimHasGoneOn(t *testing.T) {
	t.Parallel()
	w := &world{
		what: lifecycle.Description{Steps: healed(lifecycle.Facts{}, false), ServerIDs: []string{"old"}},
		fail: map[string][]error{"change": {broken("no host")}},
	}
	var looks int
	later := func() []string {
		if looks++; looks == 1 {
			return nil
		}
		return []string{"old"}
	}
	require.NoError(t, runReplacement(t, w, later, func(env *testsuite.TestWorkflowEnvironment) {
		decide(env, time.Hour, lcm.Rollback)
		decide(env, 2*time.Hour, lcm.Retry)
	}))
	require.Equal(t, []lcm.OperationState{
		lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.FailedTemp, lcm.Processing, lcm.Completed,
	}, w.states)
	require.Equal(t, []string{"change"}, w.done)
}

// TestHeal_ofAllLooksAtGivenPortsBeforeItDeletes checks that an unusable given port is reported before anything is
// deleted, so that a rollback is still possible.
func TestHeal_ofAllLooksAtGivenPortsBeforeItDeletes(t *testing.T) {
	t.Parallel()
	given := lifecycle.Facts{Links: []lcm.ExtVirtualLink{
		{ID: "l", ResourceID: "n", ExtCps: []lcm.ExtCp{{CpdID: "cp", LinkPort: &lcm.LinkPort{ID: "p", ResourceID: "port"}}}},
	}}
	w := &world{what: lifecycle.Description{Steps: healed(given, true), Whole: true, ServerIDs: []string{"old"}}}
	deleted := 0
	env := newRun(t, w)
	env.RegisterWorkflow(Heal)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	register("PlanOperation", func(context.Context, records.PlanInput) (lcm.Plan, error) {
		return lcm.Plan{Operation: lcm.OpHeal, Whole: true}, nil
	})
	register("CheckPorts", func(context.Context, resources.DeploymentInput) (out resources.CheckPortsOutput, err error) {
		return out, broken("the port p of cp is in use by elsewhere")
	})
	register("DeleteStack", func(context.Context, resources.DeploymentInput) (out resources.DeleteStackOutput, err error) {
		deleted++
		return out, nil
	})
	decide(env, time.Hour, lcm.Rollback)
	env.ExecuteWorkflow(Heal, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpHeal})
	require.NoError(t, env.GetWorkflowError())
	require.Contains(t, w.states, lcm.FailedTemp)
	require.Equal(t, lcm.RolledBack, w.states[len(w.states)-1])
	require.Zero(t, deleted)
}

// TestHeal_ofPodsIsRolledBackToThePodsThatThereAre checks that a rollback records the current Pods, because replaced
// Pods do not come back.
func TestHeal_ofPodsIsRolledBackToThePodsThatThereAre(t *testing.T) {
	t.Parallel()
	f := lifecycle.Facts{Flavour: &descriptor.Flavour{Containers: true}}
	w := &world{
		what: lifecycle.Description{Steps: lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpHeal, Within: true})},
		fail: map[string][]error{"change": {broken("ImagePullBackOff.")}},
	}
	lost := func() []string { t.Error("nobody looks for servers"); return nil }
	require.NoError(t, runReplacement(t, w, lost, func(env *testsuite.TestWorkflowEnvironment) {
		decide(env, time.Hour, lcm.Rollback)
	}))
	require.Equal(t, []lcm.OperationState{
		lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack,
	}, w.states)
	require.Equal(t, &record.Outcome{
		Restored: true, DeploymentID: "stack", Vnfcs: []record.Vnfc{{ServerID: "new"}},
	}, w.last.Outcome)
}
