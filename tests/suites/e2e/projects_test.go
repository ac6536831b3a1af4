package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// nextVnfdID is the VNFD id of another package of the same VNF.
const nextVnfdID = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e99"

// TestInAProject runs every lifecycle operation in a project that is not the default one. The project default contains
// traps: objects with the same names, which no operation may use.
func TestInAProject(t *testing.T) {
	n := nfvotest.New(t)
	t.Setenv("WINDLASS_NFVO_ENDPOINT", n.URL)
	t.Setenv("WINDLASS_NFVO_GRANT_POLL", "100ms")
	w := newTenants(t)
	next := w.ChangedPackage(t, testbed.ServerPackage, strings.NewReplacer(testbed.ServerVnfdID, nextVnfdID))
	w.Onboard(t, next)
	// The project edge has its own VIM "cloud", and its cluster will be registered as "cluster-ours".
	w.setTraps(t, []string{"cloud", "cluster-ours"}, "vnfpkg/samples/k8s-ha", testbed.ServerPackage)
	w.become(t, "default")
	w.Onboard(t, w.ChangedPackage(t, next, asTrap))
	w.become(t, "edge")

	t.Run("a cluster's life", func(t *testing.T) { lifeInAProject(t, w) })
	t.Run("change external connectivity", func(t *testing.T) { reconnectInAProject(t, w) }) // it on-boards the package
	t.Run("modify", func(t *testing.T) { modifyInAProject(t, w) })
	t.Run("a grant without a VIM", func(t *testing.T) { grantInAProject(t, w, n) })
	w.RequireNothingLeft(t)
	w.requireUntouched(t, 2)
}

// lifeInAProject instantiates, plans, scales, heals, operates, modifies, checks and terminates a cluster. The request
// names no VIM.
func lifeInAProject(t *testing.T, w *tenants) {
	sub := newSubscriber(t)
	w.subscribe(t, "/vnflcm/v1", sub)
	vnf, op := w.Instantiate(t, "ours", func(req, _ map[string]any) { delete(req, "vimConnectionInfo") })
	w.Await(t, op, quick, "COMPLETED")
	w.RequireCluster(t, 3, 2)
	inst := w.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)
	require.Equal(t, "Kubernetes cluster", inst["vnfProductName"])
	var vims []string
	for _, c := range inst["vimConnectionInfo"].([]any) {
		vims = append(vims, c.(map[string]any)["vimId"].(string))
	}
	require.ElementsMatch(t, []string{w.vimOf(t, "edge", "cloud"), w.vimOf(t, "edge", "cluster-ours")}, vims)

	plan := w.Call(t, http.MethodPost, "/windlass/v1/vnf_instances/"+vnf+"/plan", map[string]any{
		"operation": "SCALE", "request": map[string]any{"type": "SCALE_OUT", "aspectId": "worker_instance"},
	})
	require.Equal(t, http.StatusOK, plan.Status, "%s", plan.Body)
	w.Await(t, w.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	w.RequireCluster(t, 3, 3)
	w.Await(t, w.ScaleToLevel(t, vnf, "instantiation_level_1"), quick,
		"COMPLETED")
	w.RequireCluster(t, 3, 2)
	w.Await(t, w.Heal(t, vnf, w.VnfcOf(t, vnf, "masterNode")), quick, "COMPLETED")
	w.RequireCluster(t, 3, 2)
	for _, state := range []string{"STOPPED", "STARTED"} {
		w.Await(t, w.Operate(t, vnf, state), quick, "COMPLETED")
	}
	w.Await(t, w.Modify(t, vnf, map[string]any{"vnfInstanceName": "still ours"}), quick, "COMPLETED")

	w.CheckDriftUntil(t, vnf, sound)
	w.setPolicy(t, vnf, map[string]any{"check": true, "interval": 10, "autoHeal": true, "agreeingChecks": 1})
	worker := w.VnfcOf(t, vnf, "workerNode")
	require.Less(t, w.Lab(t, http.MethodPost, "/machines/"+worker+"/kill", nil).Status, 300)
	w.notify(t, vnf, worker)
	report := w.AwaitReport(t, vnf, func(r lcm.DriftReport) bool { return r.Decision.Action == lcm.DriftHeals })
	w.Await(t, "/vnflcm/v1/vnf_lcm_op_occs/"+string(report.Decision.OpOccID), quick, "COMPLETED")
	w.RequireCluster(t, 3, 2)

	w.terminate(t, vnf)
	require.Empty(t, w.Get(t, "/v1.0/vims?name=cluster-ours")["vims"])
	require.Eventually(t, func() bool {
		told, _ := sub.told()
		return slices.Contains(told, "RESULT HEAL COMPLETED") && slices.Contains(told, "RESULT TERMINATE COMPLETED")
	}, quick, 20*time.Millisecond)
}

