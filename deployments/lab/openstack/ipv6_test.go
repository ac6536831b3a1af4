package openstack_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"
)

func (b *bench) bareNetwork(sc *gophercloud.ServiceClient, name string) string {
	b.t.Helper()
	n, err := networks.Create(b.t.Context(), sc, networks.CreateOpts{Name: name}).Extract()
	require.NoError(b.t, err)
	return n.ID
}

func (b *bench) subnet(sc *gophercloud.ServiceClient, o subnets.CreateOpts) string {
	b.t.Helper()
	s, err := subnets.Create(b.t.Context(), sc, o).Extract()
	require.NoError(b.t, err)
	return s.ID
}

func TestSubnets_ofIPv6GiveAddressesOfTheirOwn(t *testing.T) {
	b := newBench(t)
	sc := b.neutron()
	net := b.bareNetwork(sc, "dual")
	four := b.subnet(sc, subnets.CreateOpts{NetworkID: net, IPVersion: 4, CIDR: "10.9.0.0/24"})
	stateful := b.subnet(sc, subnets.CreateOpts{
		NetworkID: net, IPVersion: 6, CIDR: "fd00:9::/64",
		IPv6AddressMode: "dhcpv6-stateful", IPv6RAMode: "dhcpv6-stateful",
	})
	slaac := b.subnet(sc, subnets.CreateOpts{
		NetworkID: net, IPVersion: 6, CIDR: "fd00:a::/64", IPv6AddressMode: "slaac", IPv6RAMode: "slaac",
	})

	p, err := ports.Create(t.Context(), sc, ports.CreateOpts{NetworkID: net, MACAddress: "fa:16:3e:01:02:03"}).Extract()
	require.NoError(t, err)
	got := map[string]netip.Addr{}
	for _, ip := range p.FixedIPs {
		got[ip.SubnetID] = netip.MustParseAddr(ip.IPAddress)
	}
	require.Len(t, got, 3)
	require.True(t, netip.MustParsePrefix("10.9.0.0/24").Contains(got[four]))
	require.True(t, netip.MustParsePrefix("fd00:9::/64").Contains(got[stateful]))
	require.Equal(t, "fd00:a::f816:3eff:fe01:203", got[slaac].String(), "made of the MAC address")

	wanted, err := ports.Create(t.Context(), sc, ports.CreateOpts{
		NetworkID: net,
		FixedIPs:  []ports.IP{{IPAddress: "fd00:9::77"}},
	}).Extract()
	require.NoError(t, err)
	require.Equal(t, "fd00:9::77", wanted.FixedIPs[0].IPAddress)
	for address, code := range map[string]int{
		"fd00:9::77": http.StatusConflict, "fd00:a::5": http.StatusBadRequest, "fd00:ffff::1": http.StatusBadRequest,
	} {
		_, err = ports.Create(t.Context(), sc, ports.CreateOpts{
			NetworkID: net,
			FixedIPs:  []ports.IP{{IPAddress: address}},
		}).Extract()
		requireCode(t, code, err)
	}
	requireCode(t, http.StatusConflict, subnets.Delete(t.Context(), sc, stateful).ExtractErr())
	require.NoError(t, subnets.Delete(t.Context(), sc, slaac).ExtractErr(),
		"addresses that ports make themselves do not keep it")
	p, err = ports.Get(t.Context(), sc, p.ID).Extract()
	require.NoError(t, err)
	require.Len(t, p.FixedIPs, 2)
}

// TestRouters_leadToIPv6 checks what the machines are told of a network that has both versions.
func TestRouters_leadToIPv6(t *testing.T) {
	b := newBench(t)
	sc := b.neutron()
	net := b.bareNetwork(sc, "routed")
	b.subnet(sc, subnets.CreateOpts{NetworkID: net, IPVersion: 4, CIDR: "10.9.1.0/24"})
	six := b.subnet(sc, subnets.CreateOpts{NetworkID: net, IPVersion: 6, CIDR: "fd00:9:1::/64"})
	require.False(t, b.machines.networks[net].Gateway6.IsValid(), "no router yet")
	router, err := routers.Create(t.Context(), sc, routers.CreateOpts{Name: "six"}).Extract()
	require.NoError(t, err)
	_, err = routers.AddInterface(t.Context(), sc, router.ID, routers.AddInterfaceOpts{SubnetID: six}).Extract()
	require.NoError(t, err)
	n := b.machines.networks[net]
	require.Equal(t, "fd00:9:1::/64", n.CIDR6.String())
	require.Equal(t, "fd00:9:1::1", n.Gateway6.String())
	require.Equal(t, "10.9.1.0/24", n.CIDR.String())
	require.False(t, n.Gateway.IsValid(), "the router does not lead to the subnet of IPv4")
}

func TestSubnets_areRefusedAsNeutronDoes(t *testing.T) {
	b := newBench(t)
	sc := b.neutron()
	net := b.bareNetwork(sc, "n")
	b.subnet(sc, subnets.CreateOpts{NetworkID: net, IPVersion: 4, CIDR: "10.9.0.0/24"})
	for what, o := range map[string]subnets.CreateOpts{
		"overlaps with another subnet": {IPVersion: 4, CIDR: "10.9.0.128/25"},
		"does not match":               {IPVersion: 4, CIDR: "fd00::/64"},
		"cannot be set when":           {IPVersion: 4, CIDR: "10.8.0.0/24", IPv6AddressMode: "slaac"},
		"must be the same": {
			IPVersion: 6, CIDR: "fd00::/64", IPv6AddressMode: "slaac", IPv6RAMode: "dhcpv6-stateful",
		},
		"to be /64": {IPVersion: 6, CIDR: "fd00::/60", IPv6AddressMode: "slaac", IPv6RAMode: "slaac"},
	} {
		o.NetworkID = net
		_, err := subnets.Create(t.Context(), sc, o).Extract()
		requireCode(t, http.StatusBadRequest, err)
		require.Contains(t, err.Error(), what)
	}
}

