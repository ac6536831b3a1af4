package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// vnfcs maps the ids of an instance's VNFCs to their VDUs.
func (b *bed) vnfcs(t *testing.T, vnf string) map[string]string {
	t.Helper()
	info, _ := b.get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	list, _ := info["vnfcResourceInfo"].([]any)
	out := map[string]string{}
	for _, v := range list {
		vnfc := v.(map[string]any)
		out[vnfc["id"].(string)] = vnfc["vduId"].(string)
	}
	return out
}

// vnfcOf is one VNFC of a VDU, the first by its id.
func (b *bed) vnfcOf(t *testing.T, vnf, vdu string) string {
	t.Helper()
	first := ""
	for id, of := range b.vnfcs(t, vnf) {
		if of == vdu && (first == "" || id < first) {
			first = id
		}
	}
	require.NotEmpty(t, first, vdu)
	return first
}

func (b *bed) scaleLevel(t *testing.T, vnf, aspect string) int {
	t.Helper()
	info := b.get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, s := range info["scaleStatus"].([]any) {
		if status := s.(map[string]any); status["aspectId"] == aspect {
			return int(status["scaleLevel"].(float64))
		}
	}
	return -1
}

func changed(opOcc map[string]any) (added, removed int) {
	for _, v := range affected(opOcc) {
		switch v.(map[string]any)["changeType"] {
		case "ADDED":
			added++
		case "REMOVED":
			removed++
		}
	}
	return added, removed
}

func (b *bed) requireChanged(t *testing.T, op string, added, removed int) {
	t.Helper()
	gotAdded, gotRemoved := changed(b.get(t, op))
	require.Equal(t, [2]int{added, removed}, [2]int{gotAdded, gotRemoved}, "VNFCs added and removed")
}

// scaling takes a cluster out and in again: workers, control planes, and both by levels.
func scaling(t *testing.T, b *bed) {
	vnf, op := b.instantiate(t, "scaling", nil)
	b.await(t, op, quick, "COMPLETED")
	before := b.vnfcs(t, vnf)

	op = b.begin(t, vnf, "scale", map[string]any{"type": "SCALE_OUT", "aspectId": "worker_instance", "numberOfSteps": 2})
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-out")
	b.requireCluster(t, 3, 4)
	b.requireChanged(t, op, 2, 0)
	require.Equal(t, 2, b.scaleLevel(t, vnf, "worker_instance"))

	leaving := b.vnfcOf(t, vnf, "workerNode")
	op = b.begin(t, vnf, "scale", map[string]any{
		"type": "SCALE_IN", "aspectId": "worker_instance", "numberOfSteps": "1", "additionalParams": map[string]any{"vnfc_instance_ids": []string{leaving}},
	})
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-in")
	b.requireCluster(t, 3, 3)
	b.requireChanged(t, op, 0, 1)
	require.NotContains(t, b.vnfcs(t, vnf), leaving, "exactly the one that was named")

	op = b.begin(t, vnf, "scale_to_level", map[string]any{"scaleInfo": []any{
		map[string]any{"aspectId": "master_instance", "scaleLevel": 1}, map[string]any{"aspectId": "worker_instance", "scaleLevel": 0},
	}})
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-to-level")
	b.requireCluster(t, 5, 2)
	b.requireChanged(t, op, 2, 1)

	op = b.begin(t, vnf, "scale_to_level", map[string]any{"instantiationLevelId": "instantiation_level_1"})
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-in-control-planes")
	b.requireCluster(t, 3, 2)
	for id := range before {
		if before[id] == "masterNode" {
			require.Contains(t, b.vnfcs(t, vnf), id, "the newest control planes have left")
		}
	}
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

// scaleOutRolledBack leaves the cluster as it was.
func scaleOutRolledBack(t *testing.T, b *bed) {
	vnf, op := b.instantiate(t, "unscaled", nil)
	b.await(t, op, quick, "COMPLETED")
	before := b.vnfcs(t, vnf)
	b.scriptFault(t, map[string]any{"script": "wait-for-nodes", "times": 1, "exit_code": 1, "output": "windlass: not Ready."})
	op = b.begin(t, vnf, "scale", map[string]any{"type": "SCALE_OUT", "aspectId": "master_instance"})
	b.await(t, op, quick, "FAILED_TEMP")
	b.requireChanged(t, op, 2, 0)
	require.Equal(t, http.StatusAccepted, b.act(t, op, "rollback", nil).Status)
	b.await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "scale-out-rollback")
	b.requireCluster(t, 3, 2)
	require.Equal(t, before, b.vnfcs(t, vnf))
	require.Equal(t, 0, b.scaleLevel(t, vnf, "master_instance"))
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

// scaleInRolledBack gives up before a VM is gone, when the control planes have left etcd: they are members again.
func scaleInRolledBack(t *testing.T, b *bed) {
	vnf, op := b.instantiate(t, "kept", nil)
	b.await(t, op, quick, "COMPLETED")
	op = b.begin(t, vnf, "scale", map[string]any{"type": "SCALE_OUT", "aspectId": "master_instance"})
	b.await(t, op, quick, "COMPLETED")
	before := b.vnfcs(t, vnf)

	b.scriptFault(t, map[string]any{"script": "remove-members", "times": 1, "exit_code": 1, "output": "windlass: etcd refused."})
	op = b.begin(t, vnf, "scale", map[string]any{"type": "SCALE_IN", "aspectId": "master_instance"})
	got := b.await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "etcd refused")
	require.Contains(t, b.get(t, op)["_links"], "rollback", "no VM is gone yet")

	b.pace(t, 0, 500*time.Millisecond)
	defer b.pace(t, 0, 0)
	require.Equal(t, http.StatusAccepted, b.act(t, op, "retry", nil).Status)
	b.runs(t, op, "Take the control planes out of the cluster")
	require.Equal(t, http.StatusAccepted, b.act(t, op, "cancel", map[string]any{"cancelMode": "GRACEFUL"}).Status)
	b.await(t, op, quick, "FAILED_TEMP")
	require.Len(t, b.clusters(t)[0].EtcdMembers, 3, "they have left")
	require.Equal(t, http.StatusAccepted, b.act(t, op, "rollback", nil).Status)
	b.await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "scale-in-rollback")
	require.Equal(t, before, b.vnfcs(t, vnf))
	b.requireMembers(t, 5, 2)
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

