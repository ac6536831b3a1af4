package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// scaling scales a cluster out and in: workers, control planes, and both by levels.
func scaling(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "scaling", nil)
	b.Await(t, op, quick, "COMPLETED")
	before := b.Vnfcs(t, vnf)

	op = b.Scale(t, vnf, "SCALE_OUT", "worker_instance", 2)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-out")
	b.RequireCluster(t, 3, 4)
	b.RequireConsistent(t, vnf)
	b.RequireChanged(t, op, 2, 0)
	require.Equal(t, 2, b.ScaleLevel(t, vnf, "worker_instance"))

	leaving := b.VnfcOf(t, vnf, "workerNode")
	op = b.Begin(t, vnf, "scale", map[string]any{
		"type": "SCALE_IN", "aspectId": "worker_instance", "numberOfSteps": "1",
		"additionalParams": map[string]any{"vnfc_instance_ids": []string{leaving}},
	})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-in")
	b.RequireCluster(t, 3, 3)
	b.RequireConsistent(t, vnf)
	b.RequireChanged(t, op, 0, 1)
	require.NotContains(t, b.Vnfcs(t, vnf), leaving, "exactly the one that was named")

	op = b.Begin(t, vnf, "scale_to_level", map[string]any{"scaleInfo": []any{
		map[string]any{"aspectId": "master_instance", "scaleLevel": 1},
		map[string]any{"aspectId": "worker_instance", "scaleLevel": 0},
	}})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-to-level")
	b.RequireCluster(t, 5, 2)
	b.RequireConsistent(t, vnf)
	b.RequireChanged(t, op, 2, 1)

	op = b.ScaleToLevel(t, vnf, "instantiation_level_1")
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-in-control-planes")
	b.RequireCluster(t, 3, 2)
	for id := range before {
		if before[id] == "masterNode" {
			require.Contains(t, b.Vnfcs(t, vnf), id, "the newest control planes have left")
		}
	}
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// scaleOutRolledBack checks that the rollback of a scale-out restores the cluster.
func scaleOutRolledBack(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "unscaled", nil)
	b.Await(t, op, quick, "COMPLETED")
	before := b.Vnfcs(t, vnf)
	b.ScriptFault(t, map[string]any{
		"script": "wait-for-nodes", "times": 1, "exit_code": 1, "output": "windlass: not Ready.",
	})
	op = b.Scale(t, vnf, "SCALE_OUT", "master_instance")
	b.Await(t, op, quick, "FAILED_TEMP")
	b.RequireChanged(t, op, 2, 0)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "scale-out-rollback")
	b.RequireCluster(t, 3, 2)
	require.Equal(t, before, b.Vnfcs(t, vnf))
	require.Equal(t, 0, b.ScaleLevel(t, vnf, "master_instance"))
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// scaleOutWithoutHosts scales out without a host for the server. The server becomes ERROR, or Heat cannot make it. Each
// rollback keeps exactly the servers from before. A scale-out succeeds when there are hosts again.
func scaleOutWithoutHosts(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "hostless", nil)
	b.Await(t, op, quick, "COMPLETED")
	before := b.Vnfcs(t, vnf)
	hostless := map[string]any{"no_valid_host": true}
	for _, c := range []struct {
		aspect string
		fault  map[string]any
	}{
		{"master_instance", hostless},
		// This resource fails before Heat looks at the others.
		{"master_instance", map[string]any{"resource": "masterNode", "message": "No valid host"}},
		{"worker_instance", map[string]any{"resource": "workerNode", "message": "No valid host"}},
		{"worker_instance", hostless},
	} {
		aspect := c.aspect
		b.Fault(t, c.fault)
		op = b.Scale(t, vnf, "SCALE_OUT", aspect)
		got := b.Await(t, op, quick, "FAILED_TEMP")
		require.Contains(t, got["error"].(map[string]any)["detail"], "No valid host")
		b.ClearFaults(t)
		require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
		b.Await(t, op, quick, "ROLLED_BACK")
		require.Equal(t, before, b.Vnfcs(t, vnf), "the servers that failed go, and no others")
		require.Equal(t, 0, b.ScaleLevel(t, vnf, aspect))
		b.RequireConsistent(t, vnf)
		b.RequireCluster(t, 3, 2)
	}
	b.record(t, op, "scale-out-error-rollback")
	op = b.Scale(t, vnf, "SCALE_OUT", "master_instance")
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 5, 2)
	b.RequireConsistent(t, vnf)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// scaleInRolledBack rolls a scale-in back when the control planes have left etcd, but no VM is gone. They become
