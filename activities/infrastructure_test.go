package activities_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// fakeCloud has one deployment, which completes only when the test allows it, and servers that shut down or do not.
type fakeCloud struct {
	unused

	status  string
	creates int
	making  func() // is called while the deployment is being created; nil completes it at once
	refuse  error  // the error of a cancel
	alive   bool   // whether the context of the cancel had not ended
	limit   time.Duration
	stillOn []string
}

// unused has the methods that these tests do not call.
type unused struct {
	vim.VIM
	vim.Power
	vim.Reconnector
	vim.Restorer
	vim.VolumeKeeper
}

func (c *fakeCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *fakeCloud) Deploy(ctx context.Context, _ vim.Deployment, _ func(string)) (string, error) {
	if c.status != "CREATE_IN_PROGRESS" && c.status != "CREATE_COMPLETE" {
		c.creates++
		c.status = "CREATE_IN_PROGRESS"
	}
	if c.making != nil {
		c.making()
		<-ctx.Done()
		return "", lcm.Wrap(lcm.KindUnavailable, ctx.Err(), "OpenStack did not answer.")
	}
	c.status = "CREATE_COMPLETE"
	return "stack-1", nil
}

func (c *fakeCloud) Interrupt(ctx context.Context, name, owner string, _ func(string)) error {
	_, bounded := ctx.Deadline()
	c.alive = ctx.Err() == nil && bounded && name == "vnf-1" && owner == "owner-1"
	if c.refuse != nil {
		return c.refuse
	}
	c.status = "CREATE_FAILED"
	return nil
}

func (c *fakeCloud) Remove(_ context.Context, name, owner string, _ func(string)) error {
	if name == "vnf-1" && owner == "owner-1" {
		c.status = ""
	}
	return nil
}

func (c *fakeCloud) ShutDown(_ context.Context, _, _ string, until time.Time, _ func(string)) ([]string, error) {
	c.limit = time.Until(until)
	return c.stillOn, nil
}

// fixedDeployment returns the same deployment for every operation.
type fixedDeployment struct {
	recorded      []record.Vnfc
	before, after []lcm.ExtVirtualLink
}

func (s fixedDeployment) Links(context.Context, lcm.OpOccID) (before, after []lcm.ExtVirtualLink, err error) {
	return s.before, s.after, nil
}

func (s fixedDeployment) Recorded(context.Context, lcm.OpOccID) ([]record.Vnfc, error) {
	return s.recorded, nil
}

func (fixedDeployment) Deployment(context.Context, lcm.OpOccID) (vim.Deployment, error) {
	return vim.Deployment{Name: "vnf-1", Owner: "owner-1"}, nil
}

func (fixedDeployment) DeploymentName(context.Context, lcm.OpOccID) (name, owner string, err error) {
	return "vnf-1", "owner-1", nil
}

func (fixedDeployment) Change(_ context.Context, _ lcm.OpOccID, sizes vim.Sizes) (vim.Change, []string, error) {
	size := 3
	if sizes == vim.SizesRecorded {
		size = 2
	}
	return vim.Change{Name: "vnf-1", Owner: "owner-1", Definition: map[string]any{"size": size}},
		[]string{"s1", "s2"}, nil
}

func (fixedDeployment) Reconnection(_ context.Context, _ lcm.OpOccID, asBefore bool) (vim.Change, error) {
	return vim.Change{Name: "vnf-1", Owner: "owner-1", Definition: map[string]any{"asBefore": asBefore}}, nil
}

func (fixedDeployment) Repackaging(_ context.Context, _ lcm.OpOccID, asBefore bool) (vim.Change, error) {
	return vim.Change{Name: "vnf-1", Owner: "owner-1", Definition: map[string]any{"former": asBefore}}, nil
}

func (fixedDeployment) Halting(context.Context, lcm.OpOccID) (vim.Change, time.Duration, error) {
	return vim.Change{Name: "vnf-1", Owner: "owner-1"}, time.Minute, nil
}

