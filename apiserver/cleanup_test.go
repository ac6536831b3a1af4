package apiserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
)

func TestCleanUp_terminatesWhatAFailedInstantiationHasLeft(t *testing.T) {
	b := newBench(t)
	failed := b.failed("/vnflcm/v1")
	id := b.operation(failed).VnfInstanceID
	instance, path := "/vnflcm/v1/vnf_instances/"+string(id), "/windlass/v1/vnf_instances/"+string(id)+"/clean_up"
	require.Contains(t, b.do("POST", path, `{}`).problem(http.StatusConflict), "is under way", "it may still be retried")
	b.enter(failed, lcm.Failed)
	require.Contains(t, b.do("DELETE", instance, nil).problem(http.StatusConflict), path)
	b.do("POST", instance+"/terminate", `{"terminationType":"FORCEFUL"}`).problem(http.StatusConflict)

	planning := "/windlass/v1/vnf_instances/" + string(id) + "/plan"
	const leftovers = `{"operation": "TERMINATE", "request": {}, "leftovers": true}`
	require.Contains(t, string(b.do("POST", planning, leftovers).Body), `"Delete the infrastructure"`)
	b.do("POST", planning, `{"operation": "SCALE", "request": {}, "leftovers": true}`).problem(http.StatusBadRequest)
	b.do("POST", planning, `{"operation": "TERMINATE", "request": {"terminationType": "FORCEFUL"}}`).problem(http.StatusConflict)

	a := b.do("POST", path, `{}`, "Version: 2.0.0")
	a.want(http.StatusAccepted)
	require.True(t, strings.HasPrefix(a.path(), "/vnflcm/v2/vnf_lcm_op_occs/"), a.path())
	op := b.operation(a.path())
	require.Equal(t, []any{lcm.OpTerminate, id}, []any{op.Operation, op.VnfInstanceID})
	resolver := operations.Resolver{Store: b.store, Vault: b.vault}
	whole, err := resolver.Of(t.Context(), op)
	require.NoError(t, err)
	require.Equal(t, "ha", whole.Flavour.ID, "it is of what the INSTANTIATE was to make")
	_, plan, err := whole.Planned()
	require.NoError(t, err)
	require.Empty(t, plan.Leaving, "nothing is recorded")

	b.do("POST", path, `{}`).problem(http.StatusConflict)
	b.enter(a.path(), lcm.Processing)
	b.enter(a.path(), lcm.FailedTemp)
	b.enter(a.path(), lcm.Failed)
	again := b.do("POST", path, `{}`)
	again.want(http.StatusAccepted)
	b.enter(again.path(), lcm.Processing)
	b.enter(again.path(), lcm.Completed)
	require.Contains(t, b.do("POST", path, `{}`).problem(http.StatusConflict), "Nothing is left")
	require.Contains(t, b.do("POST", planning, leftovers).problem(http.StatusConflict), "Nothing is left")
	b.do("DELETE", instance, nil).want(http.StatusNoContent)
}

func TestCleanUp_isNotOfInstancesThatRunOrNeverBegan(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	at := func(instance string) string { return "/windlass/v1" + instance[len("/vnflcm/v1"):] + "/clean_up" }
	require.Contains(t, b.do("POST", at(b.runs("/vnflcm/v1", vnfdID, "ha", 3, 1)), `{}`).problem(http.StatusConflict),
		"is instantiated: terminate it")
	require.Contains(t, b.do("POST", at(b.create("/vnflcm/v1", vnfdID)), `{}`).problem(http.StatusConflict), "Nothing is left")
}
