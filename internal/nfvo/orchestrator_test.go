package nfvo_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
)

func scaling(version int) nfvo.GrantRequest {
	return nfvo.GrantRequest{
		VnfInstanceID: "vnf", OpOccID: "op", VnfdID: "vnfd", FlavourID: "ha", Operation: lcm.OpScale, APIVersion: version,
		Endpoint: "https://vnfm.example",
		Resources: lcm.Grant{
			AddResources: []lcm.GrantResource{
				{ResourceDefinitionID: "add-worker-1", Type: lcm.GrantCompute, VduID: "worker", ResourceTemplateID: "worker"},
				{ResourceDefinitionID: "add-worker-1-disk", Type: lcm.GrantStorage, VduID: "worker", ResourceTemplateID: "disk"},
			},
			UpdateResources: []lcm.GrantResource{{
				ResourceDefinitionID: "update-p1", Type: lcm.GrantLinkPort, VduID: "worker", ResourceTemplateID: "worker_CP",
				VnfcInstanceID: "w2",
				Resource: &lcm.ResourceHandle{
					VimConnectionID: "vim", ResourceID: "port-1", VimLevelResourceType: "OS::Neutron::Port",
				},
			}},
			RemoveResources: []lcm.GrantResource{{
				ResourceDefinitionID: "remove-w1", Type: lcm.GrantCompute, VduID: "worker", VnfcInstanceID: "w1",
				Resource: &lcm.ResourceHandle{
					VimConnectionID: "vim", ResourceID: "server-1", VimLevelResourceType: "OS::Nova::Server",
				},
			}},
		},
		Placement: []lcm.PlacementConstraint{{
			AffinityOrAntiAffinity: "ANTI_AFFINITY", Scope: "NFVI_NODE",
			Resources: []lcm.ConstraintResource{
				{IDType: "GRANT", ResourceID: "add-worker-1"}, {IDType: "RES_MGMT", ResourceID: "server-2", VimConnectionID: "vim"},
			},
		}},
		OneVim: []lcm.VimConstraint{{Resources: []lcm.ConstraintResource{
			{IDType: "GRANT", ResourceID: "add-worker-1"}, {IDType: "RES_MGMT", ResourceID: "server-2", VimConnectionID: "vim"},
		}}},
	}
}

func client(n *nfvotest.NFVO, edit func(*nfvo.OrchestratorOptions)) *nfvo.Orchestrator {
	o := nfvo.OrchestratorOptions{Endpoint: n.URL}
	if edit != nil {
		edit(&o)
	}
	return nfvo.NewOrchestrator(o)
}