func (fixedDeployment) GracePeriod(context.Context, lcm.OpOccID) (time.Duration, error) {
	return 30 * time.Second, nil
}

func (fixedDeployment) Removal(context.Context, lcm.OpOccID) (vim.Removal, error) {
	return vim.Removal{}, nil
}

func infrastructure(c *fakeCloud) (*resources.Activities, *logOutput) {
	output := &logOutput{}
	return &resources.Activities{Cloud: resources.Cloud{VIMs: c, Deployments: fixedDeployment{}, Output: output}}, output
}

func deploymentInput() resources.DeploymentInput {
	return resources.DeploymentInput{Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: opOcc}}, OpOccID: opOcc}
}

// endCreation runs CreateStack and ends its context with cause while the VIM creates the deployment.
func endCreation(t *testing.T, c *fakeCloud, cause error) (*logOutput, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	c.making = func() { cancel(cause) }
	infra, output := infrastructure(c)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	env.RegisterActivity(infra.CreateStack)
	_, err := env.ExecuteActivity(infra.CreateStack, deploymentInput())
	require.Error(t, err)
	return output, err
}

func TestCreateStack_stopsTheVimWhenTheOperationIsCancelledAndIsRunAgain(t *testing.T) {
	c := &fakeCloud{}
	_, err := endCreation(t, c, temporal.NewCanceledError())
	assert.True(t, temporal.IsCanceledError(err), "%v", err)
	assert.Equal(t, "CREATE_FAILED", c.status)
	assert.True(t, c.alive, "the cancel has a context of its own, with a limit")

	c.making = nil
	infra, _ := infrastructure(c)
	for range 2 {
		assert.Equal(t, "stack-1", must(t, infra.CreateStack, deploymentInput()).DeploymentID)
	}
	assert.Equal(t, 2, c.creates, "once before the cancel, once after it")
}

func TestCreateStack_isCancelledAlsoWhenTheVimCannotBeStopped(t *testing.T) {
	c := &fakeCloud{refuse: lcm.Errorf(lcm.KindDenied, "OpenStack refused to cancel stack vnf-1.")}
	output, err := endCreation(t, c, temporal.NewCanceledError())
	assert.True(t, temporal.IsCanceledError(err), "%v", err)
	assert.Contains(t, strings.Join(output.Shown, "\n"),
		"The deployment could not be cancelled: OpenStack refused to cancel stack vnf-1.")
}

func TestCreateStack_letsTheVimGoOnWhenOnlyThisAttemptEnds(t *testing.T) {
	for name, cause := range map[string]error{
		"the worker stops": worker.ErrWorkerShutdown, "Temporal has forgotten the attempt": errors.New("not found"),
	} {
		t.Run(name, func(t *testing.T) {
			c := &fakeCloud{}
			_, _ = endCreation(t, c, cause)
			assert.Equal(t, "CREATE_IN_PROGRESS", c.status)
			c.making = nil
			infra, _ := infrastructure(c)
			must(t, infra.CreateStack, deploymentInput())
			assert.Equal(t, 1, c.creates, "the next attempt waits for the same stack")
		})
	}
}

func TestShutDownServers_givesTheTimeOfTheRequestAndNeverFailsForAServerThatStaysOn(t *testing.T) {
	c := &fakeCloud{stillOn: []string{"worker-1"}}
	infra, _ := infrastructure(c)
	for range 2 {
		out := must(t, infra.ShutDownServers, deploymentInput())
		assert.Equal(t, []string{"worker-1"}, out.StillOn)
		assert.InDelta(t, 30, c.limit.Seconds(), 5)
	}
}