// members again.
func scaleInRolledBack(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "kept", nil)
	b.Await(t, op, quick, "COMPLETED")
	op = b.Scale(t, vnf, "SCALE_OUT", "master_instance")
	b.Await(t, op, quick, "COMPLETED")
	before := b.Vnfcs(t, vnf)

	b.ScriptFault(t, map[string]any{
		"script": "remove-members", "times": 1, "exit_code": 1, "output": "windlass: etcd refused.",
	})
	op = b.Scale(t, vnf, "SCALE_IN", "master_instance")
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "etcd refused")
	require.Contains(t, b.Get(t, op)["_links"], "rollback", "no VM is gone yet")

	b.Pace(t, 0, 500*time.Millisecond)
	defer b.Pace(t, 0, 0)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.AwaitStep(t, op, "Take the control planes out of the cluster")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "cancel", map[string]any{"cancelMode": "GRACEFUL"}).Status)
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Len(t, b.Clusters(t)[0].EtcdMembers, 3, "they have left")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "scale-in-rollback")
	require.Equal(t, before, b.Vnfcs(t, vnf))
	b.RequireMembers(t, 5, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// healing replaces the VMs of VNFCs: a dead worker, a dead control plane, and the entire VNF.
func healing(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "healing", nil)
	b.Await(t, op, quick, "COMPLETED")

	worker := b.VnfcOf(t, vnf, "workerNode")
	require.Less(t, b.Lab(t, http.MethodPost, "/machines/"+worker+"/kill", nil).Status, 300)
	op = b.Begin(t, vnf, "heal", map[string]any{"vnfcInstanceId": worker, "cause": "it is dead"})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-worker")
	b.RequireCluster(t, 3, 2)
	b.RequireChanged(t, op, 1, 1)
	require.NotContains(t, b.Vnfcs(t, vnf), worker)

	for range 2 { // the second time it may replace a VM that the first heal has made
		controlPlane := b.VnfcOf(t, vnf, "masterNode")
		require.Less(t, b.Lab(t, http.MethodPost, "/machines/"+controlPlane+"/kill", nil).Status, 300)
		op = b.Heal(t, vnf, controlPlane)
		b.Await(t, op, quick, "COMPLETED")
		b.record(t, op, "heal-control-plane")
		b.RequireCluster(t, 3, 2)
		require.NotContains(t, b.Vnfcs(t, vnf), controlPlane)
	}

	before := b.Vnfcs(t, vnf)
	op = b.Begin(t, vnf, "heal", map[string]any{"cause": "everything"})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-all")
	b.RequireCluster(t, 3, 2)
	for id := range b.Vnfcs(t, vnf) {
		require.NotContains(t, before, id)
	}
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// healGoesForwardOnly fails after the old VM is gone and before the new one works. Such a heal has no rollback.
func healGoesForwardOnly(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "forward", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.ScriptFault(t, map[string]any{
		"script": "check-node", "times": 1, "exit_code": 78, "output": "windlass: swap is on.",
	})
	op = b.Begin(t, vnf, "heal", map[string]any{"vnfcInstanceId": b.VnfcOf(t, vnf, "workerNode")})
	b.Await(t, op, quick, "FAILED_TEMP")
	require.NotContains(t, b.Get(t, op)["_links"], "rollback")
	require.Contains(t, b.Get(t, op)["error"].(map[string]any)["detail"], "no rollback any more")
	a := b.Act(t, op, "rollback", nil)
	require.Equal(t, http.StatusConflict, a.Status)
	require.Contains(t, testbed.Problem(t, a), "forward only")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-retry")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// impossibleChanges checks that Windlass refuses them at once and changes nothing.
func impossibleChanges(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "impossible", nil)
	b.Await(t, op, quick, "COMPLETED")
	path := "/vnflcm/v1/vnf_instances/" + vnf
	var masters []string
	for id, vdu := range b.Vnfcs(t, vnf) {
		if vdu == "masterNode" {
			masters = append(masters, id)
		}
	}
	for _, c := range []struct {
		task   string
		body   map[string]any
		status int
		says   string
	}{
		{"scale", map[string]any{"type": "SCALE_OUT", "aspectId": "nothing"}, http.StatusBadRequest, "$.aspectId"},
		{
			"scale",
			map[string]any{"type": "SCALE_IN", "aspectId": "worker_instance", "numberOfSteps": 1},
			http.StatusBadRequest, "level 0",
		},
		{"scale_to_level", map[string]any{}, http.StatusBadRequest, "either instantiationLevelId or scaleInfo"},
		{"heal", map[string]any{"vnfcInstanceId": "nobody"}, http.StatusBadRequest, "nobody"},
		{"heal", map[string]any{"vnfcInstanceId": masters[:2]}, http.StatusConflict, "quorum"},
	} {
		a := b.Call(t, http.MethodPost, path+"/"+c.task, c.body)
		require.Equal(t, c.status, a.Status, "%s %v: %s", c.task, c.body, a.Body)
		require.Contains(t, strings.ToLower(testbed.Problem(t, a)), strings.ToLower(c.says))
	}
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
}
