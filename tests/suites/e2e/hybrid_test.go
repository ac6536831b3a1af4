package e2e

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	hybridPackage = "vnfpkg/samples/hybrid"
	hybridVnfdID  = "6a1e0b52-93c7-4d1f-b7a4-d0c95e3f8b16"
)

// TestHybrid runs the operations of a VNF that is on an OpenStack and on a Kubernetes at the same time.
func TestHybrid(t *testing.T) {
	cluster := kubetest.Start(t)
	b := newBed(t, "fake")
	b.Onboard(t, hybridPackage)
	h := hybrid{b, cluster, b.registerCluster(t, cluster, "default")}

	vnf := h.instantiate(t, nil)
	h.requireEachOnItsVim(t, vnf)
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
	h.scales(t, vnf)
	h.heals(t, vnf)
	h.operates(t, vnf)
	h.follows(t, vnf)
	h.reconnects(t, vnf)
	h.changesContainers(t, vnf)
	h.terminate(t, vnf)
	h.requireNothing(t)
	h.changesFlavour(t)
	h.byTemplatesAndManifests(t)
	h.rollsBack(t)
	h.isRefused(t)
}

// hybrid is a bed with a cluster that is registered as vim.
type hybrid struct {
	*bed
	cluster *kubetest.ControlPlane
	vim     string
}

// request returns the sample's request for these VIMs.
func (h hybrid) request(t *testing.T, params map[string]any) (request map[string]any) {
	t.Helper()
	request = h.RequestOf(t, "hybrid", h.Vim, h.vim)
	all := request["additionalParams"].(map[string]any)
	all["node_password"] = testbed.NodePassword
	maps.Copy(all, params)
	return request
}

func (h hybrid) instantiate(t *testing.T, params map[string]any) (vnf string) {
	t.Helper()
	vnf = h.CreateOf(t, hybridVnfdID, "hybrid")
	op := h.Begin(t, vnf, "instantiate", h.request(t, params))
	h.Await(t, op, quick, "COMPLETED")
	h.RequireChanged(t, op, 2, 0)
	h.requireVdus(t, vnf, map[string]int{"gateway": 1, "web": 1})
	return vnf
}

// requireEachOnItsVim checks that every resource names its VIM connection.
func (h hybrid) requireEachOnItsVim(t *testing.T, vnf string) {
	t.Helper()
	inst := h.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)
	require.Len(t, inst["vimConnectionInfo"], 2)
	for _, v := range inst["instantiatedVnfInfo"].(map[string]any)["vnfcResourceInfo"].([]any) {
		resource := v.(map[string]any)
		handle := resource["computeResource"].(map[string]any)
		want := map[string][]any{
			"gateway": {"openstack", "OS::Nova::Server"}, "web": {"kubernetes", "Deployment"},
		}[resource["vduId"].(string)]
		require.Equal(t, want, []any{handle["vimConnectionId"], handle["vimLevelResourceType"]})
	}
}

func (h hybrid) scales(t *testing.T, vnf string) {
	t.Helper()
	for aspect, want := range map[string]map[string]int{
		"gateways": {"gateway": 2, "web": 1}, "web_pods": {"gateway": 1, "web": 2},
	} {
		before := h.Vnfcs(t, vnf)
		op := h.Scale(t, vnf, "SCALE_OUT", aspect)
		h.Await(t, op, quick, "COMPLETED")
		h.RequireChanged(t, op, 1, 0)
		h.requireVdus(t, vnf, want)
		for id := range before {
			require.Contains(t, h.Vnfcs(t, vnf), id, "what was there stays")
		}
		h.requireEachOnItsVim(t, vnf)
		op = h.Scale(t, vnf, "SCALE_IN", aspect)
		h.Await(t, op, quick, "COMPLETED")
		h.RequireChanged(t, op, 0, 1)
	}
	h.requireVdus(t, vnf, map[string]int{"gateway": 1, "web": 1})
	op := h.ScaleToLevel(t, vnf, "large")
	h.KillWorker(t)
	h.Await(t, op, quick, "COMPLETED")
	h.requireVdus(t, vnf, map[string]int{"gateway": 2, "web": 3})
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
}

func (h hybrid) heals(t *testing.T, vnf string) {
	t.Helper()
	for _, vdus := range [][]string{{"gateway"}, {"web"}, {"gateway", "web"}} {
		before := h.Vnfcs(t, vnf)
		var leaving []string
		for _, vdu := range vdus {
			leaving = append(leaving, h.VnfcOf(t, vnf, vdu))
		}
		op := h.Heal(t, vnf, leaving...)
		h.Await(t, op, quick, "COMPLETED")
		h.RequireChanged(t, op, len(leaving), len(leaving))
		now := h.Vnfcs(t, vnf)
		for id := range before {
			gone := id == leaving[0] || id == leaving[len(leaving)-1]
			_, there := now[id]
			require.Equal(t, gone, !there, id)
		}
	}
	h.requireVdus(t, vnf, map[string]int{"gateway": 2, "web": 3})
	h.requireEachOnItsVim(t, vnf)
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
}

