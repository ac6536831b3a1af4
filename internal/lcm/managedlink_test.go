package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestParseInstantiate_readsNetworksInThePlaceOfInternalOnes(t *testing.T) {
	req, err := lcm.ParseInstantiate(json.RawMessage(`{"flavourId":"f","extManagedVirtualLinks":[{"id":"m","vnfVirtualLinkDescId":"inner","resourceId":"net"}]}`))
	require.NoError(t, err)
	want := []lcm.ExtManagedVirtualLink{{ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: "net"}}
	require.Equal(t, want, req.ExtManagedVirtualLinks)
	require.Equal(t, []lcm.ExtManagedVirtualLinkInfo{{
		ID: "m", VnfVirtualLinkDescID: "inner", NetworkResource: lcm.ResourceHandle{VimConnectionID: "vim", ResourceID: "net"},
	}}, lcm.ManagedLinkInfo(want, "vim"))
}
