package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	membersPackage = "tests/suites/e2e/testdata/members"
	membersVnfdID  = "8df1f484-fbce-4a56-86e6-d76fe55f7809"
)

// members is a VNF of two servers: one has a fixed address, the other also a volume. Each is a member of a group.
type members struct {
	*bed
	vnf, network string
}

// extCp returns a connection point for a request, with a fixed address or without one.
func extCp(id, address string) map[string]any {
	data := map[string]any{"layerProtocol": "IP_OVER_ETHERNET"}
	if address != "" {
		data["ipOverEthernet"] = map[string]any{"ipAddresses": []any{map[string]any{
			"type":           "IPV4",
			"fixedAddresses": []string{address},
		}}}
	}
	return map[string]any{"cpdId": id, "cpConfig": []any{map[string]any{"cpProtocolData": []any{data}}}}
}

// extLink returns an external virtual link for a request.
func extLink(id, network string, cps ...map[string]any) map[string]any {
	return map[string]any{"id": id, "resourceId": network, "extCps": cps}
}

// newMembers instantiates the VNF with both servers on one link, which uses the network.
func newMembers(t *testing.T, b *bed, network string, cps ...map[string]any) members {
	t.Helper()
	b.OnboardOnce(t, membersPackage)
	m := members{bed: b, vnf: b.CreateOf(t, membersVnfdID, "members"), network: network}
	b.Await(t, b.Begin(t, m.vnf, "instantiate", map[string]any{
		"flavourId": "simple", "vimConnectionInfo": b.OnOpenStack(),
		"extVirtualLinks": []any{extLink("link", network, cps...)},
	}), quick, "COMPLETED")
	return m
}

// portOf returns the only port of a VNFC from Neutron.
func (m members) portOf(t *testing.T, vdu string) ports.Port {
	t.Helper()
	neutron := testbed.Service(t, m.Cloud.Login(), openstack.NewNetworkV2)
	pages, err := ports.List(neutron, ports.ListOpts{DeviceID: m.VnfcOf(t, m.vnf, vdu)}).AllPages(t.Context())
	require.NoError(t, err)
	list, err := ports.ExtractPorts(pages)
	require.NoError(t, err)
	require.Len(t, list, 1, vdu)
	return list[0]
}

func (m members) volumeOf(t *testing.T, vdu string) any {
	t.Helper()
	info := m.Get(t, "/vnflcm/v1/vnf_instances/"+m.vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcResourceInfo"].([]any) {
		if vnfc := v.(map[string]any); vnfc["vduId"] == vdu {
			return vnfc["storageResourceIds"].([]any)[0]
		}
	}
	return nil
}

