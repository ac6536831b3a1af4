package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const reconnectStep = "Change the external connections"

// reconnection is a VNF of one server on the network net0, and other networks to which it can be connected.
type reconnection struct {
	bed         *bed
	neutron     *gophercloud.ServiceClient
	vnf, server string
	networks    []string // the ids of the other networks
	made        []testbed.Network
}

// newReconnection instantiates the VNF, and makes so many other networks.
func newReconnection(t *testing.T, b *bed, count int) *reconnection {
	t.Helper()
	b.Onboard(t, testbed.ServerPackage)
	r := &reconnection{bed: b, neutron: testbed.Service(t, b.Cloud.Login(), openstack.NewNetworkV2)}
	for i := range count {
		network := b.AddNetwork(t, fmt.Sprintf("other-%d", i))
		r.networks, r.made = append(r.networks, network.ID), append(r.made, network)
	}
	r.vnf = b.CreateOf(t, testbed.ServerVnfdID, "connected")
	request := testbed.LinksTo("net0")
	request["flavourId"], request["localizationLanguage"] = "simple", "de-AT"
	request["vimConnectionInfo"] = b.OnOpenStack()
	b.Await(t, b.Begin(t, r.vnf, "instantiate", request), quick, "COMPLETED")
	r.server = b.VnfcOf(t, r.vnf, "VDU1")
	return r
}

// requireOn checks that the server is on that network, and that the VnfInstance shows that link. It accepts every
// network except the other networks as net0.
func (r *reconnection) requireOn(t *testing.T, network, link string) {
	t.Helper()
	list := r.ports(t)
	require.Len(t, list, 1)
	if network == "net0" {
		require.NotContains(t, r.networks, list[0].NetworkID)
	} else {
		require.Equal(t, network, list[0].NetworkID)
	}
	require.Equal(t, r.server, r.bed.VnfcOf(t, r.vnf, "VDU1"), "the server stays")
	info := r.bed.Get(t, "/vnflcm/v1/vnf_instances/"+r.vnf)["instantiatedVnfInfo"].(map[string]any)
	require.Equal(t, "de-AT", info["localizationLanguage"])
	links := info["extVirtualLinkInfo"].([]any)
	require.Len(t, links, 1)
	require.Equal(t, link, links[0].(map[string]any)["id"])
	onLink := links[0].(map[string]any)["extLinkPorts"].([]any)
	require.Len(t, onLink, 1)
	require.Equal(t, list[0].ID, onLink[0].(map[string]any)["id"])

	// The connection point keeps its id when its port changes.
	cp := info["extCpInfo"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"ext-VDU1_CP1-" + r.server, list[0].ID, "VDU1_CP1-" + r.server},
		[]any{cp["id"], cp["extLinkPortId"], cp["associatedVnfcCpId"]})
	addresses := cp["cpProtocolInfo"].([]any)[0].(map[string]any)["ipOverEthernet"].(map[string]any)
	require.Equal(t, list[0].MACAddress, addresses["macAddress"])
	require.Equal(t, []any{list[0].FixedIPs[0].IPAddress},
		addresses["ipAddresses"].([]any)[0].(map[string]any)["addresses"])
	inner := info["vnfcResourceInfo"].([]any)[0].(map[string]any)["vnfcCpInfo"].([]any)[0].(map[string]any)
	require.Equal(t, map[string]any{"id": "VDU1_CP1-" + r.server, "cpdId": "VDU1_CP1", "vnfExtCpId": cp["id"]}, inner)
}

// ports returns the ports of the server.
func (r *reconnection) ports(t *testing.T) []ports.Port {
	t.Helper()
	pages, err := ports.List(r.neutron, ports.ListOpts{DeviceID: r.server}).AllPages(t.Context())
	require.NoError(t, err)
	list, err := ports.ExtractPorts(pages)
	require.NoError(t, err)
	return list
}

