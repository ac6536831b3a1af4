package kubecluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// TestJoinControlPlane_followsAJoinThatStillRunsAndRemovesNothingOfIt checks that the admission of a node removes what
// an earlier join has left, but nothing of a join that is still running.
func TestJoinControlPlane_followsAJoinThatStillRunsAndRemovesNothingOfIt(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 3, 0, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	join := activitytest.Must(
		t,
		cluster.MintJoin,
		kubecluster.MintJoinInput{ClusterInput: s.Cluster(), ForControlPlanes: true},
	)
	fake.Replies["check-member"] = activitytest.Results("state", "busy")
	activitytest.Must(t, cluster.JoinControlPlane, kubecluster.JoinControlPlaneInput{
		NodeInput: s.Tracked(s.Nodes[2]), ControlPlanes: s.Nodes, VirtualIP: s.VirtualIP, Join: join,
	})
	assert.Equal(t, []string{"join cp-0000000d"}, fake.Effects)
}

func TestInitControlPlane_followsAnInitThatStillRuns(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, nil)
	fake.Replies["check-member"] = activitytest.Results("state", "busy")
	out := activitytest.Must(
		t,
		(&kubecluster.Activities{Reach: s.Reach}).InitControlPlane,
		kubecluster.InitControlPlaneInput{
			NodeInput: s.Tracked(s.Nodes[0]), ControlPlanes: s.Nodes, NodeCount: 1,
		},
	)
	assert.False(t, out.AlreadyInitialised)
	assert.Equal(t, []string{"init cp-0000000b"}, fake.Effects)
}

// hanging is a host whose command runs until its context ends; end ends the context.
type hanging struct {
	reach.Host
	end   func()
	cause error
}

func (h *hanging) Dial(context.Context, lcm.OpOccID, lcm.Node) (reach.Host, error) {
	return h, nil
}

func (h *hanging) Close() error { return nil }

func (h *hanging) Run(ctx context.Context, _ remote.Command) (remote.Result, error) {
	h.end()
	<-ctx.Done()
	h.cause = context.Cause(ctx)
	if errors.Is(h.cause, remote.ErrDetach) {
		return remote.Result{}, lcm.Wrap(lcm.KindUnavailable, h.cause, "the command goes on")
	}
	return remote.Result{}, lcm.Wrap(lcm.KindBug, ctx.Err(), "cp-0000000b: the command may still be running")
}

// interrupt runs an activity whose worker's context ends with cause while the command runs.
func interrupt(t *testing.T, cause error) (*hanging, *activitytest.Output, error) {
	t.Helper()
	s, _, _, output := activitytest.NewFake(t, 1, 0, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	host := &hanging{end: func() { cancel(cause) }}
	s.Reach.Hosts = host
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	prepare := (&kubenode.Activities{Reach: s.Reach}).PrepareNode
	env.RegisterActivity(prepare)
	_, err := env.ExecuteActivity(prepare, kubenode.PrepareNodeInput{
		NodeInput: s.Tracked(s.Nodes[0]),
		Hosts:     reach.HostEntries(s.Nodes),
	})
	require.Error(t, err)
	return host, output, err
}

func TestRun_letsACommandGoOnWhenItsWorkerStops(t *testing.T) {
	host, _, err := interrupt(t, worker.ErrWorkerShutdown)
	require.ErrorIs(t, host.cause, remote.ErrDetach)
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "goes on")
}

func TestRun_endsACommandThatIsCancelledAndShowsThatItMayLiveOn(t *testing.T) {
	host, output, err := interrupt(t, context.Canceled)
	require.NotErrorIs(t, host.cause, remote.ErrDetach)
	var app *temporal.ApplicationError
	assert.False(t, errors.As(err, &app) && app.Type() == string(lcm.KindUnavailable), "%v", err)
	assert.Contains(t, strings.Join(output.Shown, "\n"), "may still be running")
}

func TestWaitForSSH_isTakenOverWhenItsWorkerStops(t *testing.T) {
	s, _, _, _ := activitytest.NewFake(t, 1, 0, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(worker.ErrWorkerShutdown)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	wait := (&kubenode.Activities{Reach: s.Reach}).WaitForSSH
	env.RegisterActivity(wait)
	_, err := env.ExecuteActivity(wait, s.Tracked(s.Nodes[0]))
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "This worker stops")
}

func usedUp(node string) error {
	return lcm.Wrap(lcm.KindBroken, remote.ErrDeadline, "%s: the command did not end within 45m0s and was stopped", node)
}

func TestRun_namesTheParameterOfALimitThatIsUsedUp(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, nil)
	fake.Fail["prepare-node"] = []error{usedUp("cp-0000000b")}
	_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode,
		kubenode.PrepareNodeInput{NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes)})
	activitytest.AssertKind(
		t,
		err,
		lcm.KindBroken,
		"did not end within 45m0s and was stopped; its output shows where it hangs. "+
			"If the node is only slow, give a larger timeouts.install",
	)
	fake.Fail["kubeadm-init"] = []error{usedUp("cp-0000000b")}
	_, err = activitytest.Do(
		t,
		(&kubecluster.Activities{Reach: s.Reach}).InitControlPlane,
		kubecluster.InitControlPlaneInput{
			NodeInput: s.Tracked(s.Nodes[0]), ControlPlanes: s.Nodes, NodeCount: 1,
		},
	)
	activitytest.AssertKind(t, err, lcm.KindBroken, "timeouts.join")
}

func TestRunOnAny_leavesAControlPlaneThatHangs(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 3, 0, nil)
	fake.Fail["apply-manifest"] = []error{usedUp("cp-0000000b")}
	activitytest.Must(t, (&kubecluster.Activities{Reach: s.Reach}).ApplyPodNetwork, s.Cluster())
	assert.Len(t, fake.Ran, 2)
}