func TestChangeStack_takesWhatAFailedEnlargementHasLeft(t *testing.T) {
	cloud := &changingCloud{inv: &vim.Inventory{ID: "top", Resources: []vim.Resource{
		{Name: "workers", Kind: vim.Group, ID: "group", Part: "top"},
		{Name: "old", VimType: "member.yaml", ID: "nested-1", Part: "group"},
		{Name: "half", VimType: "member.yaml", ID: "nested-2", Part: "group", Level: vim.Failed, Status: "CREATE_FAILED"},
		{Name: "node", Kind: vim.Compute, ID: "s1", Part: "nested-1"},
		{Name: "port", Kind: vim.LinkPort, ID: "p2", Part: "nested-2"},
		{Name: "node", Kind: vim.Compute, Part: "nested-2", Level: vim.Failed, Status: "CREATE_FAILED"},
	}}}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: fixedDeployment{}, Output: &logOutput{}},
	}
	for range 2 {
		must(t, infra.ChangeStack, resources.ChangeStackInput{OpOccID: opOcc, Sizes: vim.SizesRecorded})
		assert.Equal(t, []string{"half"}, cloud.replaced(), "Heat would take the oldest member of a group that shrinks")
	}
}

// TestChangeStack_keepsTheMembersThatStay checks that members that stay are protected: the VIM removes failed members
// first, so a member that has failed because of another one would be removed instead of it.
func TestChangeStack_keepsTheMembersThatStay(t *testing.T) {
	cloud := &changingCloud{inv: &vim.Inventory{ID: "top", Resources: []vim.Resource{
		{Name: "workers", Kind: vim.Group, ID: "group", Part: "top"},
		{Name: "aborted", VimType: "member.yaml", ID: "nested-1", Part: "group", Level: vim.Failed, Status: "UPDATE_FAILED"},
		{Name: "node", Kind: vim.Compute, ID: "s1", Part: "nested-1", Status: "CREATE_COMPLETE"},
		{Name: "well", VimType: "member.yaml", ID: "nested-2", Part: "group", Status: "UPDATE_COMPLETE"},
		{Name: "node", Kind: vim.Compute, ID: "s2", Part: "nested-2", Status: "CREATE_COMPLETE"},
		{Name: "new", VimType: "member.yaml", ID: "nested-3", Part: "group", Level: vim.Failed, Status: "CREATE_FAILED"},
		{Name: "node", Kind: vim.Compute, ID: "s3", Part: "nested-3", Level: vim.Failed, Status: "CREATE_FAILED"},
	}}}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: fixedDeployment{}, Output: &logOutput{}},
	}
	for _, c := range []struct {
		in   resources.ChangeStackInput
		keep []string
	}{
		{resources.ChangeStackInput{OpOccID: opOcc, Sizes: vim.SizesRecorded}, []string{"aborted"}},
		{
			resources.ChangeStackInput{OpOccID: opOcc, Sizes: vim.SizesPlanned, Leaving: []string{"s2"}},
			[]string{"aborted"},
		},
		{resources.ChangeStackInput{OpOccID: opOcc, Sizes: vim.SizesPlanned, Leaving: []string{"s1"}}, nil},
		{resources.ChangeStackInput{OpOccID: opOcc, Sizes: vim.SizesGrown}, nil},
	} {
		must(t, infra.ChangeStack, c.in)
		var keep []string
		for _, r := range cloud.last.Keep {
			keep = append(keep, r.Name)
		}
		assert.Equal(t, c.keep, keep, "%v", c.in)
	}
}

