package vnflcm_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// surveyor replaces VIMs that survey plans.
type surveyor struct {
	problems []string
	unasked  string
	err      error
	asked    []lcm.Operation
	params   string // of the last operation: the surveyor masks the secrets in them
	quota    *lifecycle.Quota
}

func (s *surveyor) Survey(
	_ context.Context, op *operations.Operation, q *lifecycle.Quota,
) (problems []string, unasked string, err error) {
	s.asked, s.quota, s.params = append(s.asked, op.OpOcc.Operation), q, string(op.OpOcc.Params)
	return s.problems, s.unasked, s.err
}

func TestPlan_tellsWhatTheVIMSaysOfIt(t *testing.T) {
	vims := &surveyor{}
	b := servertest.New(t, func(o *apiserver.Options) { o.Surveyor = vims })
	instance := b.Running("/vnflcm/v1")
	const scale = `"operation":"SCALE","request":{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":"2"}`
	says := func(body string) any { return b.Do("POST", planPath(instance), body).Want(http.StatusOK)["vim"] }

	require.Nil(t, says(`{`+scale+`}`), "nobody wanted to know")
	require.Nil(t, says(`{"askVim":true,"operation":"TERMINATE","request":{"terminationType":"FORCEFUL"}}`))
	require.Empty(t, vims.asked)

	require.Equal(t, map[string]any{"problems": []any{}}, says(`{"askVim":true,`+scale+`}`))
	require.Equal(t, []lcm.Operation{lcm.OpScale}, vims.asked)
	require.Equal(t, 2, vims.quota.Instances)
	require.JSONEq(t, `{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":"2"}`, vims.params)
	vims.problems, vims.unasked = []string{"No room."}, "No images were looked for."
	require.Equal(t, map[string]any{"problems": []any{"No room."}, "unasked": "No images were looked for."},
		says(`{"askVim":true,`+scale+`}`))
	vims.problems, vims.err = nil, lcm.Errorf(lcm.KindUnavailable, "Keystone does not answer.")
	require.Equal(t, map[string]any{"problems": []any{}, "unasked": "Windlass could not ask the VIM: Keystone does " +
		"not answer."},
		says(`{"askVim":true,`+scale+`}`))
	require.Empty(t, b.Starter.Starts)
}

func TestPlan_ofAnInstantiationAsksTheVIM(t *testing.T) {
	vims := &surveyor{}
	b := servertest.New(t, func(o *apiserver.Options) { o.Surveyor = vims })
	instance, request := b.Ready("/vnflcm/v1")
	for _, request := range []map[string]any{request, servertest.AsV2(t, request)} {
		doc := b.Do("POST", planPath(instance), map[string]any{"operation": "INSTANTIATE", "request": request, "askVim": true}).
			Want(http.StatusOK)
		require.Equal(t, map[string]any{"problems": []any{}}, doc["vim"])
	}
	require.Equal(t, []lcm.Operation{lcm.OpInstantiate, lcm.OpInstantiate}, vims.asked)
	require.Equal(t, 5, vims.quota.Instances)
}

func TestPlan_asksTheVIMOnlyForWhomMayDoIt(t *testing.T) {
	vims := &surveyor{}
	b := servertest.New(t, servertest.WithAuth, func(o *apiserver.Options) { o.Surveyor = vims })
	b.Client = servertest.As(string(lcm.DefaultProject), "windlass:write")
	instance := b.Running("/vnflcm/v1")
	const scale = `{"askVim":true,"operation":"SCALE","request":{"type":"SCALE_OUT","aspectId":"worker_instance"}}`
	for scopes, asked := range map[string]bool{
		"windlass:read": false, "vnflcm:v1:readonly vnflcm:v1:heal": false, "vnflcm:v1:readonly vnflcm:v1:scale": true,
		"windlass:write": true,
	} {
		vims.asked = nil
		doc := b.Do("POST", planPath(instance), scale, servertest.As(string(lcm.DefaultProject), scopes)).Want(http.StatusOK)
		require.Equal(t, asked, len(vims.asked) == 1, scopes)
		require.Equal(t, !asked, doc["vim"].(map[string]any)["unasked"] != nil, scopes)
	}
}

// TestPlan_refusesReferencesToSecrets checks that a plan with a reference to a secret is refused. Otherwise a client
// could have the secret of another client sent to its own VIM.
func TestPlan_refusesReferencesToSecrets(t *testing.T) {
	vims := &surveyor{}
	b := servertest.New(t, func(o *apiserver.Options) { o.Surveyor = vims })
	instance, request := b.Ready("/vnflcm/v1")
	request["vimConnectionInfo"] = []any{map[string]any{
		"id": "mine", "vimType": "openstack", "interfaceInfo": map[string]any{"endpoint": "https://mine.example/v3"},
		"accessInfo": map[string]any{"username": "u", "password": map[string]any{"$secret": "vims/other/password"}},
	}}
	for _, ask := range []bool{true, false} {
		a := b.Do("POST", planPath(instance), map[string]any{"operation": "INSTANTIATE", "request": request, "askVim": ask})
		a.Problem(http.StatusBadRequest)
		require.Contains(t, string(a.Body), "must not be used in a request")
		require.Contains(t, string(a.Body), "$.request.vimConnectionInfo[0].accessInfo.password")
	}
	require.Empty(t, vims.asked)
}