// healingMembers replaces servers that are in members of groups. Ports with their fixed addresses and volumes stay,
// unless the request says otherwise. A heal that fails before it deletes a server can be rolled back.
func healingMembers(t *testing.T, b *bed) {
	network := b.AddNetwork(t, "members")
	m := newMembers(t, b, network.ID, extCp("VDU1_CP1", network.Host(50)), extCp("VDU2_CP1", network.Host(51)))
	heal := func(vdu string, additional map[string]any) string {
		request := map[string]any{"vnfcInstanceId": []string{m.VnfcOf(t, m.vnf, vdu)}}
		if additional != nil {
			request["additionalParams"] = additional
		}
		return b.Begin(t, m.vnf, "heal", request)
	}
	first, server := m.portOf(t, "VDU1"), m.VnfcOf(t, m.vnf, "VDU1")
	require.Equal(t, network.Host(50), first.FixedIPs[0].IPAddress)

	op := heal("VDU1", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "heal-member")
	require.NotEqual(t, server, m.VnfcOf(t, m.vnf, "VDU1"))
	require.Equal(t, first.ID, m.portOf(t, "VDU1").ID, "the successor has the port")

	// Heat cannot make the new server. Nothing is deleted, so the heal can be rolled back.
	server = m.VnfcOf(t, m.vnf, "VDU1")
	b.Fault(t, map[string]any{"resource": "VDU1", "action": "CREATE", "count": 1, "message": "no valid host"})
	op = heal("VDU1", nil)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.NotContains(t, got["error"].(map[string]any)["detail"], "deleted")
	require.Contains(t, got["_links"], "rollback")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "heal-member-rollback")
	require.Equal(t, server, m.VnfcOf(t, m.vnf, "VDU1"))
	require.Equal(t, first.ID, m.portOf(t, "VDU1").ID, "the server has its port again")

	b.Fault(t, map[string]any{"resource": "VDU1", "action": "CREATE", "count": 1, "message": "no valid host"})
	op = heal("VDU1", nil)
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	require.NotEqual(t, server, m.VnfcOf(t, m.vnf, "VDU1"))
	require.Equal(t, first.ID, m.portOf(t, "VDU1").ID)

	second, volume := m.portOf(t, "VDU2"), m.volumeOf(t, "VDU2")
	b.Await(t, heal("VDU2", nil), quick, "COMPLETED")
	require.Equal(t, []any{second.ID, volume}, []any{m.portOf(t, "VDU2").ID, m.volumeOf(t, "VDU2")},
		"a volume goes to the successor")
	b.Await(t, heal("VDU2", map[string]any{"keep_volumes": false}), quick, "COMPLETED")
	require.Equal(t, second.ID, m.portOf(t, "VDU2").ID)
	require.NotEqual(t, volume, m.volumeOf(t, "VDU2"))
	volume = m.volumeOf(t, "VDU2")
	b.Await(t, heal("VDU2", map[string]any{"all": true}), quick, "COMPLETED")
	require.NotEqual(t, volume, m.volumeOf(t, "VDU2"))
	now := m.portOf(t, "VDU2")
	require.NotEqual(t, second.ID, now.ID)
	require.Equal(t, network.Host(51), now.FixedIPs[0].IPAddress, "with the address that the request has")

	// The heal replaces all servers at once, in the existing stack.
	first, second, volume = m.portOf(t, "VDU1"), now, m.volumeOf(t, "VDU2")
	before := b.Vnfcs(t, m.vnf)
	b.Await(t, b.Begin(t, m.vnf, "heal", map[string]any{"additionalParams": map[string]any{"all": false}}), quick,
		"COMPLETED")
	for id := range b.Vnfcs(t, m.vnf) {
		require.NotContains(t, before, id)
	}
	require.Equal(t, []any{first.ID, second.ID, volume},
		[]any{m.portOf(t, "VDU1").ID, m.portOf(t, "VDU2").ID, m.volumeOf(t, "VDU2")})
	b.RequireRecorded(t, m.vnf)
	b.terminate(t, m.vnf)
	network.Remove(t)
	b.RequireNothingLeft(t)
}