func TestRequestGrant_isGrantedAtOnce(t *testing.T) {
	n := nfvotest.New(t)
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{
			"vimConnectionInfo": map[string]any{"vim": map[string]any{"vimId": "id", "vimType": "openstack"}},
			"zones":             []any{map[string]any{"id": "z", "zoneId": "west"}},
			"addResources": []any{map[string]any{
				"resourceDefinitionId": "add-worker-1", "vimConnectionId": "vim",
				"zoneId": "z", "resourceGroupId": "project",
			}},
			"vimAssets": map[string]any{
				"softwareImages":          []any{map[string]any{"vnfdSoftwareImageId": "worker", "vimSoftwareImageId": "image-2"}},
				"computeResourceFlavours": []any{map[string]any{"vnfdVirtualComputeDescId": "worker", "vimFlavourId": "m1.large"}},
			},
		}}
	})
	for _, version := range []int{1, 2} {
		a, err := client(n, nil).RequestGrant(t.Context(), scaling(version))
		require.NoError(t, err)
		require.Equal(t, lcm.OpOccID("op"), a.Grant.OpOccID)
		require.Equal(t, []lcm.VimConnectionInfo{{ID: "vim", VimID: "id", VimType: "openstack"}}, a.Grant.VimConnections)
		require.Equal(t, []lcm.GrantResource{{ResourceDefinitionID: "add-worker-1", VimConnectionID: "vim", ZoneID: "z"}},
			a.Grant.AddResources)
		require.Equal(t, []lcm.GrantResource{{ResourceDefinitionID: "remove-w1"}}, a.Grant.RemoveResources)
		require.Equal(t, []lcm.GrantZone{{ID: "z", ZoneID: "west"}}, a.Grant.Zones)
		require.Equal(t, "image-2", a.Grant.VimAssets.SoftwareImages[0].VimImageID)
		require.Equal(t, "m1.large", a.Grant.VimAssets.ComputeResourceFlavours[0].VimFlavourID)
		require.Equal(t, n.URL+"/grant/v1/grants/"+a.Grant.ID, a.Grant.Href)
	}
	requests, headers := n.Requests()
	require.Empty(t, headers[0].Get("Version"), "as Tacker asks NFVOs of v2.6.1")
	require.Equal(t, "1.4.0", headers[1].Get("Version"))
	links := requests[1]["_links"].(map[string]any)
	require.Equal(t, "https://vnfm.example/vnflcm/v2/vnf_lcm_op_occs/op", links["vnfLcmOpOcc"].(map[string]any)["href"])
	require.Equal(t, map[string]any{
		"id": "remove-w1", "type": "COMPUTE", "vduId": "worker",
		"resource": map[string]any{
			"vimConnectionId": "vim", "resourceId": "server-1", "vimLevelResourceType": "OS::Nova::Server",
		},
	}, requests[1]["removeResources"].([]any)[0])
	require.Equal(t, map[string]any{
		"id": "add-worker-1", "type": "COMPUTE", "vduId": "worker", "resourceTemplateId": "worker",
	},
		requests[1]["addResources"].([]any)[0])
	require.Equal(t, map[string]any{
		"id": "add-worker-1-disk", "type": "STORAGE", "vduId": "worker", "resourceTemplateId": "disk",
	},
		requests[1]["addResources"].([]any)[1])
	require.Equal(t, map[string]any{
		"id": "update-p1", "type": "LINKPORT", "vduId": "worker", "resourceTemplateId": "worker_CP",
		"resource": map[string]any{
			"vimConnectionId": "vim", "resourceId": "port-1", "vimLevelResourceType": "OS::Neutron::Port",
		},
	}, requests[1]["updateResources"].([]any)[0])
	require.Len(t, requests[0]["vimConstraints"].([]any)[0].(map[string]any)["resource"], 2)
	checkAgainstEtsi(t, requests)
}

// checkAgainstEtsi validates requests against ETSI's definitions, if these are beside the repository.
func checkAgainstEtsi(t *testing.T, requests []map[string]any) {
	t.Helper()
	read := func(path string) []byte {
		b, err := os.ReadFile("../../../shared/openapi/" + path)
		if !errors.Is(err, fs.ErrNotExist) {
			require.NoError(t, err)
		}
		return b
	}
	old, present := read("v2.4.1/SOL003-VNFLifecycleOperationGranting-API.json"),
		read("v3.3.1/sol003_operation_openapi.json")
	if len(old) == 0 || len(present) == 0 {
		return
	}
	var swagger openapi2.T
	require.NoError(t, json.Unmarshal(old, &swagger))
	v1, err := openapi2conv.ToV3(&swagger)
	require.NoError(t, err)
	v2, err := openapi3.NewLoader().LoadFromData(present)
	require.NoError(t, err)
	for i, doc := range []*openapi3.T{v1, v2} {
		body := doc.Paths.Find("/grants").Post.RequestBody.Value.Content.Get("application/json")
		require.NoError(t, body.Schema.Value.VisitJSON(requests[i]))
	}
}

