package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

func granting(t *testing.T) (lifecycle.Facts, lcm.Grant) {
	f := linked(t)
	f.Instance.Instantiated = nil
	p, err := planOf(f, lcm.OpInstantiate, nil)
	require.NoError(t, err)
	return f, lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
}

func managing(network string) lcm.ExtManagedVirtualLink {
	return lcm.ExtManagedVirtualLink{ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: network}
}

func TestAccept_needsNoNetworkThatTheNFVOHas(t *testing.T) {
	_, want := granting(t)
	for _, listed := range []bool{true, false} {
		given := lcm.Grant{ID: "g", ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{managing("net")}}
		for _, r := range want.AddResources {
			if listed || r.ResourceDefinitionID != "add-inner" {
				given.AddResources = append(given.AddResources, lcm.GrantResource{ResourceDefinitionID: r.ResourceDefinitionID})
			}
		}
		g, err := lifecycle.Accept(want, given)
		require.NoError(t, err, "listed: %v", listed)
		require.NotContains(t, ofType(g.AddResources, lcm.GrantLink), "add-inner")
		require.Len(t, g.AddResources, len(want.AddResources)-1)
	}
	_, err := lifecycle.Accept(want, lcm.Grant{ID: "g", AddResources: want.AddResources[1:]})
	require.ErrorContains(t, err, "are not granted: add-inner")
}

func TestChosen_aNetworkIsWhereAllServersAre(t *testing.T) {
	f, want := granting(t)
	in := func(zones map[string]string) error {
		g := lcm.Grant{ID: "g", Zones: []lcm.GrantZone{{ID: "w", ZoneID: "west"}, {ID: "e", ZoneID: "east"}}}
		for _, r := range want.AddResources {
			r.ZoneID = zones[r.VduID]
			g.AddResources = append(g.AddResources, r)
		}
		_, err := lifecycle.Chosen(f, g, false)
		return err
	}
	require.NoError(t, in(map[string]string{"": "w", "workerNode": "w", "masterNode": "w"}))
	require.ErrorContains(t, in(map[string]string{"": "w", "workerNode": "w", "masterNode": "e"}),
		"the network of inner cannot be in west without all servers")
}

func TestManaged_takesTheGrantsNetworksAtAnInstantiation(t *testing.T) {
	f, _ := granting(t)
	f.Managed = []lcm.ExtManagedVirtualLink{managing("asked")}
	vim := lcm.VimConnectionInfo{ID: "openstack", VimID: "id"}
	links, err := lifecycle.Managed(f, lcm.OpInstantiate,
		lcm.Grant{ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{managing("granted")}}, vim)
	require.NoError(t, err)
	require.Equal(t, []lcm.ExtManagedVirtualLink{managing("granted")}, links)
	links, err = lifecycle.Managed(f, lcm.OpInstantiate, lcm.Grant{}, vim)
	require.NoError(t, err)
	require.Equal(t, f.Managed, links)

	there, elsewhere := managing("granted"), managing("granted")
	there.VimConnectionID, elsewhere.VimConnectionID = "id", "other"
	_, err = lifecycle.Managed(f, lcm.OpInstantiate, lcm.Grant{ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{
		there, elsewhere, {ID: "m", VnfVirtualLinkDescID: "nothing", ResourceID: "n"},
	}}, vim)
	for _, detail := range []string{
		"$.extManagedVirtualLinks[1].vimConnectionId: the VNF is on the VIM connection openstack, so its network cannot be " +
			"on other",
		`$.extManagedVirtualLinks[1]: the virtual link "inner" is named twice`,
		`$.extManagedVirtualLinks[2].vnfVirtualLinkDescId: the VNFD has no internal virtual link "nothing"`,
	} {
		require.ErrorContains(t, err, detail)
	}
	require.NotContains(t, err.Error(), "[0]")
}

func TestManaged_aVNFThatIsThereKeepsItsNetworks(t *testing.T) {
	f := linked(t)
	f.Managed = []lcm.ExtManagedVirtualLink{managing("has")}
	links, err := lifecycle.Managed(f, lcm.OpScale,
		lcm.Grant{ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{managing("has")}}, lcm.VimConnectionInfo{})
	require.NoError(t, err)
	require.Equal(t, f.Managed, links)
	_, err = lifecycle.Managed(f, lcm.OpScale,
		lcm.Grant{ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{managing("other")}}, lcm.VimConnectionInfo{})
	require.ErrorContains(t, err, `the VNF has another network for the virtual link "inner", and SCALE does not change it`)
}
