package testbed

import (
	"net"
	"net/netip"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// Network is a network with one subnet, which the lab did not have at its start.
type Network struct {
	ID     string
	Subnet netip.Prefix

	neutron          *gophercloud.ServiceClient
	subnetID, router string
}

// AddNetwork creates a network with addresses of the lab's own block. Fake machines listen on their addresses, so no
// two labs on this host may use the same ones, also not labs of other users.
func (b *Bed) AddNetwork(t testing.TB, name string) Network {
	t.Helper()
	n := b.newNetwork(t, name)
	n.Subnet = freeSubnet(t, n.neutron)
	n.addSubnet(t, 4)
	return n
}

// AddIPv6Network creates a network that has IPv6 addresses only, with a router: this host reaches them. Only real machines
// can use it.
func (b *Bed) AddIPv6Network(t testing.TB, name string) Network {
	t.Helper()
	n := b.newNetwork(t, name)
	lab := b.Net0(t).Addr().As4() // so that two labs on this host have different ones
	n.Subnet = netip.PrefixFrom(netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x7a, 2: lab[1], 3: lab[2]}), 64)
	n.addSubnet(t, 6)
	router, err := routers.Create(t.Context(), n.neutron, routers.CreateOpts{Name: name}).Extract()
	require.NoError(t, err)
	n.router = router.ID
	_, err = routers.AddInterface(t.Context(), n.neutron, n.router, routers.AddInterfaceOpts{SubnetID: n.subnetID}).Extract()
	require.NoError(t, err)
	return n
}

func (b *Bed) newNetwork(t testing.TB, name string) (n Network) {
	t.Helper()
	n.neutron = b.neutron(t)
	made, err := networks.Create(t.Context(), n.neutron, networks.CreateOpts{Name: name}).Extract()
	require.NoError(t, err)
	n.ID = made.ID
	return n
}

func (b *Bed) neutron(t testing.TB) *gophercloud.ServiceClient {
	t.Helper()
	return Service(t, b.Cloud.Login(), openstack.NewNetworkV2)
}

// Service returns a client of one of the cloud's services, which open is for.
func Service(t testing.TB, login environment.Login,
	open func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error),
) *gophercloud.ServiceClient {
	t.Helper()
	provider, err := login.Client(t.Context())
	require.NoError(t, err)
	client, err := open(provider, login.Endpoint())
	require.NoError(t, err)
	return client
}

func (n *Network) addSubnet(t testing.TB, version gophercloud.IPVersion) {
	t.Helper()
	made, err := subnets.Create(t.Context(), n.neutron,
		subnets.CreateOpts{NetworkID: n.ID, CIDR: n.Subnet.String(), IPVersion: version}).Extract()
	require.NoError(t, err)
	n.subnetID = made.ID
}

// Host returns the nth address of the network.
func (n Network) Host(nth byte) string {
	bytes := n.Subnet.Addr().As4()
	bytes[3] += nth
	return netip.AddrFrom4(bytes).String()
}

// Remove deletes the network, and its router.
func (n Network) Remove(t testing.TB) {
	t.Helper()
	if n.router != "" {
		_, err := routers.RemoveInterface(t.Context(), n.neutron, n.router,
			routers.RemoveInterfaceOpts{SubnetID: n.subnetID}).Extract()
		require.NoError(t, err)
		require.NoError(t, routers.Delete(t.Context(), n.neutron, n.router).ExtractErr())
	}
	require.NoError(t, networks.Delete(t.Context(), n.neutron, n.ID).ExtractErr())
}

// RemoveNetworks deletes networks by their names.
func (b *Bed) RemoveNetworks(t testing.TB, names ...string) {
	t.Helper()
	neutron := b.neutron(t)
	for _, name := range names {
		pages, err := networks.List(neutron, networks.ListOpts{Name: name}).AllPages(t.Context())
		require.NoError(t, err)
		found, err := networks.ExtractNetworks(pages)
		require.NoError(t, err)
		require.Len(t, found, 1, name)
		Network{ID: found[0].ID, neutron: neutron}.Remove(t)
	}
}

// A lab with fake machines has a block of sixteen times 256 addresses: eight are net0's, one is the external network's.
const (
	ofTheLab = 9
	ofABlock = 16
)

// freeSubnet returns a part of the lab's block that no subnet uses.
func freeSubnet(t testing.TB, neutron *gophercloud.ServiceClient) netip.Prefix {
	t.Helper()
	pages, err := subnets.List(neutron, nil).AllPages(t.Context())
	require.NoError(t, err)
	all, err := subnets.ExtractSubnets(pages)
	require.NoError(t, err)
	var taken []netip.Prefix
	for _, s := range all {
		taken = append(taken, netip.MustParsePrefix(s.CIDR))
	}
	first := SubnetOf(t, neutron, "net0").Addr().As4() // the network that the lab had at its start
	for nth := byte(ofTheLab); nth < ofABlock; nth++ {
		free := netip.PrefixFrom(netip.AddrFrom4([4]byte{first[0], first[1], first[2] + nth, 0}), 24)
		if !slices.ContainsFunc(taken, free.Overlaps) {
			return free
		}
	}
	require.FailNow(t, "no addresses", "the lab's block is used up by %v", taken)
	return netip.Prefix{}
}

// Net0 returns the subnet of the lab's network net0, which the sample's machines are on.
func (b *Bed) Net0(t testing.TB) netip.Prefix {
	t.Helper()
	lab, ok := b.Cloud.(*environment.Lab)
	require.True(t, ok, "the cloud is no lab")
	return lab.Net0()
}

// HostOfMachines returns this host's address as the lab's machines on net0 see it.
func (b *Bed) HostOfMachines(t testing.TB) string {
	t.Helper()
	gateway := b.Net0(t).Addr().Next().String()
	conn, err := new(net.Dialer).DialContext(t.Context(), "udp", net.JoinHostPort(gateway, "9"))
	require.NoError(t, err)
	defer conn.Close()
	host, _, err := net.SplitHostPort(conn.LocalAddr().String())
	require.NoError(t, err)
	return host
}

// SubnetOf returns the address range of a network with one subnet.
func SubnetOf(t testing.TB, neutron *gophercloud.ServiceClient, network string) netip.Prefix {
	t.Helper()
	pages, err := networks.List(neutron, networks.ListOpts{Name: network}).AllPages(t.Context())
	require.NoError(t, err)
	found, err := networks.ExtractNetworks(pages)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Len(t, found[0].Subnets, 1)
	subnet, err := subnets.Get(t.Context(), neutron, found[0].Subnets[0]).Extract()
	require.NoError(t, err)
	return netip.MustParsePrefix(subnet.CIDR)
}
