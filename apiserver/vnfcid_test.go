package apiserver

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestFilter_ofAVnfcIDWithDashes finds VNFCs by their ids, with any number of dashes in the id of the VDU.
func TestFilter_ofAVnfcIDWithDashes(t *testing.T) {
	b := newBench(t)
	path, vnfdID := b.onboard()
	var ids []string
	for _, vdu := range []string{"worker", "worker-of-a-pool", strings.Repeat("w-", 40) + "w"} {
		inst := lcm.VnfInstance{
			ID: rest.NewID[lcm.VnfInstanceID](), VnfdID: lcm.VnfdID(vnfdID), VnfPkgID: lcm.VnfPkgID(last(path)),
			InstantiationState: lcm.Instantiated,
			Instantiated: &lcm.InstantiatedVnfInfo{
				FlavourID: "ha", VnfState: lcm.VnfStarted,
				VnfcResources: []lcm.VnfcResourceInfo{{ID: "c-1", VduID: vdu}},
			},
		}
		require.NoError(t, b.store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), inst))
		ids = append(ids, string(inst.ID))
	}
	found := func(op string, values ...string) (found []string) {
		filter := "(" + op + ",instantiatedVnfInfo/vnfcInfo/id," + strings.Join(values, ",") + ")"
		for _, inst := range b.do("GET", "/vnflcm/v2/vnf_instances?filter="+url.QueryEscape(filter), nil).list() {
			found = append(found, inst["id"].(string))
		}
		return found
	}
	long := strings.Repeat("w-", 40) + "w-c-1"
	require.Equal(t, ids[:1], found("eq", "worker-c-1"))
	require.Equal(t, ids[1:2], found("eq", "worker-of-a-pool-c-1"))
	require.Equal(t, ids[2:], found("eq", long))
	require.ElementsMatch(t, ids, found("in", "worker-c-1", long, "worker-of-a-pool-c-1"))
	require.Empty(t, found("eq", long+"-"))
	require.Empty(t, found("eq", strings.Repeat("-", 8000)))
}
