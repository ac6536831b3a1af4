package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestGrant_isShownOnceItIsGiven(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v2")
	a := b.do("POST", instance+"/scale", `{"type":"SCALE_IN","aspectId":"worker_instance"}`)
	a.want(http.StatusAccepted)
	o := b.operation(a.path())
	path := "/windlass/v1/vnf_lcm_op_occs/" + string(o.ID) + "/grant"
	require.Contains(t, b.do("GET", path, nil).problem(http.StatusNotFound), "no grant yet")
	require.Contains(t, b.do("GET", "/windlass/v1/vnf_lcm_op_occs/absent/grant", nil).problem(http.StatusNotFound),
		"absent")

	links := func() map[string]any {
		return b.do("GET", a.path(), nil).want(http.StatusOK)["_links"].(map[string]any)
	}
	require.NotContains(t, links(), "grant", "there is none")

	require.NoError(t, b.store.RecordOperation(t.Context(), lcm.OperationRecord{
		OpOccID: o.ID, Sequence: o.Sequence + 1, State: lcm.Processing, GrantID: "grant-1",
		Grant: &lcm.Grant{
			ID: "grant-1", VnfInstanceID: o.VnfInstanceID, OpOccID: o.ID,
			RemoveResources: []lcm.GrantResource{{
				ResourceDefinitionID: "remove-worker-1", Type: lcm.GrantCompute, VduID: "workerNode", VnfcInstanceID: "worker-1",
				Resource: &lcm.ResourceHandle{ResourceID: "worker-1", VimLevelResourceType: "OS::Nova::Server"},
			}},
		},
	}))
	require.Equal(t, endpoint+path, links()["grant"].(map[string]any)["href"])
	g := b.do("GET", path, nil).want(http.StatusOK)
	require.Equal(t, "grant-1", g["id"])
	require.Equal(t, "worker-1", g["removeResources"].([]any)[0].(map[string]any)["vnfcInstanceId"])
	require.Equal(t, endpoint+a.path(), g["_links"].(map[string]any)["vnfLcmOpOcc"].(map[string]any)["href"])
	require.Equal(t, endpoint+instance, g["_links"].(map[string]any)["vnfInstance"].(map[string]any)["href"])
}
