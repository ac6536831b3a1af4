package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// A heal of the entire VNF that is given up has made servers which the instance never has: nobody else would forget their keys.
func TestHeal_ofAllThatIsGivenUpForgetsWhatItHasMade(t *testing.T) {
	t.Parallel()
	w := &world{
		what: activities.Description{Cluster: true, Whole: true, ServerIDs: []string{"old"}, Nodes: lcm.Nodes{{Name: "cp-old", Role: lcm.ControlPlane, ServerID: "old"}}},
		fail: map[string][]error{"log in": {broken("nobody answers")}},
	}
	var forgotten []activities.ForgetNodesInput
	env := newRun(t, w)
	env.RegisterWorkflow(Heal)
	register := func(name string, act any) { env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name}) }
	register("PlanOperation", func(context.Context, activities.PlanInput) (lcm.Plan, error) {
		return lcm.Plan{Operation: lcm.OpHeal, Whole: true}, nil
	})
	register("DeregisterVim", func(context.Context, activities.DeregisterVimInput) (out activities.DeregisterVimOutput, err error) {
		return out, nil
	})
	register("DeleteStack", func(context.Context, activities.StackInput) (out activities.DeleteStackOutput, err error) {
		return out, nil
	})
	register("CreateStack", func(context.Context, activities.StackInput) (out activities.CreateStackOutput, err error) {
		return out, nil
	})
	register("FindNodes", func(context.Context, activities.FindNodesInput) (activities.FindNodesOutput, error) {
		return activities.FindNodesOutput{
			StackID: "stack", Vnfcs: []activities.Vnfc{{ServerID: "new"}}, Nodes: lcm.Nodes{{Name: "cp-new", Role: lcm.ControlPlane, ServerID: "new"}},
		}, nil
	})
	register("ForgetNodes", func(_ context.Context, in activities.ForgetNodesInput) (out activities.ForgetNodesOutput, err error) {
		forgotten = append(forgotten, in)
		return out, nil
	})
	register("WaitForSSH", func(ctx context.Context, in activities.NodeInput) (out activities.WaitForSSHOutput, err error) {
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