// modifyInAProject changes the package of an instance by the VNFD id. The project default has the same id. Then it
// checks that the VIM of default is refused.
func modifyInAProject(t *testing.T, w *tenants) {
	vnf := w.CreateOf(t, testbed.ServerVnfdID, "modified")
	w.Await(t, w.Modify(t, vnf, map[string]any{"vnfdId": nextVnfdID}), quick, "COMPLETED")
	inst := w.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)
	require.Equal(t, []any{nextVnfdID, "Server"}, []any{inst["vnfdId"], inst["vnfProductName"]})

	request := testbed.LinksTo("net0")
	request["flavourId"] = "simple"
	w.Await(t, w.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	trapped := w.vimOf(t, "default", "cloud")
	a := w.Call(t, http.MethodPatch, "/vnflcm/v1/vnf_instances/"+vnf, map[string]any{"vimConnectionInfo": []any{
		map[string]any{"id": "another", "vimId": trapped, "vimType": "openstack"},
	}})
	require.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s", a.Body)
	w.terminate(t, vnf)
}

// reconnectInAProject moves a server to another network. Then it checks that a request with the VIM of default is
// refused.
func reconnectInAProject(t *testing.T, w *tenants) {
	r := newReconnection(t, w.bed, 1)
	op := w.Begin(t, r.vnf, "change_ext_conn", testbed.LinksTo(r.networks[0]))
	w.Await(t, op, quick, "COMPLETED")
	r.requireOn(t, r.networks[0], "link-"+r.networks[0])
	request := testbed.LinksTo("net0")
	request["vimConnectionInfo"] = []any{map[string]any{
		"id": "openstack", "vimId": w.vimOf(t, "default", "cloud"), "vimType": "openstack",
	}}
	a := w.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+r.vnf+"/change_ext_conn", request)
	require.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s", a.Body)
	w.terminate(t, r.vnf)
	r.clear(t)
}

// grantInAProject gets grants that must not lead to a VIM of default: a grant without a VIM, while only default has a
// default VIM, and a grant with the id of default's VIM.
func grantInAProject(t *testing.T, w *tenants, n *nfvotest.NFVO) {
	w.setDefault(t, false)
	defer w.setDefault(t, true)
	trapped := w.vimOf(t, "default", "cloud")
	for detail, grant := range map[string]map[string]any{
		"no VIM is registered as the default one": nil,
		"is not a registered VIM": {
			"vimConnections": []any{map[string]any{"id": "theirs", "vimId": trapped, "vimType": "openstack"}},
		},
	} {
		n.Decide(func(map[string]any) nfvotest.Decision { return nfvotest.Decision{Grant: grant} })
		vnf := w.CreateOf(t, testbed.ServerVnfdID, "granted")
		request := testbed.LinksTo("net0")
		request["flavourId"] = "simple"
		got := w.Await(t, w.Begin(t, vnf, "instantiate", request), quick, "ROLLED_BACK")
		require.Contains(t, strings.ReplaceAll(got["error"].(map[string]any)["detail"].(string), "\n", " "), detail)
		w.Delete(t, vnf)
	}
	n.Decide(nil)
}