// requireMembers wants one cluster of that size; nodes may have joined again.
func (b *bed) requireMembers(t *testing.T, controlPlanes, workers int) {
	t.Helper()
	all := b.clusters(t)
	require.Len(t, all, 1)
	require.Empty(t, all[0].Violations)
	require.Len(t, all[0].Members, controlPlanes+workers)
	require.Len(t, all[0].EtcdMembers, controlPlanes)
	require.Zero(t, all[0].TokenCount)
}

// healing gives VNFCs new VMs: a worker that is dead, a control plane, and the entire VNF.
func healing(t *testing.T, b *bed) {
	vnf, op := b.instantiate(t, "healing", nil)
	b.await(t, op, quick, "COMPLETED")

	worker := b.vnfcOf(t, vnf, "workerNode")
	require.Less(t, b.lab(t, http.MethodPost, "/machines/"+worker+"/kill", nil).Status, 300)
	op = b.begin(t, vnf, "heal", map[string]any{"vnfcInstanceId": worker, "cause": "it is dead"})
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-worker")
	b.requireCluster(t, 3, 2)
	b.requireChanged(t, op, 1, 1)
	require.NotContains(t, b.vnfcs(t, vnf), worker)

	for range 2 { // the second time one that has come by healing may go
		controlPlane := b.vnfcOf(t, vnf, "masterNode")
		require.Less(t, b.lab(t, http.MethodPost, "/machines/"+controlPlane+"/kill", nil).Status, 300)
		op = b.begin(t, vnf, "heal", map[string]any{"vnfcInstanceId": []string{controlPlane}})
		b.await(t, op, quick, "COMPLETED")
		b.record(t, op, "heal-control-plane")
		b.requireCluster(t, 3, 2)
		require.NotContains(t, b.vnfcs(t, vnf), controlPlane)
	}

	before := b.vnfcs(t, vnf)
	op = b.begin(t, vnf, "heal", map[string]any{"cause": "everything"})
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-all")
	b.requireCluster(t, 3, 2)
	for id := range b.vnfcs(t, vnf) {
		require.NotContains(t, before, id)
	}
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

// healGoesForwardOnly fails when the old VM is gone and the new one cannot be made.
func healGoesForwardOnly(t *testing.T, b *bed) {
	vnf, op := b.instantiate(t, "forward", nil)
	b.await(t, op, quick, "COMPLETED")
	b.scriptFault(t, map[string]any{"script": "check-node", "times": 1, "exit_code": 78, "output": "windlass: swap is on."})
	op = b.begin(t, vnf, "heal", map[string]any{"vnfcInstanceId": b.vnfcOf(t, vnf, "workerNode")})
	b.await(t, op, quick, "FAILED_TEMP")
	require.NotContains(t, b.get(t, op)["_links"], "rollback")
	a := b.act(t, op, "rollback", nil)
	require.Equal(t, http.StatusConflict, a.Status)
	require.Contains(t, problem(t, a), "forward only")
	require.Equal(t, http.StatusAccepted, b.act(t, op, "retry", nil).Status)
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-retry")
	b.requireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

// impossibleChanges are refused at once, and nothing is touched.
func impossibleChanges(t *testing.T, b *bed) {
	vnf, op := b.instantiate(t, "impossible", nil)
	b.await(t, op, quick, "COMPLETED")
	path := "/vnflcm/v1/vnf_instances/" + vnf
	var masters []string
	for id, vdu := range b.vnfcs(t, vnf) {
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
		{"scale", map[string]any{"type": "SCALE_IN", "aspectId": "worker_instance", "numberOfSteps": 1}, http.StatusBadRequest, "level 0"},
		{"scale_to_level", map[string]any{}, http.StatusBadRequest, "either instantiationLevelId or scaleInfo"},
		{"heal", map[string]any{"vnfcInstanceId": "nobody"}, http.StatusBadRequest, "nobody"},
		{"heal", map[string]any{"vnfcInstanceId": masters[:2]}, http.StatusConflict, "quorum"},
	} {
		a := b.call(t, http.MethodPost, path+"/"+c.task, c.body)
		require.Equal(t, c.status, a.Status, "%s %v: %s", c.task, c.body, a.Body)
		require.Contains(t, strings.ToLower(problem(t, a)), strings.ToLower(c.says))
	}
	b.requireCluster(t, 3, 2)
	b.terminate(t, vnf)
}