func TestRequestGrant_isGrantedLater(t *testing.T) {
	n := nfvotest.New(t)
	n.Decide(func(map[string]any) nfvotest.Decision { return nfvotest.Decision{Looks: 2} })
	c := client(n, nil)
	a, err := c.RequestGrant(t.Context(), scaling(2))
	require.NoError(t, err)
	require.Nil(t, a.Grant)
	require.Equal(t, n.URL+"/grant/v1/grants/grant-1", a.Location)
	a, err = c.ReadGrant(t.Context(), a.Location, "op", 2)
	require.NoError(t, err)
	require.Nil(t, a.Grant)
	a, err = c.ReadGrant(t.Context(), a.Location, "op", 2)
	require.NoError(t, err)
	require.Equal(t, "grant-1", a.Grant.ID)

	_, err = c.ReadGrant(t.Context(), n.URL+"/grant/v1/grants/absent", "op", 2)
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	_, err = c.ReadGrant(t.Context(), n.URL+"/grant/v1/grants/grant-1", "another", 2)
	require.ErrorContains(t, err, "another operation")
}

func TestRequestGrant_tellsWhatWaitingCanFix(t *testing.T) {
	n := nfvotest.New(t)
	for status, kind := range map[int]lcm.ErrorKind{
		http.StatusForbidden: lcm.KindDenied, http.StatusUnauthorized: lcm.KindDenied,
		http.StatusBadRequest: lcm.KindBroken, http.StatusUnprocessableEntity: lcm.KindBroken,
		http.StatusNotImplemented: lcm.KindBroken,
		http.StatusFound:          lcm.KindBroken, http.StatusNotFound: lcm.KindBroken,
		http.StatusTooManyRequests: lcm.KindUnavailable, http.StatusInternalServerError: lcm.KindUnavailable,
		http.StatusServiceUnavailable: lcm.KindUnavailable, http.StatusGatewayTimeout: lcm.KindUnavailable,
	} {
		n.Decide(func(map[string]any) nfvotest.Decision {
			return nfvotest.Decision{Status: status, Detail: "no room\nfor you."}
		})
		_, err := client(n, nil).RequestGrant(t.Context(), scaling(1))
		require.True(t, lcm.Is(err, kind), "%d: %v", status, err)
		require.ErrorContains(t, err, "no room for you.")
		require.NotContains(t, lcm.Sentence(err), "..")
	}
	n.Close()
	_, err := client(n, nil).RequestGrant(t.Context(), scaling(1))
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
}

func TestRequestGrant_leavesTheNFVOAloneAsLongAsItAsks(t *testing.T) {
	for given, want := range map[string]time.Duration{
		"7": 7 * time.Second, "-3": 0, "soon": 0, "999999999": 10 * time.Minute,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", given)
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		_, err := nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: server.URL}).RequestGrant(t.Context(), scaling(1))
		server.Close()
		e, ok := errors.AsType[*lcm.Error](err)
		require.True(t, ok)
		require.Equal(t, want, e.RetryAfter, given)
	}
}

func TestRequestGrant_authenticates(t *testing.T) {
	for _, kind := range []string{"BASIC", "OAUTH2"} {
		n := nfvotest.New(t)
		n.Authentication = kind
		with := func(secret string) func(*nfvo.OrchestratorOptions) {
			return func(o *nfvo.OrchestratorOptions) {
				o.Auth = &lcm.SubscriptionAuthentication{AuthType: []string{lcm.AuthBasic}}
				o.Auth.ParamsBasic.UserName, o.Auth.ParamsBasic.Password = nfvotest.ClientID, secret
				if kind == "OAUTH2" {
					o.Auth.AuthType = []string{lcm.AuthOauth2}
					o.Auth.ParamsOauth2.ClientID, o.Auth.ParamsOauth2.ClientPassword = nfvotest.ClientID, secret
					o.Auth.ParamsOauth2.TokenEndpoint = n.URL + "/token"
				}
			}
		}
		c := client(n, with(nfvotest.Secret))
		for range 2 {
			_, err := c.RequestGrant(t.Context(), scaling(1))
			require.NoError(t, err, kind)
		}
		n.WithdrawTokens()
		_, err := c.RequestGrant(t.Context(), scaling(1))
		require.NoError(t, err, kind)
		if kind == "OAUTH2" {
			require.Equal(t, 2, n.Tokens(), "a token is used until it expires, or is refused")
		}
		_, err = client(n, with("wrong-one")).RequestGrant(t.Context(), scaling(1))
		require.True(t, lcm.Is(err, lcm.KindDenied), "%s: %v", kind, err)
		require.NotContains(t, err.Error(), "wrong-one")
		_, err = client(n, nil).RequestGrant(t.Context(), scaling(1))
		require.ErrorContains(t, err, "nfvo.clientId", kind)
	}
}

