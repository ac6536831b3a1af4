package e2e

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	givenPortPackage = "tests/suites/e2e/testdata/givenport"
	givenPortVnfdID  = "5b6f3c5e-0f52-4c3a-9d1e-6a2f0d7c9b48"
	// overriddenPortVnfdID is the VNFD id of a package whose server gets two ports.
	overriddenPortVnfdID = "b9ca0cb2-794d-4158-8f0b-2c49fe9b8a23"
)

// given is a VNF of one server on ports that the test has made.
type given struct {
	*bed
	neutron *gophercloud.ServiceClient
	vnf     string
}

func (g given) makePort(t *testing.T, network string) string {
	t.Helper()
	p, err := ports.Create(t.Context(), g.neutron, ports.CreateOpts{NetworkID: network, Name: "somebody's"}).Extract()
	require.NoError(t, err)
	return p.ID
}

// onPort returns an external virtual link with one given port. Its id in the request contains the id of the link.
func onPort(link, network, port string) map[string]any {
	out := extLink(link, network, map[string]any{
		"cpdId":    "VDU1_CP1",
		"cpConfig": []any{map[string]any{"linkPortId": "port-of-" + link}},
	})
	out["extLinkPorts"] = []any{map[string]any{
		"id":             "port-of-" + link,
		"resourceHandle": map[string]any{"resourceId": port},
	}}
	return out
}

// requireOn checks that the server has only that port, and that the VnfInstance shows it. It returns the server.
func (g given) requireOn(t *testing.T, link, port string) (server string) {
	t.Helper()
	server = g.VnfcOf(t, g.vnf, "VDU1")
	p := g.requireKept(t, port, server)
	pages, err := ports.List(g.neutron, ports.ListOpts{DeviceID: server}).AllPages(t.Context())
	require.NoError(t, err)
	list, err := ports.ExtractPorts(pages)
	require.NoError(t, err)
	require.Len(t, list, 1)

	info := g.Get(t, "/vnflcm/v2/vnf_instances/"+g.vnf)["instantiatedVnfInfo"].(map[string]any)
	cp := info["extCpInfo"].([]any)[0].(map[string]any)
	require.Equal(t, "port-of-"+link, cp["extLinkPortId"])
	addresses := cp["cpProtocolInfo"].([]any)[0].(map[string]any)["ipOverEthernet"].(map[string]any)
	require.Equal(t, p.MACAddress, addresses["macAddress"])
	require.Equal(t, []any{p.FixedIPs[0].IPAddress}, addresses["ipAddresses"].([]any)[0].(map[string]any)["addresses"])
	links := info["extVirtualLinkInfo"].([]any)
	require.Len(t, links, 1)
	shown := links[0].(map[string]any)
	require.Equal(t, link, shown["id"])
	onLink := shown["extLinkPorts"].([]any)
	require.Len(t, onLink, 1)
	require.Equal(t, "port-of-"+link, onLink[0].(map[string]any)["id"])
	require.Equal(t, port, onLink[0].(map[string]any)["resourceHandle"].(map[string]any)["resourceId"])
	require.Equal(t, cp["id"], onLink[0].(map[string]any)["cpInstanceId"])
	return server
}

// requireKept checks that a port exists, and is in that server, or in none for "".
func (g given) requireKept(t *testing.T, port, server string) *ports.Port {
	t.Helper()
	p, err := ports.Get(t.Context(), g.neutron, port).Extract()
	require.NoError(t, err, "nobody deletes it")
	require.Equal(t, server, p.DeviceID)
	require.Equal(t, "somebody's", p.Name)
	return p
}

func (g given) instantiate(t *testing.T, links ...any) string {
	t.Helper()
	return g.Begin(t, g.vnf, "instantiate", map[string]any{
		"flavourId": "simple", "vimConnectionInfo": g.OnOpenStack(), "extVirtualLinks": links,
	})
}

