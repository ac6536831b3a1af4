package openstacktest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// clusterTop has the resources of Kubernetes packages' templates: a single server with a volume and a server group, a
// group of servers, and a group of ports.
const clusterTop = header + `
parameters:
  image: {type: string}
  flavor: {type: string}
  network: {type: string}
  public_key: {type: string}
  workers: {type: number}
resources:
  login: {type: OS::Nova::KeyPair, properties: {name: {get_param: "OS::stack_name"}, public_key: {get_param: public_key}}}
  open:
    type: OS::Neutron::SecurityGroup
    properties: {rules: [{protocol: icmp}, {protocol: tcp, port_range_min: 22, port_range_max: 22}]}
  apart: {type: OS::Nova::ServerGroup, properties: {policies: [soft-anti-affinity]}}
  solo_cp: {type: OS::Neutron::Port, properties: {network: {get_param: network}, security_groups: [{get_resource: open}]}}
  solo:
    type: OS::Nova::Server
    properties:
      name: {list_join: ["-", [{get_param: "OS::stack_name"}, solo]]}
      image: {get_param: image}
      flavor: {get_param: flavor}
      key_name: {get_resource: login}
      networks: [{port: {get_resource: solo_cp}}]
      scheduler_hints: {group: {get_resource: apart}}
  disk: {type: OS::Cinder::Volume, properties: {size: 1}}
  attached: {type: OS::Cinder::VolumeAttachment, properties: {instance_uuid: {get_resource: solo}, volume_id: {get_resource: disk}}}
  worker:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 0
      max_size: 3
      desired_capacity: {get_param: workers}
      resource:
        type: worker.yaml
        properties: {image: {get_param: image}, flavor: {get_param: flavor}, network: {get_param: network}, key: {get_resource: login}, open: {get_resource: open}}
  spare:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: spare.yaml, properties: {network: {get_param: network}}}}
`

var clusterFiles = map[string]string{
	"worker.yaml": header + `
parameters:
  image: {type: string}
  flavor: {type: string}
  network: {type: string}
  key: {type: string}
  open: {type: string}
resources:
  cp: {type: OS::Neutron::Port, properties: {network: {get_param: network}, security_groups: [{get_param: open}]}}
  vdu:
    type: OS::Nova::Server
    properties: {image: {get_param: image}, flavor: {get_param: flavor}, key_name: {get_param: key}, networks: [{port: {get_resource: cp}}]}
`,
	"spare.yaml": header + `
parameters:
  network: {type: string}
resources:
  cp: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
`,
}

// cluster follows one stack of servers through its life; real servers take seconds to minutes.
func (s *site) cluster() {
	private, public := key(s.T)
	s.create(s.stack(clusterTop, map[string]any{"workers": 1, "public_key": public}, clusterFiles), silent)
	inv := s.inventory()
	s.addresses(inv)
	solo := s.resource(inv, inv.ID, "solo")
	s.attachedVolume(inv, solo.ID)
	s.insideGuest(inv, solo, private)
	s.placement(inv, solo)
	s.power(solo.ID)

	two := s.growth()
	healed := s.replacesServer(two)
	renewed := s.replacesMember(healed)
	shrunk := s.shrinks(renewed)
	s.takesMarkBack(shrunk)
	s.vanishes()
}

func (s *site) resource(inv *vim.Inventory, stackID, name string) vim.Resource {
	s.Helper()
	r, ok := inv.In(stackID, name)
	require.True(s, ok, "the stack %s has no resource %s", stackID, name)
	return r
}

// addresses checks which server has which port, and that Nova and Neutron report the same addresses.
func (s *site) addresses(inv *vim.Inventory) {
	for group, servers := range map[string]int{"": 1, "worker": 1, "spare": 0} {
		members, err := inv.Members(group)
		require.NoError(s, err)
		if group == "spare" {
			require.Len(s, members, 2)
		}
		for _, id := range members {
			name := map[string]string{"": "solo_cp"}[group] + map[bool]string{true: "cp"}[group != ""]
			port := inv.Ports[s.resource(inv, id, name).ID]
			require.NotEmpty(s, port.Address, group)
			require.NotEmpty(s, port.MAC, group)
			require.Equal(s, port.Address, port.FixedIPs[0].Address, group)
			require.Equal(s, servers == 1, port.ServerID != "", group)
			if servers == 1 {
				require.Contains(s, inv.Servers, port.ServerID)
				require.Equal(s, []string{port.Address}, inv.Servers[port.ServerID].Addresses, group)
			}
		}
	}
	_, err := inv.Members("solo_cp")
	require.NoError(s, err, "a port is no group, and has no members")
	_, err = inv.Members("nothing")
	s.requireKind(lcm.KindInvalid, err, "nothing")
}

