package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const tryStep = "Try the VIM connection"

// modifying modifies the information of an instance: with success, with a VIM that refuses, and cancelled.
func modifying(t *testing.T, b *bed) {
	vnf := b.Create(t, "modify")
	connection := b.OnOpenStack()
	name := func() any { return b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["vnfInstanceName"] }

	op := b.Modify(t, vnf, map[string]any{
		"vnfInstanceName": "modified", "metadata": map[string]any{"site": "north"}, "extensions": map[string]any{"rack": 7},
		"vimConnectionInfo": connection,
	})
	got := b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "modify")
	require.Equal(t, "modified", got["changedInfo"].(map[string]any)["vnfInstanceName"])
	inst := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)
	require.Equal(t, "modified", inst["vnfInstanceName"])
	require.Equal(t, map[string]any{"rack": 7.0}, inst["extensions"])
	require.Len(t, inst["vimConnectionInfo"], 1)

	refuse := func() {
		b.Fault(t, map[string]any{"service": "heat", "status": 401, "message": "Authentication required", "count": -1})
		b.Fault(t, map[string]any{
			"service": "keystone", "method": "POST", "path": "/auth/tokens$", "status": 401,
			"message": "The request you have made requires authentication.", "count": -1,
		})
	}
	refuse()
	op = b.Modify(t, vnf, map[string]any{"vnfInstanceName": "undone", "vimConnectionInfo": connection})
	got = b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "no longer accepts the credentials")
	a := b.Call(t, http.MethodPatch, "/vnflcm/v1/vnf_instances/"+vnf, map[string]any{})
	require.Equal(t, http.StatusConflict, a.Status)
	require.Contains(t, testbed.Problem(t, a), "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "modify-rollback")
	require.Equal(t, "modified", name())

	op = b.Modify(t, vnf, map[string]any{"vnfInstanceName": "retried", "vimConnectionInfo": connection})
	b.Await(t, op, quick, "FAILED_TEMP")
	b.ClearFaults(t)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "modify-retry")
	require.Equal(t, "retried", name())

	b.Fault(t, map[string]any{"service": "heat", "method": "GET", "delay_ms": 60_000})
	op = b.Modify(t, vnf, map[string]any{"vnfInstanceName": "cancelled", "vimConnectionInfo": connection})
	b.AwaitStep(t, op, tryStep)
	b.cancelsSoon(t, op, "FORCEFUL")
	b.ClearFaults(t)
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	require.Equal(t, "retried", name())
	b.Delete(t, vnf)
}
