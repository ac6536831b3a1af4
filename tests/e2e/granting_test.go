package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
)

// TestGrantedByAnNFVO is one lab and one Windlass whose operations an NFVO grants.
func TestGrantedByAnNFVO(t *testing.T) {
	n := nfvotest.New(t)
	n.Authentication = "OAUTH2"
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(nfvotest.Secret+"\n"), 0o600))
	for name, value := range map[string]string{
		"ENDPOINT": n.URL, "CLIENT_ID": nfvotest.ClientID, "SECRET_FILE": secret, "TOKEN_ENDPOINT": n.URL + "/token", "GRANT_POLL": "100ms",
	} {
		t.Setenv("WINDLASS_NFVO_"+name, value)
	}
	b := newBed(t, "fake", "--image-alias", "tiny")
	t.Run("granted later, and chosen by the NFVO", func(t *testing.T) { grantedLater(t, b, n) })
	t.Run("refused", func(t *testing.T) { grantRefused(t, b, n) })
	t.Run("granted as it cannot be", func(t *testing.T) { grantUnhonoured(t, b, n) })
	t.Run("connected as the NFVO wants", func(t *testing.T) { grantReconnects(t, b, n) })
}

// resourcesOf are the definitions of one type in a list of a request for a grant.
func resourcesOf(request map[string]any, list, kind string) (out []map[string]any) {
	all, _ := request[list].([]any)
	for _, r := range all {
		if r := r.(map[string]any); r["type"] == kind {
			out = append(out, r)
		}
	}
	return out
}

func lastOf(n *nfvotest.NFVO) map[string]any {
	requests, _ := n.Requests()
	return requests[len(requests)-1]
}

// oneControlPlane begins the instantiation of the sample's small flavour.
func (b *bed) oneControlPlane(t *testing.T, name string) (vnf, op string) {
	t.Helper()
	vnf = b.Create(t, name)
	return vnf, b.Begin(t, vnf, "instantiate", b.InstantiateRequest(t, name, func(req, cluster map[string]any) {
		req["flavourId"] = "simple"
		cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no VIP
	}))
}

// The NFVO takes its time, during which the worker is killed; it is away when the VNF is terminated.
func grantedLater(t *testing.T, b *bed, n *nfvotest.NFVO) {
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Looks: -1, Grant: map[string]any{"vimAssets": map[string]any{"computeResourceFlavours": []any{
			map[string]any{"vnfdVirtualComputeDescId": "workerNode", "vimFlavourId": "m1.large"},
		}}}}
	})
	vnf, op := b.oneControlPlane(t, "granted")
	require.Eventually(t, func() bool { return n.Looks() > 0 }, quick, 20*time.Millisecond, "nobody asks for the grant")
	b.KillWorker(t)
	before := n.Looks()
	require.Eventually(t, func() bool { return n.Looks() > before }, quick, 20*time.Millisecond, "nobody goes on asking")
	require.Equal(t, "STARTING", b.Get(t, op)["operationState"])
	n.Conclude()
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 1, 1)

	requests, _ := n.Requests()
	require.Equal(t, "INSTANTIATE", requests[0]["operation"])
	require.Len(t, resourcesOf(requests[0], "addResources", "COMPUTE"), 2)
	require.Len(t, resourcesOf(requests[0], "addResources", "LINKPORT"), 2)
	grant := b.Get(t, "/windlass/v1/vnf_lcm_op_occs/"+filepath.Base(op)+"/grant")
	require.Equal(t, b.Get(t, op)["grantId"], grant["id"])
	require.True(t, strings.HasPrefix(grant["_links"].(map[string]any)["self"].(map[string]any)["href"].(string), n.URL))

	b.refused(t, n, vnf, map[string]map[string]any{
		"scale":          {"type": "SCALE_OUT", "aspectId": "worker_instance"},
		"scale_to_level": {"scaleInfo": []any{map[string]any{"aspectId": "worker_instance", "scaleLevel": 1}}},
		"heal":           {"vnfcInstanceId": []string{b.VnfcOf(t, vnf, "workerNode")}},
		"operate":        {"changeStateTo": "STOPPED"},
		"terminate":      {"terminationType": "FORCEFUL"},
	})
	b.RequireCluster(t, 1, 1)

	n.Decide(nil)
	b.Await(t, b.Begin(t, vnf, "operate", map[string]any{"changeStateTo": "STOPPED", "vnfcInstanceId": b.VnfcOf(t, vnf, "workerNode")}), quick, "COMPLETED")
	updated := lastOf(n)["updateResources"].([]any)
	require.Len(t, updated, 1)
	require.Equal(t, b.VnfcOf(t, vnf, "workerNode"), updated[0].(map[string]any)["resource"].(map[string]any)["resourceId"])
	n.Away(3)
	servers := len(b.Vnfcs(t, vnf))
	b.Terminate(t, vnf)
	last := lastOf(n)
	require.Equal(t, "TERMINATE", last["operation"])
	require.Len(t, resourcesOf(last, "removeResources", "COMPUTE"), servers, "of each server there is a handle")
	require.Len(t, resourcesOf(last, "removeResources", "LINKPORT"), servers, "and of its port")
	for _, r := range last["removeResources"].([]any) {
		require.NotEmpty(t, r.(map[string]any)["resource"].(map[string]any)["resourceId"])
	}
	b.RequireNothingLeft(t)
}

