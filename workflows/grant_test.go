package workflows

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
)

// grantedWork is an operation with one step, which needs a grant.
func grantedWork(ctx workflow.Context, in lcm.OperationInput) error {
	var w *world
	v := &vnf{in: in}
	v.op = &operation{in: in, learn: v.learn, tables: tables{v.instantiateWork(), {
		"work": {do: func(ctx workflow.Context) error {
			_, err := call(onNode(ctx), w.work, workInput{Tracked: track(ctx, ""), Name: "work"})
			return err
		}},
	}}}
	return runOperation(ctx, v.op)
}

// keeper stores the grant of one operation.
type keeper struct{ id string }

func (k *keeper) KeptGrant(context.Context, lcm.OpOccID) (string, error) { return k.id, nil }

func (k *keeper) GrantRequest(_ context.Context, id lcm.OpOccID) (nfvo.GrantRequest, error) {
	return nfvo.GrantRequest{OpOccID: id, Operation: lcm.OpInstantiate, APIVersion: 2}, nil
}

func (k *keeper) KeepGrant(_ context.Context, _ lcm.OpOccID, g lcm.Grant) error {
	k.id = g.ID
	return nil
}

// nfvoOf returns an environment in which the operation asks n for a grant, with this patience.
func nfvoOf(t *testing.T, n *nfvotest.NFVO, patience time.Duration) (*testsuite.TestWorkflowEnvironment, *world) {
	t.Helper()
	w := &world{what: lifecycle.Description{GrantPatience: patience, Steps: []lifecycle.Step{
		{ID: "ask-for-grant", Title: "Ask for a grant"}, {ID: "work", Title: "Work"},
	}}}
	env := newRun(t, w)
	env.SetTestTimeout(time.Minute)
	env.RegisterWorkflow(grantedWork)
	env.RegisterActivity(&orchestrator.Grants{
		NFVO: nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: n.URL}), Facts: &keeper{}, Poll: time.Millisecond,
	})
	return env, w
}

func runGranted(env *testsuite.TestWorkflowEnvironment) {
	env.ExecuteWorkflow(grantedWork, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: lcm.OpInstantiate})
}

func TestGrant_isAskedOfTheNFVO(t *testing.T) {
	for name, decision := range map[string]nfvotest.Decision{"at once": {}, "later": {Looks: 3}} {
		t.Run(name, func(t *testing.T) {
			n := nfvotest.New(t)
			n.Decide(func(map[string]any) nfvotest.Decision { return decision })
			env, w := nfvoOf(t, n, time.Hour)
			runGranted(env)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.Completed}, w.states)
			require.Equal(t, "grant-1", w.last.GrantID)
		})
	}
}

func TestGrant_refusalRollsBackBeforeAnythingIsTouched(t *testing.T) {
	for name, looks := range map[string]int{"at once": 0, "later": 2} {
		t.Run(name, func(t *testing.T) {
			n := nfvotest.New(t)
			n.Decide(func(map[string]any) nfvotest.Decision {
				return nfvotest.Decision{Looks: looks, Status: http.StatusForbidden, Detail: "the site is full"}
			})
			env, w := nfvoOf(t, n, time.Hour)
			runGranted(env)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.RolledBack}, w.states)
			require.Equal(t, "The NFVO refuses the grant: the site is full.", w.last.Status.Error.Detail)
			require.Equal(t, lcm.KindDenied, w.last.Status.Error.Kind)
			require.Empty(t, w.done)
			requests, _ := n.Requests()
			require.Len(t, requests, 1, "a refusal is not asked about again")
		})
	}
}

func TestGrant_waitsForAnNFVOThatIsAway(t *testing.T) {
	n := nfvotest.New(t)
	n.Away(20) // more than the attempts of any other activity
	env, w := nfvoOf(t, n, time.Hour)
	runGranted(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.Completed}, w.states)

	n.Away(-1)
	env, w = nfvoOf(t, n, 10*time.Minute)
	runGranted(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.RolledBack}, w.states)
	require.Equal(t, "The NFVO has not granted the INSTANTIATE within 10m0s: The NFVO answers 503: The NFVO is being "+
		"upgraded.", w.last.Status.Error.Detail)
}

func TestGrant_cancelEndsTheWaiting(t *testing.T) {
	n := nfvotest.New(t)
	n.Decide(func(map[string]any) nfvotest.Decision { return nfvotest.Decision{Looks: 1 << 30} })
	env, w := nfvoOf(t, n, time.Hour)
	asked := func() bool { requests, _ := n.Requests(); return len(requests) > 0 }
	cancel := decideWhen(env, asked, lcm.Cancel, lcm.CancelRequest{Mode: lcm.Forceful})
	runGranted(env)
	require.NoError(t, env.GetWorkflowError())
	require.True(t, cancel.completed)
	require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.RolledBack}, w.states)
	require.Contains(t, w.last.Status.Error.Detail, "cancelled (FORCEFUL)")
}

// TestGrant_refusalEndsEveryOperationThatAsks checks that a refused operation ends before it runs any activity with an
// effect: the test registers no such activity.
func TestGrant_refusalEndsEveryOperationThatAsks(t *testing.T) {
	t.Parallel()
	for operation, run := range map[lcm.Operation]func(workflow.Context, lcm.OperationInput) error{
		lcm.OpInstantiate: Instantiate, lcm.OpScale: Scale, lcm.OpScaleToLevel: Scale, lcm.OpHeal: Heal,
		lcm.OpOperate:       Operate,
		lcm.OpChangeExtConn: ChangeExtConn, lcm.OpChangeVnfPkg: ChangeVnfPkg, lcm.OpTerminate: Terminate,
	} {
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			n := nfvotest.New(t)
			n.Decide(func(map[string]any) nfvotest.Decision {
				return nfvotest.Decision{Status: http.StatusForbidden, Detail: "the site is full"}
			})
			f := lifecycle.Facts{Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{}}}
			w := &world{what: lifecycle.Description{
				GrantPatience: time.Hour, ChangeStateTo: lcm.VnfStopped, Steps: stepsOf(operation, f),
			}}
			env := newRun(t, w)
			env.RegisterWorkflow(run)
			env.RegisterActivityWithOptions(func(context.Context, records.PlanInput) (lcm.Plan, error) {
				return lcm.Plan{Operation: operation, ChangeStateTo: lcm.VnfStopped}, nil
			}, activity.RegisterOptions{Name: "PlanOperation"})
			env.RegisterActivity(&orchestrator.Grants{
				NFVO:  nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: n.URL}),
				Facts: &keeper{},
			})
			env.ExecuteWorkflow(run, lcm.OperationInput{OpOccID: "op", VnfInstanceID: "vnf", Operation: operation})
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, []lcm.OperationState{lcm.Starting, lcm.RolledBack}, w.states)
			require.Equal(t, "The NFVO refuses the grant: the site is full.", w.last.Status.Error.Detail)
			require.Empty(t, w.last.GrantID)
		})
	}
}
