package openstacktest

import (
	"context"
	"strings"

	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
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

// deletesAgain keeps a network busy with a port that is not the stack's.
func (s *site) deletesAgain() {
	s.create(s.stack(network, nil, nil), silent)
	inv := s.inventory()
	net, ok := inv.In(inv.StackID, "net")
	require.True(s, ok)
	neutron := s.service(client.NewNetworkV2)
	port, err := ports.Create(s.Context(), neutron, ports.CreateOpts{NetworkID: net.PhysicalID, Name: s.name}).Extract()
	require.NoError(s, err)
	free := func() {
		if port != nil {
			require.NoError(s, ports.Delete(context.WithoutCancel(s.Context()), neutron, port.ID).ExtractErr())
			port = nil
		}
	}
	defer free()

	var told lines
	err = s.cloud.DeleteStack(s.Context(), s.name, owner, told.add)
	s.requireKind(lcm.KindBroken, err, "DELETE_FAILED", "subnet (OS::Neutron::Subnet)")
	require.Contains(s, told.String(), "once more")

	// Whoever frees the network while Heat is told again makes it good within the same call.
	var second lines
	s.deleteWhile(&second, free)
	s.requireWorks(s.cloud) // it is gone
}

func (s *site) deleteWhile(told *lines, free func()) {
	s.Helper()
	s.delete(func(line string) {
		told.add(line)
		if strings.Contains(line, "subnet DELETE_FAILED") {
			free()
		}
	})
	require.Contains(s, told.String(), "once more")
}