func (s *site) attachedVolume(inv *vim.Inventory, serverID string) {
	disk := s.resource(inv, inv.ID, "disk").ID
	require.Equal(s, []string{disk}, inv.Servers[serverID].VolumeIDs)
	list, err := s.cloud.Attachments(s.Context(), serverID)
	require.NoError(s, err)
	require.Len(s, list, 1)
	require.Equal(s, disk, list[0].VolumeID)
	require.True(s, strings.HasPrefix(list[0].Device, "/dev/"), list[0].Device)
}

// placement checks the data for a node's labels.
func (s *site) placement(inv *vim.Inventory, solo vim.Resource) {
	groups, err := s.cloud.ServerGroups(s.Context())
	require.NoError(s, err)
	at := slices.IndexFunc(groups, func(g openstack.ServerGroup) bool {
		return g.ID == s.resource(inv, inv.ID, "apart").ID
	})
	require.GreaterOrEqual(s, at, 0)
	require.Equal(s, []string{"soft-anti-affinity", solo.ID},
		append([]string{groups[at].Policy}, groups[at].Members...))
	state, err := s.cloud.ServerState(s.Context(), solo.ID)
	require.NoError(s, err)
	require.Equal(s, "ACTIVE", state.Status)
	require.NotEmpty(s, state.HostID)
	require.NotEmpty(s, state.Zone)
	server := inv.Servers[solo.ID]
	require.Equal(s, []string{state.Name, state.HostID, state.Zone, state.Host},
		[]string{server.Name, server.HostID, server.Zone, server.Host})
	require.Equal(s, s.name+"-solo", server.Name)
	require.Empty(s, server.Host, "only administrators see the hypervisor")
}

// power stops, starts and reboots a server, each twice.
func (s *site) power(id string) {
	ctx, done := context.WithTimeout(s.Context(), s.Patience)
	defer done()
	status := func() string {
		state, err := s.cloud.ServerState(ctx, id)
		require.NoError(s, err)
		require.Empty(s, state.Task)
		return state.Status
	}
	for range 2 {
		require.NoError(s, s.cloud.StopServer(ctx, id))
		require.Equal(s, "SHUTOFF", status())
	}
	for range 2 {
		require.NoError(s, s.cloud.StartServer(ctx, id))
		require.Equal(s, "ACTIVE", status())
	}
	for _, hard := range []bool{false, true} {
		require.NoError(s, s.cloud.RebootServer(ctx, id, hard))
		require.Equal(s, "ACTIVE", status())
	}
	require.Eventually(s, func() bool {
		console, err := s.cloud.ConsoleOutput(ctx, id, 20)
		require.NoError(s, err)
		return strings.TrimSpace(console) != ""
	}, s.Patience, 200*time.Millisecond)

	nobody := "0b1f3c52-0000-4000-8000-3f9c00000000"
	for _, err := range []error{
		s.cloud.StopServer(ctx, nobody), s.cloud.StartServer(ctx, nobody),
		s.cloud.RebootServer(ctx, nobody, true),
	} {
		s.requireKind(lcm.KindNotFound, err, nobody)
	}
	_, err := s.cloud.ConsoleOutput(ctx, nobody, 1)
	s.requireKind(lcm.KindNotFound, err)
}

// vanishes deletes the stack and checks that its resources are gone.
func (s *site) vanishes() {
	inv := s.inventory()
	var told lines
	s.delete(told.add)
	require.NotContains(s, told.String(), "CREATE")
	s.delete(silent)
	neutron, cinder := s.service(client.NewNetworkV2), s.service(client.NewBlockStorageV3)
	for id := range inv.Servers {
		_, err := s.cloud.ServerState(s.Context(), id)
		s.requireKind(lcm.KindNotFound, err)
	}
	for id := range inv.Ports {
		_, err := ports.Get(s.Context(), neutron, id).Extract()
		require.True(s, gophercloud.ResponseCodeIs(err, 404), "port %s: %v", id, err)
	}
	for _, r := range inv.OfKind(vim.Storage) {
		_, err := volumes.Get(s.Context(), cinder, r.ID).Extract()
		require.True(s, gophercloud.ResponseCodeIs(err, 404), "volume %s: %v", r.ID, err)
	}
}
