package apiserver

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestWorkflowIsStartedUnderItsOperationsID(t *testing.T) {
	for resumed, reuse := range map[bool]enumspb.WorkflowIdReusePolicy{
		false: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE, true: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	} {
		c := &mocks.Client{}
		in := lcm.OperationInput{OpOccID: "op-1", VnfInstanceID: "vnf-1", Operation: lcm.OpInstantiate, Resumed: resumed}
		c.On("ExecuteWorkflow", mock.Anything, mock.MatchedBy(func(o client.StartWorkflowOptions) bool {
			return o.ID == "lcm-op-1" && o.TaskQueue == lcm.TaskQueue && o.WorkflowIDReusePolicy == reuse &&
				searchAttribute(o, lcm.AttrVnfInstanceID) == "vnf-1" && searchAttribute(o, lcm.AttrVnfInstanceName) == "edge-1" &&
				searchAttribute(o, lcm.AttrVimName) == "north" && o.StaticSummary == "INSTANTIATE edge-1" &&
				o.WorkflowIDConflictPolicy == enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
		}), "Instantiate", in).Return(nil, nil).Once()
		require.NoError(t, (&Temporal{Client: c, Names: knownNames{}}).Start(t.Context(), in))
		c.AssertExpectations(t)
	}
}

func searchAttribute(o client.StartWorkflowOptions, name string) string {
	value, _ := o.TypedSearchAttributes.GetKeyword(temporal.NewSearchAttributeKeyKeyword(name))
	return value
}

func TestStart_leavesNamesOutWhereTheNamespaceDoesNotKnowThem(t *testing.T) {
	c := &mocks.Client{}
	in := lcm.OperationInput{OpOccID: "op-1", VnfInstanceID: "vnf-1", Operation: lcm.OpInstantiate}
	named := mock.MatchedBy(func(o client.StartWorkflowOptions) bool { return searchAttribute(o, lcm.AttrVimName) == "north" })
	plain := mock.MatchedBy(func(o client.StartWorkflowOptions) bool {
		return searchAttribute(o, lcm.AttrVimName) == "" && searchAttribute(o, lcm.AttrVnfInstanceID) == "vnf-1"
	})
	c.On("ExecuteWorkflow", mock.Anything, named, "Instantiate", in).Return(nil,
		serviceerror.NewInvalidArgument("Namespace windlass has no mapping defined for search attribute VimName")).Once()
	c.On("ExecuteWorkflow", mock.Anything, plain, "Instantiate", in).Return(nil, nil).Once()
	require.NoError(t, (&Temporal{Client: c, Names: knownNames{}}).Start(t.Context(), in))
	c.AssertExpectations(t)
}

func TestStartTellsWhetherTemporalIsThere(t *testing.T) {
	in := lcm.OperationInput{OpOccID: "op-1", Operation: lcm.OpTerminate}
	start := func(err error) error {
		c := &mocks.Client{}
		c.On("ExecuteWorkflow", mock.Anything, mock.Anything, "Terminate", in).Return(nil, err)
		return (&Temporal{Client: c}).Start(t.Context(), in)
	}
	require.True(t, lcm.Is(start(serviceerror.NewUnavailable("away")), lcm.KindUnavailable))
	require.NoError(t, start(serviceerror.NewWorkflowExecutionAlreadyStarted("ran", "", "")), "it ran and is over")
	require.True(t, lcm.Is((&Temporal{}).Start(t.Context(), lcm.OperationInput{Operation: "CREATE_SNAPSHOT"}),
		lcm.KindBug))
}

func TestActTranslatesWhatTheWorkflowSays(t *testing.T) {
	conflict := lcm.Errorf(lcm.KindConflict, "The operation is COMPLETED: retry is not possible.")
	refusal := temporal.NewNonRetryableApplicationError(conflict.Detail, string(lcm.KindConflict), nil)
	for name, c := range map[string]struct {
		sending, waiting error
		kind             lcm.ErrorKind
	}{
		"accepted":                 {},
		"refused at once":          {sending: refusal, kind: lcm.KindConflict},
		"refused by the validator": {waiting: refusal, kind: lcm.KindConflict},
		"workflow is gone":         {sending: serviceerror.NewNotFound("no"), kind: lcm.KindUnavailable},
		"Temporal is away":         {sending: serviceerror.NewUnavailable("no"), kind: lcm.KindUnavailable},
		"no worker answers":        {sending: context.DeadlineExceeded, kind: lcm.KindUnavailable},
		"handler failed":           {waiting: errors.New("boom"), kind: lcm.KindUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			m, handle := &mocks.Client{}, &mocks.WorkflowUpdateHandle{}
			handle.On("Get", mock.Anything, nil).Return(c.waiting)
			m.On("UpdateWorkflow", mock.Anything, client.UpdateWorkflowOptions{
				WorkflowID: "lcm-op-1", UpdateName: "cancel", Args: []any{lcm.CancelRequest{Mode: lcm.Forceful}},
				WaitForStage: client.WorkflowUpdateStageAccepted,
			}).Return(handle, c.sending)
			err := (&Temporal{Client: m}).Act(t.Context(), "op-1", lcm.Cancel, lcm.CancelRequest{Mode: lcm.Forceful})
			if c.kind == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, c.kind, lcm.KindOf(err), "%v", err)
			if c.kind == lcm.KindConflict {
				e, _ := rest.AsError(err)
				require.Equal(t, conflict.Detail, e.Detail)
			}
		})
	}
}

func TestSlowWorkflowHasAcceptedAllTheSame(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m, handle := &mocks.Client{}, &mocks.WorkflowUpdateHandle{}
	handle.On("Get", mock.Anything, nil).Run(func(mock.Arguments) { cancel() }).Return(context.Canceled)
	m.On("UpdateWorkflow", mock.Anything, mock.Anything).Return(handle, nil)
	require.NoError(t, (&Temporal{Client: m}).Act(ctx, "op-1", lcm.Retry, lcm.CancelRequest{}))
	require.Error(t, (&Temporal{Client: m}).Act(ctx, "op-1", lcm.Fail, lcm.CancelRequest{}),
		"fail promises that it has happened")
}

func TestRunningIsWhatTemporalSaysOfTheNewestRun(t *testing.T) {
	running := func(status enumspb.WorkflowExecutionStatus, err error) (bool, error) {
		m := &mocks.Client{}
		m.On("DescribeWorkflowExecution", mock.Anything, "lcm-op-1",
			"").Return(&workflowservice.DescribeWorkflowExecutionResponse{
			WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: status},
		}, err)
		return (&Temporal{Client: m}).Running(t.Context(), "op-1")
	}
	for status, want := range map[enumspb.WorkflowExecutionStatus]bool{
		enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING: true, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED: false,
		enumspb.WORKFLOW_EXECUTION_STATUS_FAILED: false,
	} {
		got, err := running(status, nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := running(0, serviceerror.NewNotFound("never started"))
	require.NoError(t, err)
	require.False(t, got)
	_, err = running(0, serviceerror.NewUnavailable("away"))
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "an absence must not be concluded from silence")
}
