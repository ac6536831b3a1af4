package operations

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func beginning(params string) *Operation {
	return &Operation{
		OpOcc: lcm.VnfLcmOpOcc{ID: "op", Operation: lcm.OpInstantiate}, Own: lcm.InstantiateRequest{}, Instance: lcm.VnfInstance{ID: "vnf"},
		Request: lcm.InstantiateRequest{
			AdditionalParams: json.RawMessage(params),
			ExtVirtualLinks:  []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a"}, {ID: "b", ResourceID: "net-b"}},
		},
		Flavour: &descriptor.Flavour{ID: "f", Vdus: []descriptor.Vdu{{ID: "node", InitialInstances: new(1)}}},
	}
}

func beginningOn(f *descriptor.Flavour) *Operation {
	j := beginning(``)
	j.Flavour = f
	return j
}

func TestApplyGrant_putsWhatTheGrantSaysInThePlaceOfTheRequests(t *testing.T) {
	j := beginning(`{"key_name":"k","nfv":{"VDU":{"node":{"image":"x","flavor":"y"}}}}`)
	require.NoError(t, j.ApplyGrant(lcm.Grant{
		ID: "g", VimConnections: []lcm.VimConnectionInfo{{ID: "granted", VimType: lcm.VimOpenStack}},
		AddResources: []lcm.GrantResource{{
			ResourceDefinitionID: "add-node-1", Type: lcm.GrantCompute, VduID: "node", VimConnectionID: "granted",
		}},
		VimAssets: &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{{
			SoftwareImageID: "node",
			VimImageID:      "image-2",
		}}},
		ExtVirtualLinks:  json.RawMessage(`[{"id":"b","resourceId":"net-b2","extCps":[{"cpdId":"cp"}]},{"id":"c","resourceId":"net-c","extCps":[]}]`),
		AdditionalParams: json.RawMessage(`{"nfv":{"VDU":{"node":{"image":"z"}}},"other":1}`),
	}))
	require.Equal(t, map[string]string{"node": "image-2"}, j.Choices.Images)
	require.Equal(t, map[string]string{"node": "image-2"}, j.Chosen().Images)
	require.Equal(t, []lcm.ExtVirtualLink{
		{ID: "a", ResourceID: "net-a"},
		{ID: "b", ResourceID: "net-b2", ExtCps: []lcm.ExtCp{{CpdID: "cp"}}},
		{ID: "c", ResourceID: "net-c"},
	}, j.Request.ExtVirtualLinks)
	require.JSONEq(t, `{"key_name":"k","nfv":{"VDU":{"node":{"image":"z","flavor":"y"}}}}`,
		string(j.Request.AdditionalParams))
	at, err := (&Resolver{}).Connections(t.Context(), j)
	require.NoError(t, err)
	require.Equal(t, "granted", at[0].ID)
	require.Len(t, j.Targets, 1)
}

func TestApplyGrant_takesTheGrantsNetworksForInternalLinks(t *testing.T) {
	j := beginning(``)
	j.Flavour.VirtualLinks = []descriptor.VirtualLink{{ID: "inner"}, {ID: "other"}}
	j.Request.ExtManagedVirtualLinks = []lcm.ExtManagedVirtualLink{{
		ID: "a", VnfVirtualLinkDescID: "inner", ResourceID: "asked",
	}, {ID: "b", VnfVirtualLinkDescID: "other", ResourceID: "kept"}}
	g := lcm.Grant{
		ID: "g", VimConnections: []lcm.VimConnectionInfo{{ID: "vim"}},
		ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{{
			ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: "granted", VimConnectionID: "vim",
		}},
	}
	require.NoError(t, j.ApplyGrant(g))
	require.Equal(t, []string{"granted", "kept"},
		[]string{j.Request.ExtManagedVirtualLinks[0].ResourceID, j.Request.ExtManagedVirtualLinks[1].ResourceID})

	g.ExtManagedVirtualLinks[0].VimConnectionID = "elsewhere"
	require.ErrorContains(t, beginningOn(j.Flavour).ApplyGrant(g), "its network cannot be on elsewhere")
}

func TestApplyGrant_aGrantThatSaysNothingChangesNothing(t *testing.T) {
	j, before := beginning(`{"a":1}`), beginning(`{"a":1}`)
	require.NoError(t, j.ApplyGrant(lcm.Grant{
		ID:           "g",
		AddResources: []lcm.GrantResource{{ResourceDefinitionID: "add-node-1", Type: lcm.GrantCompute, VduID: "node"}},
	}))
	require.Equal(t, before.Request, j.Request)
	require.Nil(t, j.Chosen())
	require.Empty(t, j.Targets)
}

