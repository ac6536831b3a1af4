package openstacktest

import (
	"context"
	"net/netip"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// memberTop is a group with one server. Its port has a fixed address, as in Tacker's packages.
const memberTop = header + `
parameters:
  image: {type: string}
  flavor: {type: string}
  cidr: {type: string}
  address: {type: string}
resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: {get_param: cidr}}}
  group:
    type: OS::Heat::AutoScalingGroup
    depends_on: subnet
    properties:
      min_size: 1
      max_size: 1
      resource:
        type: member.yaml
        properties: {image: {get_param: image}, flavor: {get_param: flavor}, network: {get_resource: net}, address: {get_param: address}}
`

var memberFiles = map[string]string{"member.yaml": header + `
parameters:
  image: {type: string}
  flavor: {type: string}
  network: {type: string}
  address: {type: string}
resources:
  cp: {type: OS::Neutron::Port, properties: {network: {get_param: network}, fixed_ips: [{ip_address: {get_param: address}}]}}
  vdu:
    type: OS::Nova::Server
    properties: {image: {get_param: image}, flavor: {get_param: flavor}, networks: [{port: {get_resource: cp}}]}
`}

// withinMembers replaces resources within a member that has a fixed address: first the server alone, then the server
// with its port. Heat cannot replace the whole member: it makes the successor first, but the address is still in use.
func (s *site) withinMembers() {
	s.create(s.stack(memberTop, map[string]any{"cidr": s.spare().String(), "address": s.memberAddress()}, memberFiles),
		silent)
	member, server, port := s.onlyMember()

	s.update(nil, silent, server)
	_, next, same := s.onlyMember()
	require.NotEqual(s, server.ID, next.ID)
	require.Equal(s, port.ID, same.ID)
	_, err := s.cloud.ServerState(s.Context(), server.ID)
	s.requireKind(lcm.KindNotFound, err)

	for range 2 {
		require.NoError(s, s.cloud.UnplugPort(s.Context(), next.ID, same.ID))
	}
	for _, state := range []struct {
		holder string
		ports  int
	}{{"", 0}, {next.ID, 1}} {
		list, err := s.cloud.PortsByID(s.Context(), same.ID)
		require.NoError(s, err)
		require.Len(s, list, 1)
		require.Equal(s, state.holder, list[0].ServerID)
		require.Equal(s, s.memberAddress(), list[0].Address)
		plugged, err := s.cloud.PortsOf(s.Context(), next.ID)
		require.NoError(s, err)
		require.Len(s, plugged, state.ports)
		for range 2 {
			require.NoError(s, s.cloud.PlugPort(s.Context(), next.ID, same.ID))
		}
	}

	s.update(nil, silent, next, same)
	_, server, port = s.onlyMember()
	require.NotEqual(s, next.ID, server.ID)
	require.NotEqual(s, same.ID, port.ID, "another port, with the same address")

	ctx, done := context.WithTimeout(s.Context(), s.Patience)
	defer done()
	err = s.cloud.UpdateStack(ctx, openstack.Change{
		Name: s.name, Owner: owner, Operation: "op-3", Replace: []vim.Resource{member}, Timeout: s.Patience,
	}, silent)
	require.ErrorContains(s, err, s.memberAddress()+" already allocated")
	state, err := s.cloud.ServerState(s.Context(), server.ID)
	require.NoError(s, err, "nothing is deleted")
	require.Equal(s, "ACTIVE", state.Status)
}

// onlyMember returns the group's only member with its server and its port.
func (s *site) onlyMember() (member, server, port vim.Resource) {
	s.Helper()
	inv := s.inventory()
	list, err := inv.MemberResources("group")
	require.NoError(s, err)
	require.Len(s, list, 1)
	server, port = s.resource(inv, list[0].ID, "vdu"), s.resource(inv, list[0].ID, "cp")
	require.Equal(s, server.ID, inv.Ports[port.ID].ServerID)
	require.Equal(s, s.memberAddress(), inv.Ports[port.ID].Address)
	require.Equal(s, "ACTIVE", inv.Servers[server.ID].Status)
	return list[0], server, port
}

// spare returns addresses for a network that the check makes.
func (s *site) spare() netip.Prefix {
	if s.Spare.IsValid() {
		return s.Spare
	}
	return netip.MustParsePrefix("10.99.78.0/24")
}

// memberAddress returns an address that Neutron is unlikely to assign by itself.
func (s *site) memberAddress() string {
	address := s.spare().Addr().As4()
	address[3] = 150
	return netip.AddrFrom4(address).String()
}
