package faults

import (
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// The external connections of a cluster cannot be changed, because its nodes use them to reach each other. So the
// matrix uses a VNF of a single server for such changes.
const (
	serverPackage = "tests/programs/bench/server"
	serverVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e11"
	firstNetwork  = "net0"
)

// linkTo returns a request that connects the server with that network.
func linkTo(network string) map[string]any {
	return map[string]any{"extVirtualLinks": []any{map[string]any{
		"id": "link-" + network, "resourceId": network,
		"extCps": []any{map[string]any{
			"cpdId": "VDU1_CP1", "cpConfig": []any{map[string]any{"cpProtocolData": []any{map[string]any{"layerProtocol": "IP_OVER_ETHERNET"}}}},
		}},
	}}}
}

func (s *site) neutron(t testing.TB) *gophercloud.ServiceClient {
	t.Helper()
	login := s.bed.Cloud.Login()
	provider, err := login.Client(t.Context())
	require.NoError(t, err)
	client, err := openstack.NewNetworkV2(provider, login.Endpoint())
	require.NoError(t, err)
	return client
}

// instantiateServer begins to instantiate the VNF of one server on the first network, and makes the other network.
func (s *site) instantiateServer(t testing.TB) (op string) {
	t.Helper()
	s.bed.OnboardOnce(t, serverPackage)
	s.other = s.bed.AddNetwork(t, "other")
	s.vnf = s.bed.CreateOf(t, serverVnfdID, "server-"+s.unique())
	request := linkTo(firstNetwork)
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
	pages, err := ports.List(s.neutron(t), ports.ListOpts{}).AllPages(t.Context())
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
