package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func instantiating(params string) *job {
	return &job{
		opOcc: lcm.VnfLcmOpOcc{ID: "op", Operation: lcm.OpInstantiate}, inst: lcm.VnfInstance{ID: "vnf"},
		request: lcm.InstantiateRequest{
			AdditionalParams: json.RawMessage(params),
			ExtVirtualLinks:  []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a"}, {ID: "b", ResourceID: "net-b"}},
		},
		flavour: &vnfpkg.Flavour{ID: "f", Vdus: []vnfpkg.Vdu{{ID: "node", InitialInstances: new(1)}}},
	}
}

func TestUnder_putsWhatTheGrantSaysInThePlaceOfTheRequests(t *testing.T) {
	j := instantiating(`{"key_name":"k","nfv":{"VDU":{"node":{"image":"x","flavor":"y"}}}}`)
	require.NoError(t, j.under(lcm.Grant{
		ID: "g", VimConnections: []lcm.VimConnectionInfo{{ID: "granted", VimType: lcm.VimOpenStack}},
		AddResources:     []lcm.GrantResource{{ResourceDefinitionID: "add-node-1", VduID: "node", VimConnectionID: "granted"}},
		VimAssets:        &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{{SoftwareImageID: "node", VimImageID: "image-2"}}},
		ExtVirtualLinks:  json.RawMessage(`[{"id":"b","resourceId":"net-b2","extCps":[{"cpdId":"cp"}]},{"id":"c","resourceId":"net-c","extCps":[]}]`),
		AdditionalParams: json.RawMessage(`{"nfv":{"VDU":{"node":{"image":"z"}}},"other":1}`),
	}))
	require.Equal(t, map[string]string{"node": "image-2"}, j.choices.Images)
	require.Equal(t, map[string]string{"node": "image-2"}, j.chosen().Images)
	require.Equal(t, []lcm.ExtVirtualLink{
		{ID: "a", ResourceID: "net-a"}, {ID: "b", ResourceID: "net-b2", ExtCps: []lcm.ExtCp{{CpdID: "cp"}}}, {ID: "c", ResourceID: "net-c"},
	}, j.request.ExtVirtualLinks)
	require.JSONEq(t, `{"key_name":"k","nfv":{"VDU":{"node":{"image":"z","flavor":"y"}}}}`, string(j.request.AdditionalParams))
	at, err := (&operations{}).connection(t.Context(), j)
	require.NoError(t, err)
	require.Equal(t, "granted", at.ID)
	require.Len(t, j.grantedVims(), 1)
}

func TestUnder_aGrantThatSaysNothingChangesNothing(t *testing.T) {
	j, before := instantiating(`{"a":1}`), instantiating(`{"a":1}`)
	require.NoError(t, j.under(lcm.Grant{ID: "g", AddResources: []lcm.GrantResource{{ResourceDefinitionID: "add-node-1", VduID: "node"}}}))
	require.Equal(t, before.request, j.request)
	require.Nil(t, j.chosen())
	require.Empty(t, j.grantedVims())
}

func TestUnder_linksOfAVNFThatIsThereStayAsTheyAre(t *testing.T) {
	j := instantiating(``)
	j.opOcc.Operation, j.inst.Instantiated = lcm.OpTerminate, &lcm.InstantiatedVnfInfo{}
	require.NoError(t, j.under(lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(`[{"id":"a","resourceId":"net-a"}]`)}), "the same")
	require.ErrorContains(t, j.under(lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(`[{"id":"a","resourceId":"other"}]`)}), "TERMINATE does not change them")
	require.ErrorContains(t, j.under(lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(`{}`)}), "malformed")
}
