package vnflcm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ownVim returns a connection with its own endpoint and credentials, without an id.
func ownVim() map[string]any {
	return map[string]any{
		"vimType":       "ETSINFV.OPENSTACK_KEYSTONE.V_3",
		"interfaceInfo": map[string]any{"endpoint": "https://cloud.example.com:5000/v3"},
		"accessInfo": map[string]any{
			"username":      "nfv",
			"password":      servertest.Marker + "-own",
			"region":        "north",
			"project":       "edge",
			"projectDomain": "Default",
			"userDomain":    "Default",
		},
	}
}

// shownConnections returns the connections of an answer of either version, by id.
func shownConnections(t *testing.T, doc map[string]any) map[string]any {
	t.Helper()
	if list, ok := doc["vimConnectionInfo"].([]any); ok {
		return servertest.ByKey(list, "id").(map[string]any)
	}
	require.IsType(t, map[string]any{}, doc["vimConnectionInfo"])
	return doc["vimConnectionInfo"].(map[string]any)
}

func TestInstantiate_takesAVimThatComesWithTheRequest(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			_, vnfdID := b.Onboard()
			instance, request := b.Create(root, vnfdID), servertest.ClusterRequest("")
			own := ownVim()
			own["id"] = "own"
			if request["vimConnectionInfo"] = []any{own}; root == "/vnflcm/v2" {
				request = servertest.AsV2(t, request)
			}
			a := b.Do("POST", instance+"/instantiate", request)
			a.Want(http.StatusAccepted)
			o := b.Operation(a.Path())
			require.NotContains(t, string(o.Params), servertest.Marker)
			kept := b.Instance(instance).VimConnections
			require.Len(t, kept, 1)
			require.Equal(t, []any{"own", lcm.VimID(""), "ETSINFV.OPENSTACK_KEYSTONE.V_3", "nfv"},
				[]any{kept[0].ID, kept[0].VimID, kept[0].VimType, kept[0].AccessInfo["username"]})
			clear, err := b.Vault.Get(t.Context(), rest.References(kept[0].AccessInfo["password"])[0])
			require.NoError(t, err)
			require.Equal(t, servertest.Marker+"-own", clear)

			for _, shown := range []map[string]any{
				b.Do("GET", instance, nil).Want(http.StatusOK),
				b.Do("GET", a.Path(), nil).Want(http.StatusOK)["operationParams"].(map[string]any),
			} {
				connection := shownConnections(t, shown)["own"].(map[string]any)
				require.NotContains(t, connection, "vimId")
				require.Equal(t, "***", connection["accessInfo"].(map[string]any)["password"])
				require.Equal(t, "edge", connection["accessInfo"].(map[string]any)["project"])
			}
			b.Enter(a.Path(), lcm.Processing)
			b.Enter(a.Path(), lcm.FailedTemp)
			b.Enter(a.Path(), lcm.Failed)
			delete(request, "vimConnectionInfo")
			b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
			require.Equal(t, kept, b.Instance(instance).VimConnections,
				"a later attempt goes where the first may have left something")
		})
	}
}

func TestInstantiate_namesWhatAVimOfTheRequestLacks(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	instance, request := b.Create("/vnflcm/v1", vnfdID), servertest.ClusterRequest("")
	own := ownVim()
	own["interfaceInfo"], own["accessInfo"] = map[string]any{"endpoint": "http://u:" + servertest.Marker + "@cloud/v3"},
		map[string]any{"username": 7, "password": servertest.Marker}
	own["id"] = "own"
	request["vimConnectionInfo"] = []any{own, map[string]any{"id": "none"}}
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{
		"$.vimConnectionInfo[0].interfaceInfo.endpoint", "$.vimConnectionInfo[0].accessInfo.username",
		"$.vimConnectionInfo[0].accessInfo.project",
		"$.vimConnectionInfo[1].vimId",
	}, a.Paths())

	own = ownVim()
	own["vimType"], own["accessInfo"].(map[string]any)["password"] = "kubernetes", ""
	own["id"] = "own.1"
	request["vimConnectionInfo"] = []any{own}
	a = b.Do("POST", strings.Replace(instance, "v1", "v2", 1)+"/instantiate", servertest.AsV2(t, request))
	a.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, a.Paths(), []string{
		"$.vimConnectionInfo['own.1'].vimType",
		"$.vimConnectionInfo['own.1'].accessInfo.password",
	})
	require.Empty(t, b.Starter.Starts)
	require.Empty(t, b.Sealed())
}

