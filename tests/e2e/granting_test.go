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
	b := newBed(t, "fake")
	t.Run("granted later, and chosen by the NFVO", func(t *testing.T) { grantedLater(t, b, n) })
	t.Run("refused", func(t *testing.T) { grantRefused(t, b, n) })
	t.Run("granted as it cannot be", func(t *testing.T) { grantUnhonoured(t, b, n) })
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
	require.Len(t, requests[0]["addResources"], 2)
	grant := b.Get(t, "/windlass/v1/vnf_lcm_op_occs/"+filepath.Base(op)+"/grant")
	require.Equal(t, b.Get(t, op)["grantId"], grant["id"])
	require.True(t, strings.HasPrefix(grant["_links"].(map[string]any)["self"].(map[string]any)["href"].(string), n.URL))

	n.Decide(nil)
	n.Away(3)
	servers := len(b.Vnfcs(t, vnf))
	b.Terminate(t, vnf)
	requests, _ = n.Requests()
	last := requests[len(requests)-1]
	require.Equal(t, "TERMINATE", last["operation"])
	require.Len(t, last["removeResources"], servers, "of each server there is a handle")
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
