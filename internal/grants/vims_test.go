package grants

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestOnlyVim_needsOneOpenStack(t *testing.T) {
	t.Parallel()
	for want, connections := range map[string][]lcm.VimConnectionInfo{
		"cloud": {
			{ID: "k8s", VimType: "ETSINFV.KUBERNETES.V_1"},
			{ID: "cloud", VimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3"},
		},
		"brings no connection":     {{ID: "k8s", VimType: "kubernetes"}},
		"are made: cloud, another": {{ID: "cloud"}, {ID: "another"}},
	} {
		id, err := onlyVim(lcm.Grant{VimConnections: connections}, lcm.VimOpenStack)
		if err == nil {
			require.Equal(t, want, id)
			continue
		}
		require.ErrorContains(t, err, want)
	}
}

func TestDescribed_aGrantNeedNotRepeatTheCredentialsOfTheRequest(t *testing.T) {
	t.Parallel()
	j := instantiating(``)
	own := lcm.VimConnectionInfo{
		ID: "own", VimID: "of-the-nfvo", InterfaceInfo: map[string]any{"endpoint": "https://c"},
		AccessInfo: map[string]any{"username": "u", "password": "***", "project": "p"},
	}
	j.Request.VimConnections = []lcm.VimConnectionInfo{own}
	require.Equal(t, own, described(j, lcm.VimConnectionInfo{ID: "own", VimID: "of-the-nfvo"}))
	for _, other := range []lcm.VimConnectionInfo{
		{ID: "other", VimID: "of-the-nfvo"},
		{ID: "own", VimID: "another"},
		{ID: "own", VimID: "of-the-nfvo", InterfaceInfo: map[string]any{"endpoint": "https://elsewhere"}},
	} {
		require.Equal(t, other, described(j, other))
	}
}

func TestReachable_takesAConnectionThatSaysAllItselfAsItIs(t *testing.T) {
	t.Parallel()
	c := lcm.VimConnectionInfo{
		ID: "own", VimID: "nobody-has-it", VimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3",
		InterfaceInfo: map[string]any{"endpoint": "https://c"},
		AccessInfo:    map[string]any{"username": "u", "password": "***", "project": "p"},
	}
	got, err := (&Grants{}).reachable(t.Context(), c, lcm.VimOpenStack) // without a store, because no look-up is needed
	require.NoError(t, err)
	require.Equal(t, c, got)

	guard := outbound.Guard{
		Denied: []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16")}, Section: "vims", What: "no VIM may have it",
	}
	c.InterfaceInfo = map[string]any{"endpoint": "http://169.254.169.254/v3"}
	_, err = (&Grants{VimGuard: guard}).reachable(t.Context(), c, lcm.VimOpenStack)
	require.ErrorContains(t, err, "is denied: no VIM may have it (vims.deniedNetworks)")
}

func mixed() *operations.Operation {
	return &operations.Operation{
		Flavour: &descriptor.Flavour{
			Hybrid: true, Vdus: []descriptor.Vdu{{ID: "vm"}, {ID: "web", Containers: true}},
			Cps: []descriptor.VduCp{{ID: "vm_cp", VduID: "vm", External: true}, {ID: "web_cp", VduID: "web", External: true}},
		},
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{}},
	}
}

func TestConnections_areOneOfEachKind(t *testing.T) {
	j := mixed()
	j.Instance.Instantiated, j.OpOcc.Operation = nil, lcm.OpInstantiate
	j.Request.VimConnections = []lcm.VimConnectionInfo{
		{ID: "os", VimID: "1", VimType: "openstack"}, {ID: "k8s", VimID: "2", VimType: "kubernetes"},
	}
	add := func(vdu, on string) lcm.GrantResource {
		return lcm.GrantResource{Type: lcm.GrantCompute, VduID: vdu, VimConnectionID: on}
	}
	given, err := (&Grants{Operations: &operations.Resolver{}}).connections(t.Context(), j,
		lcm.Grant{AddResources: []lcm.GrantResource{add("web", "k8s"), add("vm", "os"), add("vm", "")}})
	require.NoError(t, err)
	require.Equal(t, j.Request.VimConnections, given)

	_, err = (&Grants{Operations: &operations.Resolver{}}).connections(t.Context(), j,
		lcm.Grant{AddResources: []lcm.GrantResource{add("vm", "os"), add("vm", "another")}})
	require.ErrorContains(t, err, "cannot be on several VIMs")
}
