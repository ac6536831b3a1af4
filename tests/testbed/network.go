package testbed

import (
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
	"github.com/stretchr/testify/require"
)

// AddNetwork makes a network with one subnet in the cloud, beside those that it was born with. remove takes it away again.
func (b *Bed) AddNetwork(t testing.TB, name, cidr string) (id string, remove func()) {
	t.Helper()
	login := b.Cloud.Login()
	provider, err := login.Client(t.Context())
	require.NoError(t, err)
	neutron, err := openstack.NewNetworkV2(provider, login.Endpoint())
	require.NoError(t, err)
	network, err := networks.Create(t.Context(), neutron, networks.CreateOpts{Name: name}).Extract()
	require.NoError(t, err)
	_, err = subnets.Create(t.Context(), neutron, subnets.CreateOpts{NetworkID: network.ID, CIDR: cidr, IPVersion: 4}).Extract()
	require.NoError(t, err)
	return network.ID, func() {
		t.Helper()
		require.NoError(t, networks.Delete(t.Context(), neutron, network.ID).ExtractErr())
	}
}