// requireReplaced checks that an operation reports a new port of the server, and no other change.
func (r *reconnection) requireReplaced(t *testing.T, op string) {
	t.Helper()
	changes := r.bed.Get(t, strings.Replace(op, "/v1/", "/v2/", 1))["resourceChanges"].(map[string]any)
	vnfc := changes["affectedVnfcs"].([]any)[0].(map[string]any)
	require.Equal(t, []any{r.server, "MODIFIED", []any{"VDU1_CP1-" + r.server}},
		[]any{vnfc["id"], vnfc["changeType"], vnfc["affectedVnfcCpIds"]})
	var types []any
	for _, p := range changes["affectedExtLinkPorts"].([]any) {
		require.Equal(t, "ext-VDU1_CP1-"+r.server, p.(map[string]any)["extCpInstanceId"])
		types = append(types, p.(map[string]any)["changeType"])
	}
	require.Equal(t, []any{"REMOVED", "ADDED"}, types)
	require.NotContains(t, changes, "affectedVirtualStorages")
	require.NotContains(t, r.bed.Get(t, op)["resourceChanges"], "affectedExtLinkPorts", "v2.6.1 does not have them")
}

// clear deletes the networks.
func (r *reconnection) clear(t *testing.T) {
	t.Helper()
	for _, network := range r.made {
		network.Remove(t)
	}
}

// reconnectOnOwnVim connects the server with net0. The same request replaces the registered VIM by the cloud's own
// endpoint, first with a wrong password.
func (r *reconnection) reconnectOnOwnVim(t *testing.T) {
	t.Helper()
	b := r.bed
	connection := func() map[string]any {
		return b.Get(t, "/vnflcm/v1/vnf_instances/"+r.vnf)["vimConnectionInfo"].([]any)[0].(map[string]any)
	}
	before, links := connection(), r.ports(t)
	request := testbed.LinksTo("net0")
	change := func(password string) string {
		own := b.ownConnection("openstack", password)
		own["vimId"] = nil
		request["vimConnectionInfo"] = []any{own}
		return b.Begin(t, r.vnf, "change_ext_conn", request)
	}
	op := change(wrongVimPassword)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "refused the credentials of VIM openstack")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, before, connection())
	require.Equal(t, links, r.ports(t))

	op = change(b.Cloud.Login().Password)
	got = b.Await(t, op, quick, "COMPLETED")
	now := connection()
	require.NotContains(t, now, "vimId")
	require.Equal(t, []any{any(now)}, got["changedInfo"].(map[string]any)["vimConnectionInfo"])
	require.Equal(t, "***", now["accessInfo"].(map[string]any)["password"])
	r.requireOn(t, "net0", "link-net0")
}

// reconnecting connects a server with another network and back: with success, a rollback, a cancellation, a retry, and
// a failure that the test gives up.
func reconnecting(t *testing.T, b *bed) {
	r := newReconnection(t, b, 1)
	vnf, other := r.vnf, r.networks[0]
	requireOn := func(network, link string) {
		t.Helper()
		r.requireOn(t, network, link)
	}
	requireOn("net0", "link-net0")

	op := b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo(other))
	got := b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "change-ext-conn")
	require.Equal(t, "link-"+other, got["changedExtConnectivity"].([]any)[0].(map[string]any)["id"])
	requireOn(other, "link-"+other)
	r.requireReplaced(t, op)

	fail := func() {
		b.Fault(t, map[string]any{
			"resource": "VDU1_CP1", "action": "CREATE", "count": 1, "message": "the switch caught fire",
		})
	}
	fail()
	op = b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo("net0"))
	got = b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "the switch caught fire")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "change-ext-conn-rollback")
	requireOn(other, "link-"+other)

	b.Fault(t, map[string]any{"service": "heat", "method": "GET", "delay_ms": 60_000})
	op = b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo("net0"))
	b.AwaitStep(t, op, reconnectStep)
	b.cancelsSoon(t, op, "FORCEFUL")
	b.ClearFaults(t)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	requireOn(other, "link-"+other)

	fail()
	op = b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo("net0"))
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "change-ext-conn-retry")
	requireOn("net0", "link-net0")

	fail()
	op = b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo(other))
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	b.Await(t, op, quick, "FAILED")
	b.Await(t, b.Begin(t, vnf, "change_ext_conn", testbed.LinksTo(other)), quick, "COMPLETED")
	requireOn(other, "link-"+other)

	r.reconnectOnOwnVim(t)

	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/change_ext_conn",
		map[string]any{"extVirtualLinks": []any{
			map[string]any{"id": "x", "resourceId": "net0", "extCps": []any{map[string]any{"cpdId": "nothing"}}},
		}})
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	require.Contains(t, testbed.Problem(t, a), "nothing")
	b.terminate(t, vnf)
	r.clear(t)
	b.RequireNothingLeft(t)
}
