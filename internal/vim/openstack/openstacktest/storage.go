package openstacktest

import (
	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// storageTop is a storage server. Its port and its volume are separate resources.
const storageTop = header + `
parameters:
  image: {type: string}
  flavor: {type: string}
  network: {type: string}
resources:
  disk: {type: OS::Cinder::Volume, properties: {size: 1}}
  cp: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
  server:
    type: OS::Nova::Server
    properties:
      image: {get_param: image}
      flavor: {get_param: flavor}
      block_device_mapping_v2: [{device_name: vdb, volume_id: {get_resource: disk}, boot_index: -1}]
      networks: [{port: {get_resource: cp}}]
`

// storage replaces a server twice: first it keeps its volume, then it gets another volume. The port and its address
// stay both times.
func (s *site) storage() {
	s.create(s.stack(storageTop, nil, nil), silent)
	inv := s.inventory()
	server, disk := s.resource(inv, inv.ID, "server"), s.resource(inv, inv.ID, "disk")
	address := s.requireStorage(inv)
	lost, err := s.cloud.VolumesLost(s.Context(), server.ID)
	require.NoError(s, err)
	require.Empty(s, lost, "Heat's default is that volumes stay")

	for range 2 {
		require.NoError(s, s.cloud.DeleteServer(s.Context(), server.ID))
	}
	cinder := s.service(client.NewBlockStorageV3)
	volume, err := volumes.Get(s.Context(), cinder, disk.ID).Extract()
	require.NoError(s, err)
	require.Equal(s, "available", volume.Status)
	s.update(nil, silent, server)
	inv = s.inventory()
	require.Equal(s, disk.ID, s.resource(inv, inv.ID, "disk").ID, "the volume is the same")
	require.Equal(s, address, s.requireStorage(inv))

	next := s.resource(inv, inv.ID, "server")
	require.NotEqual(s, server.ID, next.ID)
	s.update(nil, silent, next, disk)
	inv = s.inventory()
	require.NotEqual(s, disk.ID, s.resource(inv, inv.ID, "disk").ID, "the volume is another one")
	require.Equal(s, address, s.requireStorage(inv))
	_, err = volumes.Get(s.Context(), cinder, disk.ID).Extract()
	require.True(s, gophercloud.ResponseCodeIs(err, 404), "the former volume is gone: %v", err)
}

// requireStorage checks that the server has the volume and the port, and returns its address.
func (s *site) requireStorage(inv *vim.Inventory) (address string) {
	s.Helper()
	server := s.resource(inv, inv.ID, "server").ID
	require.Equal(s, []string{s.resource(inv, inv.ID, "disk").ID}, inv.Servers[server].VolumeIDs)
	port := inv.Ports[s.resource(inv, inv.ID, "cp").ID]
	require.Equal(s, server, port.ServerID)
	return port.Address
}
