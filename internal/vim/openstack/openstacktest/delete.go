package openstacktest

import (
	"context"
	"strings"
	"sync"

	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"
)

func (s *site) deletesUnderWay() {
	st := s.stack(slow, map[string]any{"seconds": 600}, nil)
	s.begin(st)
	s.delete(silent)
	s.requireWorks(s.cloud) // it is gone
	s.delete(silent)
}

const network = header + `
resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.99.77.0/24}}
`

// deletesAgain keeps a network in use by a port that does not belong to the stack, until Heat has failed. A real Heat
// takes more than a minute for each failure, so the check causes only one failure.
func (s *site) deletesAgain() {
	s.create(s.stack(network, nil, nil), silent)
	free := s.occupyNetwork()
	defer free()

	var told lines
	s.delete(func(line string) {
		told.add(line)
		if strings.HasPrefix(line, s.name+" DELETE_FAILED") {
			free()
		}
	})
	s.requireOrder(&told, "subnet DELETE_IN_PROGRESS", "subnet DELETE_FAILED: ", s.name+" DELETE_FAILED: ",
		"Heat could not delete everything",
		s.name+" DELETE_IN_PROGRESS", "subnet DELETE_COMPLETE")
	s.requireWorks(s.cloud) // it is gone
}

// waitsForPorts deletes a stack while a port that does not belong to the stack still uses its network for a moment:
// Heat itself retries for a while.
func (s *site) waitsForPorts() {
	s.create(s.stack(network, nil, nil), silent)
	free := s.occupyNetwork()
	defer free()
	var told lines
	s.delete(func(line string) {
		told.add(line)
		if strings.HasPrefix(line, "subnet DELETE_IN_PROGRESS") {
			free()
		}
	})
	require.NotContains(s, told.String(), s.name+" DELETE_FAILED")
	s.requireWorks(s.cloud) // it is gone
}

// occupyNetwork creates a port on the stack's network that does not belong to the stack; free deletes the port.
func (s *site) occupyNetwork() (free func()) {
	s.Helper()
	inv := s.inventory()
	net := s.resource(inv, inv.ID, "net")
	neutron := s.service(client.NewNetworkV2)
	port, err := ports.Create(s.Context(), neutron, ports.CreateOpts{NetworkID: net.ID, Name: s.name}).Extract()
	require.NoError(s, err)
	return sync.OnceFunc(func() {
		require.NoError(s, ports.Delete(context.WithoutCancel(s.Context()), neutron, port.ID).ExtractErr())
	})
}