func TestHolders_areTheMembersThatHaveToGo(t *testing.T) {
	inv := &vim.Inventory{ID: "top", Resources: []vim.Resource{
		{Name: "alone", Kind: vim.Compute, ID: "s0", Part: "top"},
		{Name: "m1", VimType: "member.yaml", ID: "nested-1", Part: "group"},
		{Name: "m2", VimType: "member.yaml", ID: "nested-2", Part: "group"},
		{Name: "node", Kind: vim.Compute, ID: "s1", Part: "nested-1"},
		{Name: "node", Kind: vim.Compute, ID: "s2", Part: "nested-2"},
	}}
	cloud := &changingCloud{inv: inv}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: fixedDeployment{}, Output: &logOutput{}},
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(infra.ChangeStack)
	in := resources.ChangeStackInput{
		OpOccID: opOcc, Sizes: vim.SizesPlanned, Leaving: []string{"s0", "s2", "gone"},
	}
	for range 2 {
		_, err := env.ExecuteActivity(infra.ChangeStack, in)
		require.NoError(t, err)
		assert.Equal(t, []string{"alone", "m2"}, cloud.replaced(),
			"a server by itself, the other with its group's member; one that is gone is done")
		assert.Equal(t, 3, cloud.last.Definition.(map[string]any)["size"])
	}
	in = resources.ChangeStackInput{OpOccID: opOcc, Sizes: vim.SizesRecorded}
	_, err := env.ExecuteActivity(infra.ChangeStack, in)
	require.NoError(t, err)
	assert.Equal(t, []string{"alone"}, cloud.replaced(), "every server that is not recorded goes")
	assert.Equal(t, 2, cloud.last.Definition.(map[string]any)["size"])
}

// changingCloud records the last change of its deployment.
type changingCloud struct {
	unused

	inv     *vim.Inventory
	settled *vim.Inventory // set by Settle, which must come before any read
	last    vim.Change
}

func (c *changingCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *changingCloud) Inventory(context.Context, string) (*vim.Inventory, error) {
	return c.settled, nil
}

func (c *changingCloud) Settle(context.Context, string, string, func(string)) error {
	c.settled = c.inv
	return nil
}

func (c *changingCloud) Change(_ context.Context, ch vim.Change, _ func(string)) error {
	c.last = ch
	return nil
}

func (c *changingCloud) replaced() (names []string) {
	for _, r := range c.last.Replace {
		names = append(names, r.Name)
	}
	return names
}

func TestReconnectStack_givesTheDeploymentTheParametersThatItIsAskedFor(t *testing.T) {
	inv := &vim.Inventory{
		ID: "top",
		Resources: []vim.Resource{
			{Part: "top", Name: "vdu", Kind: vim.Compute, ID: "s"},
			{Part: "top", Name: "cp", Kind: vim.LinkPort, ID: "p"},
		},
		Servers: map[string]vim.Server{"s": {ID: "s"}},
		Ports: map[string]vim.Port{"p": {
			ID: "p", ServerID: "s", MAC: "fa:16:3e:00:00:01", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}},
		}},
	}
	cloud := &changingCloud{inv: inv}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: fixedDeployment{}, Output: &logOutput{}},
	}
	for _, asBefore := range []bool{false, true} {
		for range 2 {
			out := must(t, infra.ReconnectStack, resources.ReconnectStackInput{OpOccID: opOcc, AsBefore: asBefore})
			assert.Equal(t, asBefore, cloud.last.Definition.(map[string]any)["asBefore"])
			assert.Empty(t, cloud.last.Replace)
			if !asBefore {
				assert.Empty(t, out.Vnfcs, "FindNodes looks")
				continue
			}
			assert.Equal(t, []record.Vnfc{{VduID: "vdu", ServerID: "s", Attached: []record.Attached{{
				Type: lcm.GrantLinkPort, Resource: "cp", ID: "p", MAC: "fa:16:3e:00:00:01",
				Addresses: []lcm.FixedIP{{Address: "10.0.0.7"}},
			}}}}, out.Vnfcs)
		}
	}
}

func TestDeleteStack_deletesOnlyOnce(t *testing.T) {
	cloud := &fakeCloud{status: "CREATE_COMPLETE"}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: fixedDeployment{}, Output: &logOutput{}},
	}
	for range 2 {
		must(t, infra.DeleteStack, deploymentInput())
		require.Empty(t, cloud.status)
	}
}
