package orchestrator_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
)

// grantKeeper stores the grant of one operation.
type grantKeeper struct {
	kept  []lcm.Grant
	unfit error // the error for every grant
}

func (k *grantKeeper) KeptGrant(context.Context, lcm.OpOccID) (string, error) {
	if len(k.kept) == 0 {
		return "", nil
	}
	return k.kept[0].ID, nil
}

func (k *grantKeeper) GrantRequest(_ context.Context, id lcm.OpOccID) (nfvo.GrantRequest, error) {
	return nfvo.GrantRequest{OpOccID: id, VnfInstanceID: "vnf", Operation: lcm.OpInstantiate, APIVersion: 1}, nil
}

func (k *grantKeeper) KeepGrant(_ context.Context, _ lcm.OpOccID, g lcm.Grant) error {
	if k.unfit != nil {
		return k.unfit
	}
	k.kept = append(k.kept, g)
	return nil
}

// ask runs RequestGrant and, if the NFVO has not decided, AwaitGrant, each of them twice.
func ask(t *testing.T, g *orchestrator.Grants) (out orchestrator.RequestGrantOutput, err error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(g)
	in := orchestrator.RequestGrantInput{
		Tracked: activities.Tracked{Step: lcm.StepRef{OpOccID: activitytest.OpOcc}},
		OpOccID: activitytest.OpOcc,
	}
	for _, act := range []any{g.RequestGrant, g.RequestGrant, g.AwaitGrant, g.AwaitGrant} {
		value, err := env.ExecuteActivity(act, in)
		if err != nil {
			return out, err
		}
		require.NoError(t, value.Get(&out))
		in.Location = out.Location
	}
	return out, nil
}

func TestGrants_askTheNFVOOnce(t *testing.T) {
	n := nfvotest.New(t)
	keeper := &grantKeeper{}
	grants := &orchestrator.Grants{
		NFVO: nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: n.URL}), Facts: keeper, Poll: time.Millisecond,
	}
	out, err := ask(t, grants)
	require.NoError(t, err)
	require.Equal(t, "grant-1", out.GrantID)
	require.Len(t, keeper.kept, 1)
	requests, _ := n.Requests()
	require.Len(t, requests, 1)
	require.Equal(t, string(activitytest.OpOcc), requests[0]["vnfLcmOpOccId"])
}

func TestGrants_waitUntilTheNFVOHasDecided(t *testing.T) {
	n := nfvotest.New(t)
	keeper := &grantKeeper{}
	grants := &orchestrator.Grants{
		NFVO: nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: n.URL}), Facts: keeper, Poll: time.Millisecond,
	}
	n.Decide(func(map[string]any) nfvotest.Decision { return nfvotest.Decision{Looks: 3} })
	out, err := ask(t, grants)
	require.NoError(t, err)
	require.NotEmpty(t, out.GrantID)
	require.Len(t, keeper.kept, 1)

	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Looks: 2, Status: http.StatusForbidden, Detail: "the site is full"}
	})
	keeper.kept = nil
	_, err = ask(t, grants)
	require.ErrorContains(t, err, "The NFVO refuses the grant: the site is full.")
}

func TestGrants_keepNoneThatCannotBeHonoured(t *testing.T) {
	n := nfvotest.New(t)
	keeper := &grantKeeper{unfit: lcm.Errorf(lcm.KindInvalid, "no zones here")}
	grants := &orchestrator.Grants{NFVO: nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: n.URL}), Facts: keeper}
	_, err := ask(t, grants)
	require.ErrorContains(t, err, "no zones here")
	grants.NFVO = nil
	_, err = ask(t, grants)
	require.ErrorContains(t, err, "nfvo.endpoint")
}
