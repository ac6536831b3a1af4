package workflows

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// asksNodes returns the steps of a modification of registries.
func asksNodes() []lifecycle.Step {
	return stepsOf(lcm.OpModifyInfo, lifecycle.Facts{
		ChangesRegistries: true,
		Drivers:           []lifecycle.VnfDriver{&kubeadm.Installer{}},
	})
}

// twoNodes is a running cluster. Its steps do not include the check that nodes can be reached.
func twoNodes() lifecycle.Description {
	steps := slices.DeleteFunc(asksNodes(), func(s lifecycle.Step) bool { return s.ID == "reach-nodes" })
	return lifecycle.Description{Steps: steps, Nodes: lcm.Nodes{{Name: "a", ServerID: "1"}, {Name: "b", ServerID: "2"}}}
}

func TestModifyInfo_givesEveryNodeTheNewRegistries(t *testing.T) {
	t.Parallel()
	w := &world{what: twoNodes()}
	env := newModification(t, w)
	runModification(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, "check", w.done[0])
	require.ElementsMatch(t, []string{"connect a", "connect b"}, w.done[1:])
}

func TestModifyInfo_givesThemTheFormerOnesBack(t *testing.T) {
	t.Parallel()
	w := &world{what: twoNodes(), fail: map[string][]error{"connect b": {broken("x509")}}}
	env := newModification(t, w)
	decide(env, time.Hour, lcm.Rollback)
	runModification(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack}, w.states)
	require.Equal(t, []string{"check", "connect a"}, w.done[:2])
	require.ElementsMatch(t, []string{"disconnect a", "disconnect b"}, w.done[2:])
}

func away(times int) (list []error) {
	for range times {
		list = append(list, temporal.NewApplicationError("does not answer", string(lcm.KindUnavailable)))
	}
	return list
}

func TestModifyInfo_findsADeadNodeBeforeAnyIsChanged(t *testing.T) {
	t.Parallel()
	w := &world{what: twoNodes(), fail: map[string][]error{"reach b": away(5)}}
	w.what.Steps = asksNodes()
	env := newModification(t, w)
	decide(env, time.Hour, lcm.Rollback)
	runModification(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack}, w.states)
	require.Equal(t, []string{"check", "reach a"}, w.done, "nothing has to be undone")

	w = &world{what: twoNodes(), fail: map[string][]error{"reach b": away(4)}} // it answers again later
	w.what.Steps = asksNodes()
	env = newModification(t, w)
	runModification(env, false)
	require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.Completed}, w.states)
	require.ElementsMatch(t, []string{"reach a", "reach b"}, w.done[1:3])
	require.ElementsMatch(t, []string{"connect a", "connect b"}, w.done[3:])
}

func TestModifyInfo_isRolledBackThoughANodeIsDead(t *testing.T) {
	t.Parallel()
	w := &world{what: twoNodes(), fail: map[string][]error{"connect b": {broken("x509")}, "disconnect b": away(5)}}
	env := newModification(t, w)
	decide(env, time.Hour, lcm.Rollback)
	runModification(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack}, w.states)
	require.ElementsMatch(t, []string{"disconnect a", "pass b"}, w.done[2:])
}

// TestModifyInfo_doesNotPassOverANodeThatAnswers checks that a rollback does not skip a node that answers but cannot
// get its former registries back. An operator must repair it, and roll back again.
func TestModifyInfo_doesNotPassOverANodeThatAnswers(t *testing.T) {
	t.Parallel()
	w := &world{what: twoNodes(), fail: map[string][]error{
		"connect b": {broken("x509")}, "disconnect b": {broken("containerd")}, "pass b": {broken("containerd")},
	}}
	env := newModification(t, w)
	decide(env, time.Hour, lcm.Rollback)
	decide(env, 2*time.Hour, lcm.Rollback)
	runModification(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{
		lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack,
	}, w.states)
	require.Equal(t, []string{"check", "connect a", "disconnect a"}, w.done[:3])
	require.ElementsMatch(t, []string{"disconnect a", "disconnect b"}, w.done[3:],
		"the second time on both at once, in any order")
}
