package vnflcm_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
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
				b := servertest.New(t)
				vimID := notRegistered
				if registered {
					vimID = b.RegisterVim("lab", false)
				}
				_, vnfdID := b.Onboard()
				instance, request := b.Create(root, vnfdID), servertest.ClusterRequest("")
				if request["vimConnectionInfo"] = []any{besideVimID(vimID)}; root == "/vnflcm/v2" {
					request = servertest.AsV2(t, request)
				}
				a := b.Do("POST", instance+"/instantiate", request)
				a.Want(http.StatusAccepted)
				kept := b.Instance(instance).VimConnections
				require.Len(t, kept, 1)
				require.Equal(t, []any{lcm.VimID(vimID), lcm.VimID(""), "nfv"},
					[]any{kept[0].VimID, kept[0].Registered(), kept[0].AccessInfo["username"]})
				require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker)
				shown := shownConnections(t, b.Do("GET", instance, nil).Want(http.StatusOK))["own"].(map[string]any)
				require.Equal(t, []any{vimID, "***"}, []any{shown["vimId"], shown["accessInfo"].(map[string]any)["password"]})
				if registered {
					b.Do("DELETE", "/v1.0/vims/"+vimID, nil).Want(http.StatusNoContent)
				}
			})
		}
	}
}

func TestInstantiate_takesTheSecondKeystonesNames(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	instance, request := b.Create("/vnflcm/v1", vnfdID), servertest.ClusterRequest("")
	own := besideVimID("not even an id")
	own["vimType"] = "ETSINFV.OPENSTACK_KEYSTONE.V_2"
	own["accessInfo"] = map[string]any{
		"username": "nfv",
		"password": servertest.Marker,
		"region":   "north",
		"tenant":   "edge",
	}
	request["vimConnectionInfo"] = []any{own}
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
}

func TestInstantiate_saysWhatAnIncompleteConnectionToAnUnknownVimLacks(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	instance, request := b.Create("/vnflcm/v1", vnfdID), servertest.ClusterRequest("")
	own := besideVimID(notRegistered)
	delete(own["accessInfo"].(map[string]any), "password")
	request["vimConnectionInfo"] = []any{own, map[string]any{"id": "bare", "vimId": notRegistered}}
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusUnprocessableEntity)
	require.Contains(t, string(a.Body), "interfaceInfo and accessInfo are not complete")
	require.ElementsMatch(t, []string{
		"$.vimConnectionInfo[0].vimId", "$.vimConnectionInfo[0].accessInfo.password",
		"$.vimConnectionInfo[1].vimId",
	}, a.Paths())
	require.Empty(t, b.Sealed())
}

// TestInstantiate_anEndpointAloneGetsNoSecretsOfTheRegistry checks that the registry's secrets are used for the
// registered endpoint only. A request with another endpoint must contain secrets, too.
func TestInstantiate_anEndpointAloneGetsNoSecretsOfTheRegistry(t *testing.T) {
	b := servertest.New(t)
	vimID := b.RegisterVim("lab", false)
	_, vnfdID := b.Onboard()
	instance, request := b.Create("/vnflcm/v1", vnfdID), servertest.ClusterRequest("")
	own := besideVimID(vimID)
	own["interfaceInfo"], own["vimType"] = map[string]any{"endpoint": "https://elsewhere.example.com/v3"}, "openstack"
	delete(own, "accessInfo")
	request["vimConnectionInfo"] = []any{own}
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.vimConnectionInfo[0].interfaceInfo.endpoint"}, a.Paths())
}

func TestModify_takesAVimIDBesideCompleteInfo(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			_, vnfdID := b.Onboard()
			instance := b.Create(root, vnfdID)
			own := besideVimID(notRegistered)
			var connections any = []any{own}
			if root == "/vnflcm/v2" {
				delete(own, "id")
				connections = map[string]any{"own": own}
			}
			b.Do("PATCH", instance, map[string]any{"vimConnectionInfo": connections}, servertest.AsMergePatch).
				Want(http.StatusAccepted)
		})
	}
}

func TestChangeExtConn_takesAVimIDBesideCompleteInfo(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			instance := b.PlainServer(root)
			own := besideVimID(notRegistered)
			var connections any = []any{own}
			if root == "/vnflcm/v2" {
				delete(own, "id")
				connections = map[string]any{"own": own}
			}
			a := b.Do("POST", instance+"/change_ext_conn", map[string]any{
				"extVirtualLinks": []any{map[string]any{
					"id": "b", "resourceId": "net-b", "extCps": []any{map[string]any{"cpdId": "VDU1_CP1"}},
				}},
				"vimConnectionInfo": connections,
			})
			a.Want(http.StatusAccepted)
			require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker)
		})
	}
}
