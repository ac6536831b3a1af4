package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func TestInstantiateRequest_readsNetworksInThePlaceOfInternalOnes(t *testing.T) {
	req, err := lcmtest.Read[lcm.InstantiateRequest](json.RawMessage(`{"flavourId":"f","extManagedVirtualLinks":[{"id":"m","vnfVirtualLinkDescId":"inner","resourceId":"net"}]}`))
	require.NoError(t, err)
	want := []lcm.ExtManagedVirtualLink{{ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: "net"}}
	require.Equal(t, want, req.ExtManagedVirtualLinks)
	require.Equal(t, []lcm.ExtManagedVirtualLinkInfo{{
		ID: "m", VnfVirtualLinkDescID: "inner", NetworkResource: lcm.ResourceHandle{
			VimConnectionID: "vim",
			ResourceID:      "net",
		},
	}}, lcm.ManagedLinkInfo(want, "vim"))
}

func TestInstantiateRequest_readsEarlierNamesAndPortsOfNetworks(t *testing.T) {
	req, err := lcmtest.Read[lcm.InstantiateRequest]([]byte(`{"extManagedVirtualLinks":[{"id":"m","virtualLinkDescId":"inner","resourceId":"net","vimConnectionId":"vim","vnfLinkPort":[{},{}]}]}`))
	require.NoError(t, err)
	require.Equal(t, []lcm.ExtManagedVirtualLink{{
		ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: "net", VimConnectionID: "vim", LinkPorts: 2,
	}}, req.ExtManagedVirtualLinks)
	doc, err := json.Marshal(req.ExtManagedVirtualLinks[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"m","vnfVirtualLinkDescId":"inner","resourceId":"net","vimConnectionId":"vim"}`, string(doc))
	_, err = lcmtest.Read[lcm.InstantiateRequest]([]byte(`{"extManagedVirtualLinks":[{"id":7}]}`))
	require.Error(t, err)
}

func TestManagedAsGranted_theGrantGoesBeforeTheRequest(t *testing.T) {
	link := func(id, network string) lcm.ExtManagedVirtualLink {
		return lcm.ExtManagedVirtualLink{ID: "m-" + network, VnfVirtualLinkDescID: id, ResourceID: network}
	}
	asked := []lcm.ExtManagedVirtualLink{link("a", "1"), link("b", "2")}
	require.Equal(t, []lcm.ExtManagedVirtualLink{link("b", "3"), link("c", "4"), link("a", "1")},
		lcm.ManagedAsGranted(asked, []lcm.ExtManagedVirtualLink{link("b", "3"), link("c", "4")}))
	require.Equal(t, asked, lcm.ManagedAsGranted(asked, nil))
}
