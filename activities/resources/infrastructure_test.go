package resources_test

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
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

func infrastructure(c *activitytest.FakeCloud) (*resources.Activities, *activitytest.Output) {
	output := &activitytest.Output{}
	return &resources.Activities{
		Cloud: resources.Cloud{VIMs: c, Deployments: activitytest.FixedDeployment{}, Output: output},
	}, output
}

// endCreation runs CreateStack and ends its context with cause while the VIM creates the deployment.
func endCreation(t *testing.T, c *activitytest.FakeCloud, cause error) (*activitytest.Output, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	c.Making = func() { cancel(cause) }
	infra, output := infrastructure(c)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	env.RegisterActivity(infra.CreateStack)
	_, err := env.ExecuteActivity(infra.CreateStack, activitytest.DeploymentInput())
	require.Error(t, err)
	return output, err
}

func TestCreateStack_stopsTheVimWhenTheOperationIsCancelledAndIsRunAgain(t *testing.T) {
	c := &activitytest.FakeCloud{}
	_, err := endCreation(t, c, temporal.NewCanceledError())
	assert.True(t, temporal.IsCanceledError(err), "%v", err)
	assert.Equal(t, "CREATE_FAILED", c.Status)
	assert.True(t, c.Alive, "the cancel has a context of its own, with a limit")

	c.Making = nil
	infra, _ := infrastructure(c)
	for range 2 {
		assert.Equal(t, "stack-1", activitytest.Must(t, infra.CreateStack, activitytest.DeploymentInput()).DeploymentID)
	}
	assert.Equal(t, 2, c.Creates, "once before the cancel, once after it")
}

func TestCreateStack_isCancelledAlsoWhenTheVimCannotBeStopped(t *testing.T) {
	c := &activitytest.FakeCloud{Refuse: lcm.Errorf(lcm.KindDenied, "OpenStack refused to cancel stack vnf-1.")}
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
			c := &activitytest.FakeCloud{}
			_, _ = endCreation(t, c, cause)
			assert.Equal(t, "CREATE_IN_PROGRESS", c.Status)
			c.Making = nil
			infra, _ := infrastructure(c)
			activitytest.Must(t, infra.CreateStack, activitytest.DeploymentInput())
			assert.Equal(t, 1, c.Creates, "the next attempt waits for the same stack")
		})
	}
}

func TestShutDownServers_givesTheTimeOfTheRequestAndNeverFailsForAServerThatStaysOn(t *testing.T) {
	c := &activitytest.FakeCloud{StillOn: []string{"worker-1"}}
	infra, _ := infrastructure(c)
	for range 2 {
		out := activitytest.Must(t, infra.ShutDownServers, activitytest.DeploymentInput())
		assert.Equal(t, []string{"worker-1"}, out.StillOn)
		assert.InDelta(t, 30, c.Limit.Seconds(), 5)
	}
}

func TestChangeStack_takesWhatAFailedEnlargementHasLeft(t *testing.T) {
	cloud := &activitytest.ChangingCloud{Inv: &vim.Inventory{ID: "top", Resources: []vim.Resource{
		{Name: "workers", Kind: vim.Group, ID: "group", Part: "top"},
		{Name: "old", VimType: "member.yaml", ID: "nested-1", Part: "group"},
		{Name: "half", VimType: "member.yaml", ID: "nested-2", Part: "group", Level: vim.Failed, Status: "CREATE_FAILED"},
		{Name: "node", Kind: vim.Compute, ID: "s1", Part: "nested-1"},
		{Name: "port", Kind: vim.LinkPort, ID: "p2", Part: "nested-2"},
		{Name: "node", Kind: vim.Compute, Part: "nested-2", Level: vim.Failed, Status: "CREATE_FAILED"},
	}}}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{}},
	}
	for range 2 {
		activitytest.Must(
			t,
			infra.ChangeStack,
			resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesRecorded},
		)
		assert.Equal(t, []string{"half"}, cloud.Replaced(), "Heat would take the oldest member of a group that shrinks")
	}
}

// TestChangeStack_keepsTheMembersThatStay checks that members that stay are protected: the VIM removes failed members
// first, so a member that has failed because of another one would be removed instead of it.
func TestChangeStack_keepsTheMembersThatStay(t *testing.T) {
	cloud := &activitytest.ChangingCloud{Inv: &vim.Inventory{ID: "top", Resources: []vim.Resource{
		{Name: "workers", Kind: vim.Group, ID: "group", Part: "top"},
		{
			Name:    "aborted",
			VimType: "member.yaml",
			ID:      "nested-1",
			Part:    "group",
			Level:   vim.Failed,
			Status:  "UPDATE_FAILED",
		},
		{Name: "node", Kind: vim.Compute, ID: "s1", Part: "nested-1", Status: "CREATE_COMPLETE"},
		{Name: "well", VimType: "member.yaml", ID: "nested-2", Part: "group", Status: "UPDATE_COMPLETE"},
		{Name: "node", Kind: vim.Compute, ID: "s2", Part: "nested-2", Status: "CREATE_COMPLETE"},
		{Name: "new", VimType: "member.yaml", ID: "nested-3", Part: "group", Level: vim.Failed, Status: "CREATE_FAILED"},
		{Name: "node", Kind: vim.Compute, ID: "s3", Part: "nested-3", Level: vim.Failed, Status: "CREATE_FAILED"},
	}}}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{}},
	}
	for _, c := range []struct {
		in   resources.ChangeStackInput
		keep []string
	}{
		{resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesRecorded}, []string{"aborted"}},
		{
			resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesPlanned, Leaving: []string{"s2"}},
			[]string{"aborted"},
		},
		{resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesPlanned, Leaving: []string{"s1"}}, nil},
		{resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesGrown}, nil},
	} {
		activitytest.Must(t, infra.ChangeStack, c.in)
		var keep []string
		for _, r := range cloud.Last.Keep {
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
	cloud := &activitytest.ChangingCloud{Inv: inv}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{}},
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(infra.ChangeStack)
	in := resources.ChangeStackInput{
		OpOccID: activitytest.OpOcc, Sizes: vim.SizesPlanned, Leaving: []string{"s0", "s2", "gone"},
	}
	for range 2 {
		_, err := env.ExecuteActivity(infra.ChangeStack, in)
		require.NoError(t, err)
		assert.Equal(t, []string{"alone", "m2"}, cloud.Replaced(),
			"a server by itself, the other with its group's member; one that is gone is done")
		assert.Equal(t, 3, cloud.Last.Definition.(map[string]any)["size"])
	}
	in = resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesRecorded}
	_, err := env.ExecuteActivity(infra.ChangeStack, in)
	require.NoError(t, err)
	assert.Equal(t, []string{"alone"}, cloud.Replaced(), "every server that is not recorded goes")
	assert.Equal(t, 2, cloud.Last.Definition.(map[string]any)["size"])
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
	cloud := &activitytest.ChangingCloud{Inv: inv}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{}},
	}
	for _, asBefore := range []bool{false, true} {
		for range 2 {
			out := activitytest.Must(
				t,
				infra.ReconnectStack,
				resources.ReconnectStackInput{OpOccID: activitytest.OpOcc, AsBefore: asBefore},
			)
			assert.Equal(t, asBefore, cloud.Last.Definition.(map[string]any)["asBefore"])
			assert.Empty(t, cloud.Last.Replace)
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
	cloud := &activitytest.FakeCloud{Status: "CREATE_COMPLETE"}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{}},
	}
	for range 2 {
		activitytest.Must(t, infra.DeleteStack, activitytest.DeploymentInput())
		require.Empty(t, cloud.Status)
	}
}