// rollBack rolls a failed operation back.
func (g given) rollBack(t *testing.T, op string) {
	t.Helper()
	require.Equal(t, http.StatusAccepted, g.Act(t, op, "rollback", nil).Status)
	g.Await(t, op, quick, "ROLLED_BACK")
}

// givenPorts connects a server with ports that others have made, in all operations. The VNF never deletes these ports.
func givenPorts(t *testing.T, b *bed) {
	b.Onboard(t, givenPortPackage)
	network, other := b.AddNetwork(t, "given"), b.AddNetwork(t, "given-too")
	g := given{bed: b, neutron: testbed.Service(t, b.Cloud.Login(), openstack.NewNetworkV2)}
	first, second := g.makePort(t, network.ID), g.makePort(t, other.ID)
	g.vnf = b.CreateOf(t, givenPortVnfdID, "given")

	// The port is not on the network of the request. The error says so before anything is made.
	op := g.instantiate(t, onPort("west", other.ID, first))
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "is on the network "+network.ID)
	g.rollBack(t, op)
	g.requireKept(t, first, "")

	b.Fault(t, map[string]any{"resource": "VDU1", "action": "CREATE", "count": 1, "message": "no valid host"})
	op = g.instantiate(t, onPort("west", network.ID, first))
	b.Await(t, op, quick, "FAILED_TEMP")
	g.rollBack(t, op)
	g.requireKept(t, first, "")

	op = g.instantiate(t, onPort("west", network.ID, first))
	b.Await(t, op, quick, "COMPLETED")
	server := g.requireOn(t, "west", first)
	b.RequireRecorded(t, g.vnf)
	g.heal(t, first, server)
	g.reconnect(t, network.ID, other.ID, first, second)

	// The port does not exist. The error says so before anything is deleted.
	server = g.VnfcOf(t, g.vnf, "VDU1")
	op = b.Begin(t, g.vnf, "heal",
		map[string]any{"additionalParams": map[string]any{"nfv": nfvPort("VDU1_CP1",
			"00000000-0000-4000-8000-000000000000")}})
	got = b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "does not exist in the VIM")
	g.rollBack(t, op)
	require.Equal(t, server, g.requireOn(t, "east", second))

	// The heal of the entire VNF makes everything of the VNF anew, but keeps the port.
	b.Await(t, b.Heal(t, g.vnf), quick, "COMPLETED")
	g.requireOn(t, "east", second)
	b.terminate(t, g.vnf)
	for _, port := range []string{first, second} {
		g.requireKept(t, port, "")
		require.NoError(t, ports.Delete(t.Context(), g.neutron, port).ExtractErr())
	}
	g.overridden(t, network.ID)
	network.Remove(t)
	other.Remove(t)
	b.RequireNothingLeft(t)
}

// nfvPort returns the value of additionalParams.nfv that gives a connection point another port.
func nfvPort(cp, port string) map[string]any {
	return map[string]any{"CP": map[string]any{cp: map[string]any{"port": port}}}
}

// overridden instantiates a server with two ports, as functional tests of Tacker do. The request describes one port.
// The other is a dummy, which additionalParams replaces. In v2, a heal of the entire VNF without "all" replaces only
// the server.
func (g given) overridden(t *testing.T, network string) {
	t.Helper()
	g.Onboard(t, "tests/suites/e2e/testdata/overriddenport")
	first, second := g.makePort(t, network), g.makePort(t, network)
	g.vnf = g.CreateOf(t, overriddenPortVnfdID, "overridden")
	cp := func(name, port string) map[string]any {
		return map[string]any{"cpdId": name, "cpConfig": map[string]any{name: map[string]any{"linkPortId": port}}}
	}
	link := extLink("west", network, cp("VDU1_CP1-1", "p"), cp("VDU1_CP1-2", "q"))
	link["extLinkPorts"] = []any{
		map[string]any{"id": "p", "resourceHandle": map[string]any{"resourceId": first}},
		map[string]any{"id": "q", "resourceHandle": map[string]any{"resourceId": "dummy-id"}},
	}
	g.Await(t, g.BeginV2(t, g.vnf, "instantiate", map[string]any{
		"flavourId": "simple", "vimConnectionInfo": map[string]any{"vim1": map[string]any{
			"vimId":   g.Vim,
			"vimType": "openstack",
		}},
		"extVirtualLinks": []any{link}, "additionalParams": map[string]any{"nfv": nfvPort("VDU1_CP1-2", second)},
	}), quick, "COMPLETED")
	former := g.requireBoth(t, first, second)
	g.Await(t, g.BeginV2(t, g.vnf, "heal", map[string]any{}), quick, "COMPLETED")
	require.NotEqual(t, former, g.requireBoth(t, first, second))
	g.terminate(t, g.vnf)
	for _, port := range []string{first, second} {
		g.requireKept(t, port, "")
		require.NoError(t, ports.Delete(t.Context(), g.neutron, port).ExtractErr())
	}
}