// linkOf returns the resource of the link on which the VnfInstance shows a connection point, and the ports that it
// shows there.
func (m members) linkOf(t *testing.T, cpd string) (resource string, shown []any) {
	t.Helper()
	info := m.Get(t, "/vnflcm/v2/vnf_instances/"+m.vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, l := range info["extVirtualLinkInfo"].([]any) {
		link := l.(map[string]any)
		for _, cp := range link["currentVnfExtCpData"].([]any) {
			if cp.(map[string]any)["cpdId"] != cpd {
				continue
			}
			ports, _ := link["extLinkPorts"].([]any)
			for _, p := range ports {
				if strings.Contains(p.(map[string]any)["cpInstanceId"].(string), cpd) {
					shown = append(shown, p.(map[string]any)["id"])
				}
			}
			return link["resourceHandle"].(map[string]any)["resourceId"].(string), shown
		}
	}
	return "", nil
}

// requireConnected checks that the server of a VDU has one port, on that network and with that address, and that the
// VnfInstance shows this.
func (m members) requireConnected(t *testing.T, vdu, network, address string) ports.Port {
	t.Helper()
	port := m.portOf(t, vdu)
	require.Equal(t, network, port.NetworkID, vdu)
	if address != "" {
		require.Equal(t, address, port.FixedIPs[0].IPAddress, vdu)
	}
	resource, shown := m.linkOf(t, vdu+"_CP1")
	require.Equal(t, network, resource, vdu)
	require.Equal(t, []any{port.ID}, shown, vdu)
	return port
}

// reconnectingMembers uses the id of a link for another network. Only the connection points that a request names move.
// A failed change is rolled back, including the addresses. If it is given up, the VnfInstance shows the real state.
func reconnectingMembers(t *testing.T, b *bed) {
	network := b.AddNetwork(t, "members")
	other := b.AddNetwork(t, "others")
	m := newMembers(t, b, network.ID, extCp("VDU1_CP1", network.Host(50)), extCp("VDU2_CP1", network.Host(51)))
	move := func(additional map[string]any, links ...any) string {
		request := map[string]any{"extVirtualLinks": links}
		if additional != nil {
			request["additionalParams"] = additional
		}
		return b.Begin(t, m.vnf, "change_ext_conn", request)
	}
	first := m.requireConnected(t, "VDU1", network.ID, network.Host(50))
	second := m.requireConnected(t, "VDU2", network.ID, network.Host(51))

	b.Fault(t, map[string]any{"resource": "VDU2_CP1", "action": "CREATE", "count": 1, "message": "the switch caught fire"})
	op := move(nil, extLink("link", other.ID, extCp("VDU2_CP1", other.Host(51))))
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, first.ID, m.requireConnected(t, "VDU1", network.ID, network.Host(50)).ID)
	m.requireConnected(t, "VDU2", network.ID, network.Host(51))

	b.Fault(t, map[string]any{"resource": "VDU2_CP1", "action": "CREATE", "count": 1, "message": "the switch caught fire"})
	op = move(nil, extLink("link", other.ID, extCp("VDU2_CP1", other.Host(51))))
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	b.Await(t, op, quick, "FAILED")
	b.record(t, op, "change-ext-conn-fail")
	require.Equal(t, first.ID, m.requireConnected(t, "VDU1", network.ID, network.Host(50)).ID)
	m.requireConnected(t, "VDU2", network.ID, "") // the former port, or what Heat has made of it

	b.Await(t, move(nil, extLink("link", other.ID, extCp("VDU2_CP1", other.Host(51)))), quick, "COMPLETED")
	require.Equal(t, first.ID, m.requireConnected(t, "VDU1", network.ID, network.Host(50)).ID, "what is not named stays")
	require.NotEqual(t, second.ID, m.requireConnected(t, "VDU2", other.ID, other.Host(51)).ID)

	// The request moves both, but one fails. The VnfInstance shows which one has moved.
	b.Fault(t, map[string]any{"resource": "VDU1", "action": "UPDATE", "count": 1, "message": "the cable is too short"})
	op = move(nil, extLink("link", network.ID, extCp("VDU2_CP1", network.Host(51))),
		extLink("link", other.ID, extCp("VDU1_CP1", other.Host(50))))
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	b.Await(t, op, quick, "FAILED")
	for _, vdu := range []string{"VDU1", "VDU2"} {
		m.requireConnected(t, vdu, m.portOf(t, vdu).NetworkID, "")
	}
	b.Await(t, move(nil, extLink("link", network.ID, extCp("VDU1_CP1", network.Host(50)),
		extCp("VDU2_CP1", network.Host(51)))), quick, "COMPLETED")
	m.requireConnected(t, "VDU1", network.ID, network.Host(50))
	m.requireConnected(t, "VDU2", network.ID, network.Host(51))

	// Tacker's nfv overrides the request, until a later request names the connection point.
	nfv := map[string]any{"nfv": map[string]any{"CP": map[string]any{"VDU2_CP1": map[string]any{"fixed_ips": []any{map[string]any{"ip_address": other.Host(77)}}}}}}
	b.Await(t, move(nfv, extLink("link", other.ID, extCp("VDU2_CP1", other.Host(51)))), quick, "COMPLETED")
	require.Equal(t, other.Host(77), m.portOf(t, "VDU2").FixedIPs[0].IPAddress)
	b.Await(t, move(nil, extLink("link", other.ID, extCp("VDU2_CP1", other.Host(51)))), quick, "COMPLETED")
	m.requireConnected(t, "VDU2", other.ID, other.Host(51))
	b.terminate(t, m.vnf)
	network.Remove(t)
	other.Remove(t)
	b.RequireNothingLeft(t)
}
