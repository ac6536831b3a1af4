package faults

import (
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// The external connections of a cluster cannot be changed, because its nodes use them to reach each other. So the
// matrix uses a VNF of a single server for such changes.
const firstNetwork = "net0"

// instantiateServer begins to instantiate the VNF of one server on the first network, and makes the other network.
func (s *site) instantiateServer(t testing.TB) (op string) {
	t.Helper()
	s.bed.OnboardOnce(t, testbed.ServerPackage)
	s.other = s.bed.AddNetwork(t, "other")
	s.vnf = s.bed.CreateOf(t, testbed.ServerVnfdID, "server-"+s.unique())
	request := testbed.LinksTo(firstNetwork)
	request["flavourId"] = "simple"
	request["vimConnectionInfo"] = s.bed.OnOpenStack()
	return s.bed.Begin(t, s.vnf, "instantiate", request)
}

// removeNetwork deletes the other network, if there is one.
func (s *site) removeNetwork(t testing.TB) {
	t.Helper()
	if s.other.ID != "" {
		s.other.Remove(t)
	}
	s.other = testbed.Network{}
}

// requireConnected checks that there is one port, on the right network, and that the VnfInstance shows it.
func (s *site) requireConnected(t testing.TB, want state) {
	t.Helper()
	s.bed.RequireRecorded(t, s.vnf)
	neutron := testbed.Service(t, s.bed.Cloud.Login(), openstack.NewNetworkV2)
	pages, err := ports.List(neutron, ports.ListOpts{}).AllPages(t.Context())
	require.NoError(t, err)
	list, err := ports.ExtractPorts(pages)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, s.bed.VnfcOf(t, s.vnf, "VDU1"), list[0].DeviceID)
	require.Equal(t, want.elsewhere, list[0].NetworkID == s.other.ID)
	info := s.bed.Get(t, "/vnflcm/v1/vnf_instances/"+s.vnf)["instantiatedVnfInfo"].(map[string]any)
	links := info["extVirtualLinkInfo"].([]any)
	require.Len(t, links, 1)
	network := firstNetwork
	if want.elsewhere {
		network = s.other.ID
	}
	require.Equal(t, "link-"+network, links[0].(map[string]any)["id"])
}
