package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// TestGrantedByAnNFVO runs scenarios with one lab and one Windlass whose operations an NFVO grants.
func TestGrantedByAnNFVO(t *testing.T) {
	n := nfvotest.New(t)
	n.Authentication = "OAUTH2"
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(nfvotest.Secret+"\n"), 0o600))
	for name, value := range map[string]string{
		"ENDPOINT": n.URL, "CLIENT_ID": nfvotest.ClientID, "SECRET_FILE": secret, "TOKEN_ENDPOINT": n.URL + "/token",
		"GRANT_POLL": "100ms",
	} {
		t.Setenv("WINDLASS_NFVO_"+name, value)
	}
	b := newBed(t, "fake", "--image-alias", "tiny")
	t.Run("granted later, and chosen by the NFVO", func(t *testing.T) { grantedLater(t, b, n) })
	t.Run("refused", func(t *testing.T) { grantRefused(t, b, n) })
	t.Run("granted as it cannot be", func(t *testing.T) { grantUnhonoured(t, b, n) })
	t.Run("connected as the NFVO wants", func(t *testing.T) { grantReconnects(t, b, n) })
	t.Run("on networks of the VNF and of the NFVO", func(t *testing.T) { grantNetworks(t, b, n) })
	t.Run("on a VIM of the NFVO", func(t *testing.T) { grantBringsVim(t, b, n) })
}

// resourcesOf returns the definitions of one type in a list of a grant request.
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
		cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no virtual IP
	}))
}

// grantedLater: the NFVO delays the grant, and meanwhile the worker is killed. The NFVO does not answer at first when
// the VNF is terminated.
func grantedLater(t *testing.T, b *bed, n *nfvotest.NFVO) {
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{
			Looks: -1,
			Grant: map[string]any{"vimAssets": map[string]any{"computeResourceFlavours": []any{
				map[string]any{"vnfdVirtualComputeDescId": "workerNode", "vimFlavourId": "m1.large"},
			}}},
		}
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
	b.Await(t, b.Begin(t, vnf, "operate", map[string]any{
		"changeStateTo":  "STOPPED",
		"vnfcInstanceId": b.VnfcOf(t, vnf, "workerNode"),
	}), quick, "COMPLETED")
	updated := lastOf(n)["updateResources"].([]any)
	require.Len(t, updated, 1)
	require.Equal(t, b.VnfcOf(t, vnf, "workerNode"),
		updated[0].(map[string]any)["resource"].(map[string]any)["resourceId"])
	n.Away(3)
	servers := len(b.Vnfcs(t, vnf))
	b.Remove(t, vnf)
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
	b.Delete(t, vnf)
}

func grantUnhonoured(t *testing.T, b *bed, n *nfvotest.NFVO) {
	n.Decide(func(request map[string]any) nfvotest.Decision {
		var list []any
		for _, r := range request["addResources"].([]any) {
			list = append(list, map[string]any{"resourceDefinitionId": r.(map[string]any)["id"], "zoneId": "z"})
		}
		return nfvotest.Decision{Grant: map[string]any{
			"addResources": list,
			"zones":        []any{map[string]any{"id": "z", "zoneId": "west"}},
		}}
	})
	vnf, op := b.oneControlPlane(t, "unhonoured")
	got := b.Await(t, op, quick, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"],
		"the grant puts the servers of workerNode into the zone west, but the Base HOT has no parameter for a zone")
	b.RequireNothingLeft(t)
	b.Delete(t, vnf)
}

// refused begins operations that the NFVO does not grant. It checks that each is ROLLED_BACK, and that the VnfInstance
// does not change.
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

