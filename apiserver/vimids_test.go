package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// notRegistered is the id of a VIM in no registry, as Tacker's clients of SOL003 v3.3.1 send it.
const notRegistered = "5a3fcb0e-6a53-4d1f-9f4b-1d3a7c1c9e55"

// besideVimID returns a complete connection that also has a vimId.
func besideVimID(vimID string) map[string]any {
	own := ownVim()
	own["id"], own["vimId"] = "own", vimID
	return own
}

func TestInstantiate_aVimIDBesideCompleteInfoIsNotLookedFor(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		for name, registered := range map[string]bool{"registered": true, "not registered": false} {
			t.Run(root+" "+name, func(t *testing.T) {
				b := newBench(t)
				vimID := notRegistered
				if registered {
					vimID = b.registerVim("lab", false)
				}
				_, vnfdID := b.onboard()
				instance, request := b.create(root, vnfdID), clusterRequest("")
				if request["vimConnectionInfo"] = []any{besideVimID(vimID)}; root == "/vnflcm/v2" {
					request = asV2(t, request)
				}
				a := b.do("POST", instance+"/instantiate", request)
				a.want(http.StatusAccepted)
				kept := b.instance(instance).VimConnections
				require.Len(t, kept, 1)
				require.Equal(t, []any{lcm.VimID(vimID), lcm.VimID(""), "nfv"},
					[]any{kept[0].VimID, kept[0].Registered(), kept[0].AccessInfo["username"]})
				require.NotContains(t, string(b.operation(a.path()).Params), marker)
				shown := shownConnections(t, b.do("GET", instance, nil).want(http.StatusOK))["own"].(map[string]any)
				require.Equal(t, []any{vimID, "***"}, []any{shown["vimId"], shown["accessInfo"].(map[string]any)["password"]})
				if registered {
					b.do("DELETE", "/v1.0/vims/"+vimID, nil).want(http.StatusNoContent)
				}
			})
		}
	}
}

func TestInstantiate_takesTheSecondKeystonesNames(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	instance, request := b.create("/vnflcm/v1", vnfdID), clusterRequest("")
	own := besideVimID("not even an id")
	own["vimType"] = "ETSINFV.OPENSTACK_KEYSTONE.V_2"
	own["accessInfo"] = map[string]any{"username": "nfv", "password": marker, "region": "north", "tenant": "edge"}
	request["vimConnectionInfo"] = []any{own}
	b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
}

func TestInstantiate_saysWhatAnIncompleteConnectionToAnUnknownVimLacks(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	instance, request := b.create("/vnflcm/v1", vnfdID), clusterRequest("")
	own := besideVimID(notRegistered)
	delete(own["accessInfo"].(map[string]any), "password")
	request["vimConnectionInfo"] = []any{own, map[string]any{"id": "bare", "vimId": notRegistered}}
	a := b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusUnprocessableEntity)
	require.Contains(t, string(a.Body), "interfaceInfo and accessInfo are not complete")
	require.ElementsMatch(t, []string{
		"$.vimConnectionInfo[0].vimId", "$.vimConnectionInfo[0].accessInfo.password",
		"$.vimConnectionInfo[1].vimId",
	}, a.paths())
	require.Empty(t, sealed(b))
}

// TestInstantiate_anEndpointAloneGetsNoSecretsOfTheRegistry checks that the registry's secrets are used for the
// registered endpoint only. A request with another endpoint must contain secrets, too.
func TestInstantiate_anEndpointAloneGetsNoSecretsOfTheRegistry(t *testing.T) {
	b := newBench(t)
	vimID := b.registerVim("lab", false)
	_, vnfdID := b.onboard()
	instance, request := b.create("/vnflcm/v1", vnfdID), clusterRequest("")
	own := besideVimID(vimID)
	own["interfaceInfo"], own["vimType"] = map[string]any{"endpoint": "https://elsewhere.example.com/v3"}, "openstack"
	delete(own, "accessInfo")
	request["vimConnectionInfo"] = []any{own}
	a := b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.vimConnectionInfo[0].interfaceInfo.endpoint"}, a.paths())
}

func TestModify_takesAVimIDBesideCompleteInfo(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			_, vnfdID := b.onboard()
			instance := b.create(root, vnfdID)
			own := besideVimID(notRegistered)
			var connections any = []any{own}
			if root == "/vnflcm/v2" {
				delete(own, "id")
				connections = map[string]any{"own": own}
			}
			b.do("PATCH", instance, map[string]any{"vimConnectionInfo": connections}, asMergePatch).want(http.StatusAccepted)
		})
	}
}

func TestChangeExtConn_takesAVimIDBesideCompleteInfo(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			instance := b.plainServer(root)
			own := besideVimID(notRegistered)
			var connections any = []any{own}
			if root == "/vnflcm/v2" {
				delete(own, "id")
				connections = map[string]any{"own": own}
			}
			a := b.do("POST", instance+"/change_ext_conn", map[string]any{
				"extVirtualLinks": []any{map[string]any{
					"id": "b", "resourceId": "net-b", "extCps": []any{map[string]any{"cpdId": "VDU1_CP1"}},
				}},
				"vimConnectionInfo": connections,
			})
			a.want(http.StatusAccepted)
			require.NotContains(t, string(b.operation(a.path()).Params), marker)
		})
	}
}