// TestModify_changesTheCredentialsOfAVimOfTheInstance checks that connections from a request or a grant can be changed
// like connections to registered VIMs.
func TestModify_changesTheCredentialsOfAVimOfTheInstance(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	instance := b.Create("/vnflcm/v2", vnfdID)
	inst := b.Instance(instance)
	inst.VimConnections = []lcm.VimConnectionInfo{{
		ID: "own", VimType: "openstack", InterfaceInfo: map[string]any{"endpoint": "https://cloud.example.com:5000/v3"},
		AccessInfo: map[string]any{
			"username": "nfv", "password": map[string]any{lcm.SecretKey: "vnf/x/grant/y/password"}, "project": "edge",
		},
	}}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	patch := func(body string) servertest.Answer {
		return b.Do("PATCH", instance, `{"vimConnectionInfo":{"own":`+body+`}}`, servertest.AsMergePatch)
	}
	refused := patch(`{"accessInfo":{"password":null,"region":1},"interfaceInfo":null}`)
	refused.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{
		"$.vimConnectionInfo.own.accessInfo.password", "$.vimConnectionInfo.own.accessInfo.region",
		"$.vimConnectionInfo.own.interfaceInfo.endpoint",
	}, refused.Paths())
	patch(`{"accessInfo":null,"interfaceInfo":null}`).Problem(http.StatusBadRequest)
	a := patch(`{"accessInfo":{"password":"` + servertest.Marker + `-rotated"}}`)
	a.Want(http.StatusAccepted)
	require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker)
}

// TestInstantiate_readsAConnectionToAKubernetes checks that a connection to a Kubernetes is read in its own form. This
// VNF consists of VMs, so it needs an OpenStack.
func TestInstantiate_readsAConnectionToAKubernetes(t *testing.T) {
	for root, at := range map[string]string{"/vnflcm/v1": "$.vimConnectionInfo[0]", "/vnflcm/v2": "$.vimConnectionInfo.own"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t, servertest.WithDenied)
			_, vnfdID := b.Onboard()
			instance := b.Create(root, vnfdID)
			instantiate := func(connection map[string]any) servertest.Answer {
				request := servertest.ClusterRequest("")
				connection["id"] = "own"
				if request["vimConnectionInfo"] = []any{connection}; root == "/vnflcm/v2" {
					request = servertest.AsV2(t, request)
				}
				return b.Do("POST", instance+"/instantiate", request)
			}
			for _, kind := range []string{"kubernetes", "ETSINFV.KUBERNETES.V_1", "ETSINFV.HELM.V_3"} {
				a := instantiate(map[string]any{
					"vimType":       kind,
					"interfaceInfo": map[string]any{"endpoint": "https://192.0.2.7:6443", "ssl_ca_cert": "None"},
					"accessInfo":    map[string]any{"bearer_token": servertest.Marker, "region": "RegionOne"},
				})
				require.Contains(t, a.Problem(http.StatusBadRequest), "this VNF needs a VIM of type openstack")
				require.Equal(t, []string{at + ".vimType"}, a.Paths(), "nothing else is wrong with it")
			}
			a := instantiate(map[string]any{
				"vimType":       "kubernetes",
				"interfaceInfo": map[string]any{"endpoint": "k8s", "ssl_ca_cert": servertest.Marker},
				"accessInfo":    map[string]any{"bearer_token": servertest.Marker, "client_key": servertest.Marker},
			})
			a.Problem(http.StatusBadRequest)
			require.ElementsMatch(t, []string{
				at + ".interfaceInfo.endpoint", at + ".interfaceInfo.ssl_ca_cert", at + ".accessInfo.client_certificate",
				at + ".accessInfo.client_key", at + ".vimType",
			}, a.Paths())
			a = instantiate(map[string]any{
				"vimType":       "kubernetes",
				"interfaceInfo": map[string]any{"endpoint": "https://169.254.169.254"},
				"accessInfo": map[string]any{
					"oidc_token_url": "https://169.254.169.254/token",
					"username":       "nfv",
					"password":       servertest.Marker,
					"client_id":      "w",
				},
			})
			require.Subset(t, a.Paths(), []string{at + ".interfaceInfo.endpoint", at + ".accessInfo.oidc_token_url"})
			require.Empty(t, b.Sealed())
		})
	}
}