// grantReconnects: the grant connects the server with another network than the request.
func grantReconnects(t *testing.T, b *bed, n *nfvotest.NFVO) {
	n.Decide(nil)
	site := newReconnection(t, b, 2)
	vnf, asked, granted := site.vnf, site.networks[0], site.networks[1]
	b.refused(t, n, vnf, map[string]map[string]any{"change_ext_conn": testbed.LinksTo(asked)})

	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"extVirtualLinks": testbed.LinksTo(asked)["extVirtualLinks"]}}
	})
	op := b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo(asked))
	b.Await(t, op, quick, "COMPLETED")
	site.requireOn(t, asked, "link-"+asked)
	request := lastOf(n)
	require.Len(t, resourcesOf(request, "updateResources", "COMPUTE"), 1)
	require.Len(t, resourcesOf(request, "removeResources", "LINKPORT"), 1)
	require.Equal(t, "VDU1_CP1", resourcesOf(request, "addResources", "LINKPORT")[0]["resourceTemplateId"])

	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"extVirtualLinks": testbed.LinksTo(granted)["extVirtualLinks"]}}
	})
	op = b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo("net0"))
	got := b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, "link-"+granted, got["changedExtConnectivity"].([]any)[0].(map[string]any)["id"])
	site.requireOn(t, granted, "link-"+granted)

	other := testbed.LinksTo("net0")["extVirtualLinks"]
	other.([]any)[0].(map[string]any)["extCps"].([]any)[0].(map[string]any)["cpdId"] = "VDU1_CP2"
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"extVirtualLinks": other}}
	})
	op = b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo("net0"))
	got = b.Await(t, op, quick, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"], "did not ask for")
	site.requireOn(t, granted, "link-"+granted)
	n.Decide(nil)
	b.terminate(t, vnf)
	site.clear(t)
	b.RequireNothingLeft(t)
}

const (
	innerPackage = "tests/suites/e2e/testdata/inner"
	innerVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e31"
)

// heatParameter returns a parameter of a VNF's stack, as text.
func (b *bed) heatParameter(t *testing.T, vnf, name string) string {
	t.Helper()
	heat := testbed.Service(t, b.Cloud.Login(), openstack.NewOrchestrationV1)
	st, err := stacks.Find(t.Context(), heat, "vnf-"+vnf).Extract()
	require.NoError(t, err)
	return st.Parameters[name]
}

