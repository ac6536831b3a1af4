package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// triesVim returns the steps of a modification of a VIM connection.
func triesVim() []lifecycle.Step {
	return stepsOf(lcm.OpModifyInfo, lifecycle.Facts{ChangesVim: true})
}

func newModification(t *testing.T, w *world) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	w.what.State = lcm.Processing
	if w.what.Steps == nil {
		w.what.Steps = stepsOf(lcm.OpModifyInfo, lifecycle.Facts{})
	}
	env := newRun(t, w)
	env.RegisterWorkflow(ModifyInfo)
	work := func(ctx context.Context, name string, tracked activities.Tracked) error {
		_, err := w.work(ctx, workInput{Tracked: tracked, Name: name})
		return err
	}
	env.RegisterActivityWithOptions(func(ctx context.Context,
		in records.CheckModificationInput,
	) (out records.CheckModificationOutput, err error) {
		return out, work(ctx, "check", in.Tracked)
	}, activity.RegisterOptions{Name: "CheckModification"})
	env.RegisterActivityWithOptions(func(ctx context.Context, in resources.TryVimInput) (out resources.TryVimOutput,
		err error,
	) {
		assert.Equal(t, len(w.what.ServerIDs) > 0, in.HasDeployment)
		return out, work(ctx, "try", in.Tracked)
	}, activity.RegisterOptions{Name: "TryVim"})
	env.RegisterActivityWithOptions(func(ctx context.Context,
		in kubenode.ConnectRegistriesInput,
	) (out kubenode.ConnectRegistriesOutput, err error) {
		name := "connect " + in.Node.Name
		if in.Former {
			name = "disconnect " + in.Node.Name
		}
		if in.PassOver {
			assert.True(t, in.Former, "only what is undone passes a node over")
			name = "pass " + in.Node.Name
		}
		return out, work(ctx, name, in.Tracked)
	}, activity.RegisterOptions{Name: "ConnectRegistries"})
	env.RegisterActivityWithOptions(func(ctx context.Context, in reach.NodeInput) (out kubenode.ReachNodeOutput,
		err error,
	) {
		return out, work(ctx, "reach "+in.Node.Name, in.Tracked)
	}, activity.RegisterOptions{Name: "ReachNode"})
	return env
}

func runModification(env *testsuite.TestWorkflowEnvironment, resumed bool) {
	env.ExecuteWorkflow(ModifyInfo, lcm.OperationInput{
		OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpModifyInfo, Resumed: resumed,
	})
}

func TestModifyInfo_needsNoGrant(t *testing.T) {
	t.Parallel()
	for vim, done := range map[bool][]string{false: {"check"}, true: {"check", "try"}} {
		w := &world{what: lifecycle.Description{
			Steps:     stepsOf(lcm.OpModifyInfo, lifecycle.Facts{ChangesVim: vim}),
			ServerIDs: []string{"s"},
		}}
		env := newModification(t, w)
		runModification(env, false)
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.Completed}, w.states)
		require.Equal(t, done, w.done)
		require.True(t, w.last.Outcome.Modified, "the instance is written with COMPLETED")
		require.Empty(t, w.last.GrantID)
	}
}

func TestModifyInfo_isRetriedRolledBackOrFailed(t *testing.T) {
	t.Parallel()
	for action, states := range map[lcm.Action][]lcm.OperationState{
		lcm.Retry: {lcm.Processing, lcm.Completed}, lcm.Rollback: {lcm.RollingBack, lcm.RolledBack}, lcm.Fail: {lcm.Failed},
	} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			w := &world{what: lifecycle.Description{Steps: triesVim()}, fail: map[string][]error{"try": {broken("refused")}}}
			env := newModification(t, w)
			decide(env, time.Hour, action)
			runModification(env, false)
			require.Equal(t, append([]lcm.OperationState{lcm.Processing, lcm.FailedTemp}, states...), w.states)
		})
	}
}

func TestModifyInfo_isCancelled(t *testing.T) {
	t.Parallel()
	w := &world{what: lifecycle.Description{Steps: triesVim()}, hang: map[string]bool{"try": true}}
	env := newModification(t, w)
	decideWhen(env, w.hanging.Load, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Forceful})
	decide(env, time.Hour, lcm.Rollback)
	runModification(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack}, w.states)
}

// TestModifyInfo_resumedWaitsForADecisionOnlyWhenItHadBegun checks that a resumed operation that had not begun behaves
// like a new operation.
func TestModifyInfo_resumedWaitsForADecisionOnlyWhenItHadBegun(t *testing.T) {
	t.Parallel()
	w := &world{}
	env := newModification(t, w)
	runModification(env, true)
	require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.Completed}, w.states)

	w = &world{what: lifecycle.Description{Sequence: 1}}
	w.last.Sequence = 1
	env = newModification(t, w)
	decide(env, time.Hour, lcm.Retry)
	runModification(env, true)
	require.Equal(t, []lcm.OperationState{lcm.FailedTemp, lcm.Processing, lcm.Completed}, w.states)
}

// TestModifyInfo_isRolledBackByItselfWhereTheVnfdDoesNotAllowIt checks SOL003 clause 5.4.3.3.4: a change that the VNFD
// does not allow is rolled back without a decision.
func TestModifyInfo_isRolledBackByItselfWhereTheVnfdDoesNotAllowIt(t *testing.T) {
	t.Parallel()
	refused := &lcm.Error{
		Kind: lcm.KindInvalid, Detail: "No.",
		Problems: []lcm.Problem{{Path: "$.extensions.level", Detail: "is missing"}},
	}
	for _, resumed := range []bool{false, true} {
		w := &world{what: lifecycle.Description{Steps: triesVim(), Refused: refused}}
		env := newModification(t, w)
		runModification(env, resumed)
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, []lcm.OperationState{lcm.RolledBack}, w.states)
		require.Empty(t, w.done)
		require.Equal(t, refused.Problems, w.last.Status.Error.Problems)
		require.Nil(t, w.last.Outcome)
	}
}