func (h hybrid) operates(t *testing.T, vnf string) {
	t.Helper()
	var pods, servers []string
	for id, vdu := range h.Vnfcs(t, vnf) {
		if vdu == "web" {
			pods = append(pods, id)
		} else {
			servers = append(servers, id)
		}
	}
	a := h.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/operate",
		map[string]any{"changeStateTo": "STOPPED", "vnfcInstanceId": pods[:1]})
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), "stops and starts all containers of a VNF together")

	// The test stops only the servers, and then the containers.
	h.Await(t, h.Operate(t, vnf, "STOPPED", servers...), quick, "COMPLETED")
	h.requireState(t, vnf, "STARTED")
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
	h.Await(t, h.Operate(t, vnf, "STOPPED", pods...), quick, "COMPLETED")
	h.requireState(t, vnf, "STOPPED")
	requireNoPods(t, h.cluster.Client)
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
	// The containers start, but the servers stay off.
	h.Await(t, h.Operate(t, vnf, "STARTED", pods...), quick, "COMPLETED")
	h.requireState(t, vnf, "STARTED")
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
	h.Await(t, h.Operate(t, vnf, "STARTED"), quick, "COMPLETED")
	h.Await(t, h.Operate(t, vnf, "STOPPED"), quick, "COMPLETED")
	h.requireState(t, vnf, "STOPPED")
	h.Await(t, h.Operate(t, vnf, "STARTED"), quick, "COMPLETED")
	h.requireState(t, vnf, "STARTED")
	h.requireVdus(t, vnf, map[string]int{"gateway": 2, "web": 3})
	require.Empty(t, h.CheckDrift(t, vnf).Findings)
}

// follows deletes a Pod, which the cluster replaces. This is no drift, and the servers stay recorded.
func (h hybrid) follows(t *testing.T, vnf string) {
	t.Helper()
	gone := h.VnfcOf(t, vnf, "web")
	require.NoError(t, h.cluster.Client.CoreV1().Pods("default").Delete(t.Context(), gone, metav1.DeleteOptions{}))
	h.CheckDriftUntil(t, vnf, func(r lcm.DriftReport) bool {
		_, there := h.Vnfcs(t, vnf)[gone]
		return len(r.Findings) == 0 && !there
	})
	h.requireVdus(t, vnf, map[string]int{"gateway": 2, "web": 3})
	h.requireEachOnItsVim(t, vnf)
}

// changesContainers changes the parameters of the VNF's containers. A change of the package does not change servers.
func (h hybrid) changesContainers(t *testing.T, vnf string) {
	t.Helper()
	server := h.VnfcOf(t, vnf, "gateway")
	v2 := secondForm{h.bed, "/vnflcm/v2/vnf_instances/" + vnf}
	v2.done(t, "change_vnfpkg", map[string]any{"vnfdId": hybridVnfdID, "additionalParams": map[string]any{
		"page": "another", "upgrade_type": "RollingUpdate", "vdu_params": []any{map[string]any{"vdu_id": "web"}},
	}})
	require.Equal(t, "another", pageOf(t, h.cluster, vnf))
	require.Contains(t, h.Vnfcs(t, vnf), server)
	h.requireVdus(t, vnf, map[string]int{"gateway": 2, "web": 3})
}

func (h hybrid) deployments(t *testing.T) []appsv1.Deployment {
	t.Helper()
	list, err := h.cluster.Client.AppsV1().Deployments("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	return list.Items
}

func (h hybrid) requireNothing(t *testing.T) {
	t.Helper()
	requireNoPods(t, h.cluster.Client)
	require.Empty(t, h.deployments(t))
	h.RequireNothingLeft(t)
}

// rollsBack instantiates one VNF whose containers fail, and one whose servers fail. A rollback or a clean-up leaves
// nothing on either VIM.
func (h hybrid) rollsBack(t *testing.T) {
	t.Helper()
	for vnfdID, c := range map[string]struct{ says, right, wrong string }{
		"0f5a8d61-5d0c-4b0e-9d0e-6d3a0c6f1a01": {"ImagePullBackOff", "lab.local/web", "broken.local/web"},
		"0f5a8d61-5d0c-4b0e-9d0e-6d3a0c6f1a02": {"no-such-image", "name: debian-12-k8s", "name: no-such-image"},
	} {
		dir := h.ChangedPackage(t, hybridPackage, strings.NewReplacer(hybridVnfdID, vnfdID, c.right, c.wrong))
		h.Onboard(t, dir)
		vnf := h.CreateOf(t, vnfdID, "broken")
		op := h.Begin(t, vnf, "instantiate", h.request(t, nil))
		failed := h.Await(t, op, quick, "FAILED_TEMP")
		require.Contains(t, failed["error"].(map[string]any)["detail"], c.says)
		require.Equal(t, http.StatusAccepted, h.Act(t, op, "rollback", nil).Status)
		h.Await(t, op, quick, "ROLLED_BACK")
		h.requireNothing(t)

		op = h.Begin(t, vnf, "instantiate", h.request(t, nil))
		h.Await(t, op, quick, "FAILED_TEMP")
		require.Equal(t, http.StatusOK, h.Act(t, op, "fail", nil).Status)
		// The VIM that refuses first may have ended the work on the other one before it began.
		if h.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil).Status == http.StatusConflict {
			h.cleanUp(t, vnf)
		}
		h.requireNothing(t)
	}
}

// isRefused sends a request that Windlass refuses before anything begins.
func (h hybrid) isRefused(t *testing.T) {
	t.Helper()
	vnf := h.CreateOf(t, hybridVnfdID, "refused")
	request := h.request(t, nil)
	request["vimConnectionInfo"] = request["vimConnectionInfo"].([]any)[:1]
	a := h.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate", request)
	require.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), "has no connection to a VIM of type kubernetes")
}