// grantNetworks: a VNF that makes its networks requests grants for them when it is instantiated, scaled and terminated.
// It does not make a network that the NFVO provides.
func grantNetworks(t *testing.T, b *bed, n *nfvotest.NFVO) {
	n.Decide(nil)
	b.Onboard(t, innerPackage)
	neutron := testbed.Service(t, b.Cloud.Login(), openstack.NewNetworkV2)
	begin := func() (vnf, op string) {
		vnf = b.CreateOf(t, innerVnfdID, "inner")
		return vnf, b.Begin(t, vnf, "instantiate", map[string]any{
			"flavourId": "simple", "vimConnectionInfo": b.OnOpenStack(),
		})
	}
	links := func(vnf string) map[string][]string { // the networks of each virtual link
		info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
		out := map[string][]string{}
		list, _ := info["virtualLinkResourceInfo"].([]any)
		for _, l := range list {
			id := l.(map[string]any)["vnfVirtualLinkDescId"].(string)
			network := l.(map[string]any)["networkResource"].(map[string]any)["resourceId"].(string)
			require.NoError(t, networks.Get(t.Context(), neutron, network).Err, "what is recorded is there")
			out[id] = append(out[id], network)
		}
		return out
	}
	vnf, op := begin()
	got := b.Await(t, op, quick, "COMPLETED")
	require.Len(t, resourcesOf(lastOf(n), "addResources", "VL"), 2)
	require.Len(t, got["resourceChanges"].(map[string]any)["affectedVirtualLinks"], 2)
	rate := func() string { return b.heatParameter(t, vnf, "nfv") }
	require.Contains(t, rate(), `"kbps":500`)
	made := links(vnf)
	require.Len(t, made["inner"], 1)
	require.Len(t, made["private"], 1)

	op = b.Scale(t, vnf, "SCALE_OUT", "servers")
	got = b.Await(t, op, quick, "COMPLETED")
	asked := resourcesOf(lastOf(n), "addResources", "VL")
	require.Len(t, asked, 1)
	require.Equal(t, "private", asked[0]["resourceTemplateId"])
	changed := map[string]string{}
	for _, l := range got["resourceChanges"].(map[string]any)["affectedVirtualLinks"].([]any) {
		link := l.(map[string]any)
		changed[link["virtualLinkDescId"].(string)] = link["changeType"].(string)
	}
	require.Equal(t, map[string]string{"private": "ADDED", "inner": "LINK_PORT_ADDED"}, changed)
	grown := links(vnf)
	require.Equal(t, made["inner"], grown["inner"])
	require.Len(t, grown["private"], 2)
	require.Contains(t, rate(), `"kbps":600`, "the step has widened the link, too")

	op = b.Scale(t, vnf, "SCALE_OUT", "bandwidth", 3)
	b.Await(t, op, quick, "COMPLETED")
	require.Contains(t, rate(), `"kbps":603`)
	updated := resourcesOf(lastOf(n), "updateResources", "VL")
	require.Len(t, updated, 1)
	require.Equal(t, made["inner"][0], updated[0]["resource"].(map[string]any)["resourceId"])
	require.Equal(t, grown, links(vnf))

	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "servers"), quick, "COMPLETED")
	removed := resourcesOf(lastOf(n), "removeResources", "VL")
	require.Len(t, removed, 1)
	left := removed[0]["resource"].(map[string]any)["resourceId"]
	require.Contains(t, grown["private"], left)
	require.NotContains(t, links(vnf)["private"], left, "exactly that one has gone")

	b.terminate(t, vnf)
	var gone []any
	for _, r := range resourcesOf(lastOf(n), "removeResources", "VL") {
		gone = append(gone, r["resource"].(map[string]any)["resourceId"])
	}
	require.Len(t, gone, 2)
	require.Contains(t, gone, made["inner"][0])
	b.RequireNothingLeft(t)

	network := b.AddNetwork(t, "of-the-nfvo")
	managed := func(link string) {
		n.Decide(func(map[string]any) nfvotest.Decision {
			return nfvotest.Decision{Grant: map[string]any{"extManagedVirtualLinks": []any{
				map[string]any{"id": "m", "vnfVirtualLinkDescId": link, "resourceId": network.ID, "vimConnectionId": "openstack"},
			}}}
		})
	}
	managed("nothing")
	vnf, op = begin()
	got = b.Await(t, op, quick, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"], `no internal virtual link "nothing"`)
	b.Delete(t, vnf)

	managed("inner")
	vnf, op = begin()
	b.Await(t, op, quick, "COMPLETED")
	require.NotContains(t, links(vnf), "inner", "it is not the VNF's")
	info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	shown := info["extManagedVirtualLinkInfo"].([]any)[0].(map[string]any)
	require.Equal(t, network.ID, shown["networkResource"].(map[string]any)["resourceId"])
	pages, err := ports.List(neutron, ports.ListOpts{
		NetworkID: network.ID,
		DeviceID:  b.VnfcOf(t, vnf, "VDU1"),
	}).AllPages(t.Context())
	require.NoError(t, err)
	list, err := ports.ExtractPorts(pages)
	require.NoError(t, err)
	require.Len(t, list, 1, "the server is on the NFVO's network")

	n.Decide(nil)
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "servers"), quick, "COMPLETED")
	require.NotContains(t, links(vnf), "inner", "and so is the next one")
	b.terminate(t, vnf)
	require.Len(t, resourcesOf(lastOf(n), "removeResources", "VL"), 2, "what the NFVO manages stays")
	require.NoError(t, networks.Get(t.Context(), neutron, network.ID).Err)
	network.Remove(t)
	b.RequireNothingLeft(t)
}
