package vnflcm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
)

func TestCleanUp_terminatesWhatAFailedInstantiationHasLeft(t *testing.T) {
	b := servertest.New(t)
	failed := b.FailedOperation("/vnflcm/v1")
	id := b.Operation(failed).VnfInstanceID
	instance, path := "/vnflcm/v1/vnf_instances/"+string(id), "/windlass/v1/vnf_instances/"+string(id)+"/clean_up"
	require.Contains(t, b.Do("POST", path, `{}`).Problem(http.StatusConflict), "is under way", "it may still be retried")
	b.Enter(failed, lcm.Failed)
	require.Contains(t, b.Do("DELETE", instance, nil).Problem(http.StatusConflict), path)
	b.Do("POST", instance+"/terminate", `{"terminationType":"FORCEFUL"}`).Problem(http.StatusConflict)

	planning := "/windlass/v1/vnf_instances/" + string(id) + "/plan"
	const leftovers = `{"operation": "TERMINATE", "request": {}, "leftovers": true}`
	require.Contains(t, string(b.Do("POST", planning, leftovers).Body), `"Delete the infrastructure"`)
	b.Do("POST", planning, `{"operation": "SCALE", "request": {}, "leftovers": true}`).Problem(http.StatusBadRequest)
	b.Do("POST", planning, `{"operation": "TERMINATE", "request": {"terminationType": "FORCEFUL"}}`).
		Problem(http.StatusConflict)

	a := b.Do("POST", path, `{}`, "Version: 2.0.0")
	a.Want(http.StatusAccepted)
	require.True(t, strings.HasPrefix(a.Path(), "/vnflcm/v2/vnf_lcm_op_occs/"), a.Path())
	op := b.Operation(a.Path())
	require.Equal(t, []any{lcm.OpTerminate, id}, []any{op.Operation, op.VnfInstanceID})
	resolver := operations.Resolver{Store: b.Store, Vault: b.Vault}
	whole, err := resolver.Of(t.Context(), op)
	require.NoError(t, err)
	require.Equal(t, "ha", whole.Flavour.ID, "it is of what the INSTANTIATE was to make")
	_, plan, err := whole.Planned()
	require.NoError(t, err)
	require.Empty(t, plan.Leaving, "nothing is recorded")

	b.Do("POST", path, `{}`).Problem(http.StatusConflict)
	b.Enter(a.Path(), lcm.Processing)
	b.Enter(a.Path(), lcm.FailedTemp)
	b.Enter(a.Path(), lcm.Failed)
	again := b.Do("POST", path, `{}`)
	again.Want(http.StatusAccepted)
	b.Enter(again.Path(), lcm.Processing)
	b.Enter(again.Path(), lcm.Completed)
	require.Contains(t, b.Do("POST", path, `{}`).Problem(http.StatusConflict), "Nothing is left")
	require.Contains(t, b.Do("POST", planning, leftovers).Problem(http.StatusConflict), "Nothing is left")
	b.Do("DELETE", instance, nil).Want(http.StatusNoContent)
}

func TestCleanUp_isNotOfInstancesThatRunOrNeverBegan(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	at := func(instance string) string { return "/windlass/v1" + instance[len("/vnflcm/v1"):] + "/clean_up" }
	require.Contains(t, b.Do("POST", at(b.Runs("/vnflcm/v1", vnfdID, "ha", 3, 1)), `{}`).Problem(http.StatusConflict),
		"is instantiated: terminate it")
	require.Contains(
		t,
		b.Do("POST", at(b.Create("/vnflcm/v1", vnfdID)), `{}`).Problem(http.StatusConflict),
		"Nothing is left",
	)
}