// TestSubnets_ofSeparateNetworksOverlap checks that two networks may have the same addresses, but one router cannot be
// connected to both.
func TestSubnets_ofSeparateNetworksOverlap(t *testing.T) {
	b := newBench(t)
	sc := b.neutron()
	var addresses []string
	var ids []string
	for _, name := range []string{"one", "two"} {
		net := b.bareNetwork(sc, name)
		ids = append(ids, b.subnet(sc, subnets.CreateOpts{NetworkID: net, IPVersion: 4, CIDR: "10.0.0.0/24"}))
		p, err := ports.Create(t.Context(), sc, ports.CreateOpts{
			NetworkID: net,
			FixedIPs:  []ports.IP{{IPAddress: "10.0.0.7"}},
		}).Extract()
		require.NoError(t, err)
		addresses = append(addresses, p.FixedIPs[0].IPAddress)
	}
	require.Equal(t, []string{"10.0.0.7", "10.0.0.7"}, addresses)

	var router struct{ Router struct{ ID string } }
	_, err := sc.Post(t.Context(), sc.ServiceURL("routers"), map[string]any{"router": map[string]any{"name": "r"}},
		&router, nil)
	require.NoError(t, err)
	plug := func(subnet string) error {
		_, err := sc.Put(t.Context(), sc.ServiceURL("routers", router.Router.ID, "add_router_interface"),
			map[string]any{"subnet_id": subnet}, nil, &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK}})
		return err
	}
	require.NoError(t, plug(ids[0]))
	err = plug(ids[1])
	requireCode(t, http.StatusBadRequest, err)
	require.Contains(t, err.Error(), "overlaps with cidr 10.0.0.0/24")
}

const dualStack = `heat_template_version: 2016-10-14
resources:
  net: { type: OS::Neutron::Net }
  four:
    type: OS::Neutron::Subnet
    properties: { network: { get_resource: net }, cidr: 10.0.0.0/24 }
  six:
    type: OS::Neutron::Subnet
    properties: { network: { get_resource: net }, ip_version: 6, cidr: "fd00:9::/64", ipv6_address_mode: dhcpv6-stateful, ipv6_ra_mode: dhcpv6-stateful }
  port:
    type: OS::Neutron::Port
    depends_on: [ four, six ]
    properties: { network: { get_resource: net } }
  bare: { type: OS::Neutron::Net }
  bare_port:
    type: OS::Neutron::Port
    properties: { network: { get_resource: bare }, no_fixed_ips: true }
  server:
    type: OS::Nova::Server
    properties:
      image: debian-12-k8s
      flavor: m1.small
      networks: [ { port: { get_resource: port } }, { port: { get_resource: bare_port } } ]
`

func TestStack_ofADualStackNetworkAndOneWithoutAddresses(t *testing.T) {
	b := newBench(t)
	sc := b.heat()
	for _, name := range []string{"first", "second"} { // with the same addresses, in separate networks
		st := b.await(sc, b.create(sc, name, template(dualStack, nil), nil), "CREATE_COMPLETE")
		server := ofType(b.resources(sc, st, 1), "OS::Nova::Server")[0]
		s, err := servers.Get(t.Context(), b.nova(), server.PhysicalID).Extract()
		require.NoError(t, err)
		versions := []any{}
		for _, list := range s.Addresses {
			for _, a := range list.([]any) {
				versions = append(versions, a.(map[string]any)["version"])
			}
		}
		require.Equal(t, []any{float64(4), float64(6)}, versions)
		port := ofType(b.resources(sc, st, 1), "OS::Neutron::Port")
		for _, p := range port {
			if p.Name == "port" {
				require.Len(t, b.machines.port(p.PhysicalID).FixedIPs, 1)
				require.Regexp(t, `^fd00:9::.*/64$`, b.machines.port(p.PhysicalID).IPv6[0])
			} else {
				require.Empty(t, b.machines.port(p.PhysicalID).FixedIPs)
			}
		}
	}
	for _, name := range []string{"first", "second"} {
		st, err := stacks.Find(t.Context(), sc, name).Extract()
		require.NoError(t, err)
		require.NoError(t, stacks.Delete(t.Context(), sc, st.Name, st.ID).ExtractErr())
		b.await(sc, st.ID, "DELETE_COMPLETE")
	}
	b.requireEmpty()
}

// TestServer_refusesAPortWithoutAnAddress checks that Nova refuses a port without an address, unless the port was made
// so on purpose.
func TestServer_refusesAPortWithoutAnAddress(t *testing.T) {
	b := newBench(t)
	sc := b.neutron()
	p, err := ports.Create(t.Context(), sc, ports.CreateOpts{NetworkID: b.bareNetwork(sc, "bare")}).Extract()
	require.NoError(t, err)
	_, err = servers.Create(t.Context(), b.nova(),
		servers.CreateOpts{
			Name: "s", FlavorRef: "2", ImageRef: b.imageID("debian-12-k8s"), Networks: []servers.Network{{Port: p.ID}},
		}, nil).Extract()
	requireCode(t, http.StatusBadRequest, err)
	require.Contains(t, err.Error(), "requires a FixedIP in order to be used")
}
