package vnflcm_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestGrant_isShownOnceItIsGiven(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v2")
	a := b.Do("POST", instance+"/scale", `{"type":"SCALE_IN","aspectId":"worker_instance"}`)
	a.Want(http.StatusAccepted)
	o := b.Operation(a.Path())
	path := "/windlass/v1/vnf_lcm_op_occs/" + string(o.ID) + "/grant"
	require.Contains(t, b.Do("GET", path, nil).Problem(http.StatusNotFound), "no grant yet")
	require.Contains(t, b.Do("GET", "/windlass/v1/vnf_lcm_op_occs/absent/grant", nil).Problem(http.StatusNotFound),
		"absent")

	links := func() map[string]any {
		return b.Do("GET", a.Path(), nil).Want(http.StatusOK)["_links"].(map[string]any)
	}
	require.NotContains(t, links(), "grant", "there is none")

	require.NoError(t, b.Store.RecordOperation(t.Context(), lcm.OperationRecord{
		OpOccID: o.ID, Sequence: o.Sequence + 1, State: lcm.Processing, GrantID: "grant-1",
		Grant: &lcm.Grant{
			ID: "grant-1", VnfInstanceID: o.VnfInstanceID, OpOccID: o.ID,
			RemoveResources: []lcm.GrantResource{{
				ResourceDefinitionID: "remove-worker-1", Type: lcm.GrantCompute, VduID: "workerNode", VnfcInstanceID: "worker-1",
				Resource: &lcm.ResourceHandle{ResourceID: "worker-1", VimLevelResourceType: "OS::Nova::Server"},
			}},
		},
	}))
	require.Equal(t, servertest.Endpoint+path, links()["grant"].(map[string]any)["href"])
	g := b.Do("GET", path, nil).Want(http.StatusOK)
	require.Equal(t, "grant-1", g["id"])
	require.Equal(t, "worker-1", g["removeResources"].([]any)[0].(map[string]any)["vnfcInstanceId"])
	require.Equal(t, servertest.Endpoint+a.Path(), g["_links"].(map[string]any)["vnfLcmOpOcc"].(map[string]any)["href"])
	require.Equal(t, servertest.Endpoint+instance, g["_links"].(map[string]any)["vnfInstance"].(map[string]any)["href"])
}