func grantRefused(t *testing.T, b *bed, n *nfvotest.NFVO) {
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Looks: 2, Status: http.StatusForbidden, Detail: "The site is full."}
	})
	vnf, op := b.oneControlPlane(t, "refused")
	got := b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, "The NFVO refuses the grant: The site is full.", got["error"].(map[string]any)["detail"])
	b.RequireNothingLeft(t)
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil).Status)
}

func grantUnhonoured(t *testing.T, b *bed, n *nfvotest.NFVO) {
	n.Decide(func(request map[string]any) nfvotest.Decision {
		var list []any
		for _, r := range request["addResources"].([]any) {
			list = append(list, map[string]any{"resourceDefinitionId": r.(map[string]any)["id"], "zoneId": "z"})
		}
		return nfvotest.Decision{Grant: map[string]any{"addResources": list, "zones": []any{map[string]any{"id": "z", "zoneId": "west"}}}}
	})
	vnf, op := b.oneControlPlane(t, "unhonoured")
	got := b.Await(t, op, quick, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"], "the servers of workerNode are granted in the zone west, but the Base HOT takes none")
	b.RequireNothingLeft(t)
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil).Status)
}

// refused begins operations that the NFVO does not grant: each is ROLLED_BACK, and nothing has changed.
func (b *bed) refused(t *testing.T, n *nfvotest.NFVO, vnf string, requests map[string]map[string]any) {
	t.Helper()
	before := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"]
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Status: http.StatusForbidden, Detail: "Not today."}
	})
	defer n.Decide(nil)
	for task, request := range requests {
		op := b.Begin(t, vnf, task, request)
		got := b.Await(t, op, quick, "ROLLED_BACK")
		require.Equal(t, "The NFVO refuses the grant: Not today.", got["error"].(map[string]any)["detail"], task)
		require.NotContains(t, got, "grantId", task)
		require.Equal(t, before, b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"], task)
	}
}

// The NFVO has the server on another network than the request.
func grantReconnects(t *testing.T, b *bed, n *nfvotest.NFVO) {
	n.Decide(nil)
	site := newReconnection(t, b, "127.81.9.0/24", "127.81.10.0/24")
	vnf, asked, granted := site.vnf, site.networks[0], site.networks[1]
	b.refused(t, n, vnf, map[string]map[string]any{"change_ext_conn": linksTo(asked)})

	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"extVirtualLinks": linksTo(asked)["extVirtualLinks"]}}
	})
	op := b.Begin(t, vnf, "change_ext_conn", linksTo(asked))
	b.Await(t, op, quick, "COMPLETED")
	site.requireOn(t, asked, "link-"+asked)
	request := lastOf(n)
	require.Len(t, resourcesOf(request, "updateResources", "COMPUTE"), 1)
	require.Len(t, resourcesOf(request, "removeResources", "LINKPORT"), 1)
	require.Equal(t, "VDU1_CP1", resourcesOf(request, "addResources", "LINKPORT")[0]["resourceTemplateId"])

	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"extVirtualLinks": linksTo(granted)["extVirtualLinks"]}}
	})
	op = b.Begin(t, vnf, "change_ext_conn", linksTo("net0"))
	got := b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, "link-"+granted, got["changedExtConnectivity"].([]any)[0].(map[string]any)["id"])
	site.requireOn(t, granted, "link-"+granted)

	other := linksTo("net0")["extVirtualLinks"]
	other.([]any)[0].(map[string]any)["extCps"].([]any)[0].(map[string]any)["cpdId"] = "VDU1_CP2"
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"extVirtualLinks": other}}
	})
	op = b.Begin(t, vnf, "change_ext_conn", linksTo("net0"))
	got = b.Await(t, op, quick, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"], "was not asked for")
	site.requireOn(t, granted, "link-"+granted)
	n.Decide(nil)
	b.terminate(t, vnf)
	site.clear(t)
	b.RequireNothingLeft(t)
}