func TestApplyGrant_linksOfAVNFThatIsThereStayAsTheyAre(t *testing.T) {
	j := beginning(``)
	j.OpOcc.Operation, j.Instance.Instantiated = lcm.OpTerminate, &lcm.InstantiatedVnfInfo{}
	require.NoError(t, j.ApplyGrant(lcm.Grant{
		ID:              "g",
		ExtVirtualLinks: json.RawMessage(`[{"id":"a","resourceId":"net-a"}]`),
	}), "the same")
	require.ErrorContains(t, j.ApplyGrant(lcm.Grant{
		ID:              "g",
		ExtVirtualLinks: json.RawMessage(`[{"id":"a","resourceId":"other"}]`),
	}), "TERMINATE does not change them")
	require.ErrorContains(t, j.ApplyGrant(lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(`{}`)}), "malformed")
}

// TestApplyGrant_takesThePortsOfAGrantsNfv checks that nfv of the grant takes precedence over that of the request, as
// in Tacker.
func TestApplyGrant_takesThePortsOfAGrantsNfv(t *testing.T) {
	j := ported()
	require.NoError(t, j.ApplyGrant(lcm.Grant{
		ID:               "g",
		AdditionalParams: json.RawMessage(`{"nfv":{"CP":{"cp":{"port":"granted"}}}}`),
	}))
	require.Equal(t, &lcm.LinkPort{ID: "p", ResourceID: "granted"}, lcm.GivenPort(j.Request.ExtVirtualLinks, "cp"))
}

func beingReconnected(t *testing.T) (*Operation, lifecycle.Facts) {
	t.Helper()
	j := beginning(``)
	j.OpOcc = lcm.VnfLcmOpOcc{
		ID: "op", Operation: lcm.OpChangeExtConn,
		Params: json.RawMessage(`{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"cp"}]}]}`),
	}
	j.Own = lcmtest.Own(j.OpOcc)
	j.Flavour.Cps = []descriptor.VduCp{
		{ID: "cp", VduID: "node", External: true}, {ID: "other", VduID: "node", External: true},
	}
	j.Instance.Instantiated = &lcm.InstantiatedVnfInfo{
		ExtVirtualLinks: []lcm.ExtVirtualLink{{
			ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "cp"}, {CpdID: "other"}},
		}},
		VnfcResources: []lcm.VnfcResourceInfo{{ID: "server", VduID: "node"}},
	}
	facts, p, err := j.Planned()
	require.NoError(t, err)
	j.OpOcc.Plan, j.Request.ExtVirtualLinks = &p, p.Links
	return j, facts
}

func TestRelink_takesTheGrantsLinksBeforeTheGrantIsKept(t *testing.T) {
	j, facts := beingReconnected(t)
	g := lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(`[{"id":"b","resourceId":"net-x","extCps":[{"cpdId":"cp"}]}]`)}
	require.NoError(t, j.ApplyGrant(g))
	require.NoError(t, j.Relink(facts, g))
	require.Equal(t, "net-x", j.Request.ExtVirtualLinks[1].ResourceID)
	require.Equal(t, []string{"b"}, j.Regranted.ChangedLinks)
	require.Equal(t, "net-b", j.OpOcc.Plan.Links[1].ResourceID, "what is kept is another's")

	j, facts = beingReconnected(t)
	require.NoError(t, j.Relink(facts, lcm.Grant{ID: "g"}))
	require.Nil(t, j.Regranted, "a grant that says nothing changes nothing")
	require.ErrorContains(t, j.Relink(facts,
		lcm.Grant{ExtVirtualLinks: json.RawMessage(`[{"id":"b","resourceId":"n","extCps":[{"cpdId":"other"}]}]`)}),
		"did not ask for")
}

func TestPlanned_tellsWhatAnOperateAndAReconnectionChange(t *testing.T) {
	j, facts := beingReconnected(t)
	g := lifecycle.Granted(facts, *j.OpOcc.Plan, lcm.VimConnectionInfo{ID: "openstack"})
	require.Equal(t, "update-server", g.UpdateResources[0].ResourceDefinitionID)
	require.Equal(t, "add-server-cp", g.AddResources[0].ResourceDefinitionID)

	j.OpOcc = lcm.VnfLcmOpOcc{ID: "op", Operation: lcm.OpOperate, Params: json.RawMessage(`{"changeStateTo":"STOPPED"}`)}
	j.Own = lcmtest.Own(j.OpOcc)
	facts, p, err := j.Planned()
	require.NoError(t, err)
	require.Len(t, lifecycle.Granted(facts, p, lcm.VimConnectionInfo{}).UpdateResources, 1)
}