func TestRequestGrant_goesToTheConfiguredNFVOOnly(t *testing.T) {
	location := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	c := nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: server.URL + "/so"})
	for given, want := range map[string]string{
		server.URL + "/so/grant/v1/grants/7?x=y":      server.URL + "/so/grant/v1/grants/7?x=y",
		"/so/grant/v1/grants/7":                       server.URL + "/so/grant/v1/grants/7",
		"http://behind-the-gateway/grant/v1/grants/7": server.URL + "/so/grant/v1/grants/7",
		"": "", "http://elsewhere/": "", "::": "",
	} {
		location = given
		a, err := c.RequestGrant(t.Context(), scaling(1))
		require.Equal(t, want, a.Location, given)
		require.Equal(t, want == "", lcm.Is(err, lcm.KindBroken), "%q: %v", given, err)
	}
}

func TestRequestGrant_takesNetworksInThePlaceOfInternalOnes(t *testing.T) {
	n := nfvotest.New(t)
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"extManagedVirtualLinks": []any{
			map[string]any{"id": "a", "vnfVirtualLinkDescId": "inner", "resourceId": "net-1", "vimConnectionId": "vim"},
			map[string]any{"id": "b", "virtualLinkDescId": "other", "resourceId": "net-2"},
		}}}
	})
	answer, err := client(n, nil).RequestGrant(t.Context(), scaling(2))
	require.NoError(t, err)
	require.Equal(t, []lcm.ExtManagedVirtualLink{
		{ID: "a", VnfVirtualLinkDescID: "inner", ResourceID: "net-1", VimConnectionID: "vim"},
		{ID: "b", VnfVirtualLinkDescID: "other", ResourceID: "net-2"},
	}, answer.Grant.ExtManagedVirtualLinks)
}

func TestRequestGrant_refusesWhatItCannotHonour(t *testing.T) {
	n := nfvotest.New(t)
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{
			"computeReservationId": "r", "tempResources": []any{map[string]any{"resourceDefinitionId": "x"}},
			"addResources": []any{map[string]any{
				"resourceDefinitionId": "add-worker-1", "reservationId": "r", "resourceProviderId": "p",
			}},
			"extManagedVirtualLinks": []any{map[string]any{
				"id": "m", "resourceProviderId": "p", "vnfLinkPort": []any{map[string]any{}},
			}},
		}}
	})
	_, err := client(n, nil).RequestGrant(t.Context(), scaling(1))
	require.True(t, lcm.Is(err, lcm.KindInvalid))
	for _, path := range []string{
		"$.computeReservationId", "$.tempResources", "$.addResources[0].reservationId",
		"$.addResources[0].resourceProviderId",
		"$.extManagedVirtualLinks[0].vnfVirtualLinkDescId", "$.extManagedVirtualLinks[0].resourceId",
		"$.extManagedVirtualLinks[0].resourceProviderId",
		"$.extManagedVirtualLinks[0].vnfLinkPort",
	} {
		require.ErrorContains(t, err, path)
	}
	for body, detail := range map[string]string{
		"{": "no Grant", `{"vnfInstanceId":"vnf"}`: "has no id", `{"id":"g","zones":{}}`: "no Grant",
		`{"id":"g","x":"` + strings.Repeat("y", 17<<20) + `"}`: "larger than 16 MiB",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(body))
		}))
		_, err := nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: server.URL}).RequestGrant(t.Context(), scaling(1))
		server.Close()
		require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
		require.ErrorContains(t, err, detail)
	}
}