// requireBoth checks that the server has both ports, and that the VnfInstance shows them by the ids of the request. It
// returns the server.
func (g given) requireBoth(t *testing.T, first, second string) (server string) {
	t.Helper()
	server = g.VnfcOf(t, g.vnf, "VDU1")
	g.requireKept(t, first, server)
	g.requireKept(t, second, server)
	shown := map[any]any{}
	for _, cp := range g.Get(t, "/vnflcm/v2/vnf_instances/"+g.vnf)["instantiatedVnfInfo"].(map[string]any)["extCpInfo"].([]any) {
		shown[cp.(map[string]any)["cpdId"]] = cp.(map[string]any)["extLinkPortId"]
	}
	require.Equal(t, map[any]any{"VDU1_CP1-1": "p", "VDU1_CP1-2": "q"}, shown)
	return server
}

// heal replaces the server. The new server gets the port of the former one.
func (g given) heal(t *testing.T, port, server string) {
	t.Helper()
	begin := func(all bool) string {
		return g.Begin(t, g.vnf, "heal", map[string]any{
			"vnfcInstanceId":   []string{g.VnfcOf(t, g.vnf, "VDU1")},
			"additionalParams": map[string]any{"all": all},
		})
	}
	g.Await(t, begin(false), quick, "COMPLETED")
	next := g.requireOn(t, "west", port)
	require.NotEqual(t, server, next)

	g.Bed.Fault(t, map[string]any{"resource": "VDU1", "action": "CREATE", "count": 1, "message": "no valid host"})
	op := begin(false)
	g.Await(t, op, quick, "FAILED_TEMP")
	g.rollBack(t, op)
	require.Equal(t, next, g.requireOn(t, "west", port), "the server has its port again")

	g.Await(t, begin(true), quick, "COMPLETED")
	require.NotEqual(t, next, g.requireOn(t, "west", port))
}

// reconnect gives the server another port. Then it fails twice to give the first port back.
func (g given) reconnect(t *testing.T, network, other, first, second string) {
	t.Helper()
	server := g.VnfcOf(t, g.vnf, "VDU1")
	change := func(links ...any) string {
		return g.Begin(t, g.vnf, "change_ext_conn", map[string]any{"extVirtualLinks": links})
	}
	east := onPort("east", other, second)
	leave := map[string]any{"id": "west", "resourceId": network, "extCps": []any{}}
	g.Await(t, change(leave, east), quick, "COMPLETED")
	require.Equal(t, server, g.requireOn(t, "east", second), "the server stays")
	g.requireKept(t, first, "")

	g.Bed.Fault(t, map[string]any{"resource": "VDU1", "action": "UPDATE", "count": 1, "message": "the cable is too short"})
	op := change(onPort("west", network, first))
	g.Await(t, op, quick, "FAILED_TEMP")
	g.rollBack(t, op)
	g.requireOn(t, "east", second)
	g.requireKept(t, first, "")

	op = change(onPort("west", network, "00000000-0000-4000-8000-000000000000"))
	got := g.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "does not exist in the VIM")
	g.rollBack(t, op)
	g.requireOn(t, "east", second)
}
