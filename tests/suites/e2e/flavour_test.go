package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const toNewFlavour = "Change the infrastructure to the new flavour"

// changeFlavour gives a VNF of servers another deployment flavour and its first one again, in both versions of the API.
// Servers of VDUs that both flavours have stay as they are, also after a failure and its rollback.
func changeFlavour(t *testing.T, b *bed) {
	b.OnboardOnce(t, toscaOnlyPackage) // another scenario may have brought it
	vnf := b.CreateOf(t, toscaOnlyVnfdID, "flavours")
	b.refusedFlavour(t, vnf, "wide", http.StatusConflict, "not instantiated")
	request := b.toscaOnlyRequest(t)
	b.Await(t, b.Begin(t, vnf, "instantiate", request), quick, "COMPLETED")
	former := b.parts(t, vnf)
	require.Len(t, former, 2)
	b.refusedFlavour(t, vnf, "simple", http.StatusConflict, "has the flavour simple already")
	b.refusedFlavour(t, vnf, "tiny", http.StatusUnprocessableEntity, "tiny")
	b.refusedFlavour(t, vnf, "sized", http.StatusBadRequest, "VDU1_CP1") // that flavour needs a network of its own

	b.Fault(t, map[string]any{"resource": "cache", "action": "CREATE", "count": 1, "message": "the hypervisor caught fire"})
	op := b.Begin(t, vnf, "change_flavour", map[string]any{"newFlavourId": "wide"})
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "the hypervisor caught fire")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "change-flavour-rollback")
	require.Equal(t, former, b.parts(t, vnf))
	b.requireFlavour(t, vnf, "simple", "frontends", 0)

	b.givenUpFlavour(t, vnf)
	require.Equal(t, former, b.parts(t, vnf))

	b.Fault(t, map[string]any{"service": "nova", "method": "POST", "path": "/servers$", "delay_ms": 20_000})
	op = b.Begin(t, vnf, "change_flavour", map[string]any{"newFlavourId": "wide"})
	b.AwaitStep(t, op, toNewFlavour)
	b.cancelsSoon(t, op, "FORCEFUL")
	b.ClearFaults(t)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "change-flavour-retry")
	b.RequireChanged(t, op, 2, 0)
	b.requireVdus(t, vnf, map[string]int{"frontend": 2, "database": 1, "cache": 1})
	b.requireFlavour(t, vnf, "wide", "frontends", 0)
	wide := b.parts(t, vnf)
	for id, part := range former {
		stays := wide[id]
		require.Equal(t, part.kept(), stays.kept(), "the server, its volumes and addresses stay")
		if part.vdu == "frontend" {
			require.Equal(t, []string{"m1.small", "m1.medium"}, []string{part.flavour, stays.flavour})
		}
	}
	require.Empty(t, b.CheckDrift(t, vnf).Findings)

	op = b.BeginV2(t, vnf, "change_flavour", map[string]any{"newFlavourId": "simple", "instantiationLevelId": "large"})
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "change-flavour")
	b.RequireChanged(t, op, 1, 1)
	b.requireVdus(t, vnf, map[string]int{"frontend": 3, "database": 1})
	b.requireFlavour(t, vnf, "simple", "frontends", 2)
	last := b.parts(t, vnf)
	for id, part := range former {
		require.Equal(t, part, last[id])
	}
	require.Empty(t, b.CheckDrift(t, vnf).Findings)
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "frontends"), quick, "COMPLETED")
	b.requireVdus(t, vnf, map[string]int{"frontend": 2, "database": 1})
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// givenUpFlavour declares a change of the flavour failed. Then the VNF has parts of two flavours: it cannot be healed
// before it has got one of them.
func (b *bed) givenUpFlavour(t *testing.T, vnf string) {
	t.Helper()
	b.Fault(t, map[string]any{"resource": "cache", "action": "CREATE", "count": 1, "message": "the hypervisor caught fire"})
	op := b.Begin(t, vnf, "change_flavour", map[string]any{"newFlavourId": "wide"})
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	b.Await(t, op, quick, "FAILED")
	b.requireFlavour(t, vnf, "simple", "frontends", 0)
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/heal",
		map[string]any{"vnfcInstanceId": []string{b.VnfcOf(t, vnf, "database")}})
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), "has parts of two deployment flavours")
	b.Await(t, b.Begin(t, vnf, "change_flavour", map[string]any{"newFlavourId": "simple"}), quick, "COMPLETED")
	b.requireVdus(t, vnf, map[string]int{"frontend": 1, "database": 1})
}

// refusedFlavour checks that neither version of the API accepts a change to a flavour.
func (b *bed) refusedFlavour(t *testing.T, vnf, flavour string, status int, want string) {
	t.Helper()
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		a := b.Call(t, http.MethodPost, root+"/vnf_instances/"+vnf+"/change_flavour", map[string]any{"newFlavourId": flavour})
		require.Equal(t, status, a.Status, "%s", a.Body)
		require.Contains(t, string(a.Body), want)
	}
}

// part is a server of a VNF as the cloud has it.
type part struct {
	vdu, flavour       string
	volumes, addresses []string
}

// kept is the server without what another flavour may change in place.
func (p part) kept() part { return part{vdu: p.vdu, volumes: p.volumes, addresses: p.addresses} }

// parts are the servers of a VNF by their ids.
func (b *bed) parts(t *testing.T, vnf string) map[string]part {
	t.Helper()
	nova, neutron := testbed.Service(t, b.Cloud.Login(), openstack.NewComputeV2), testbed.Service(t, b.Cloud.Login(),
		openstack.NewNetworkV2)
	nova.Microversion = "2.47" // it shows the flavour by name
	var info struct {
		InstantiatedVnfInfo struct {
			VnfcResourceInfo []struct {
				VduID           string
				ComputeResource struct{ ResourceID, VimLevelResourceType string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(b.Call(t, http.MethodGet, "/vnflcm/v1/vnf_instances/"+vnf, nil).Body, &info))
	out := map[string]part{}
	for _, v := range info.InstantiatedVnfInfo.VnfcResourceInfo {
		if v.ComputeResource.VimLevelResourceType != "OS::Nova::Server" {
			continue // a Pod
		}
		id := v.ComputeResource.ResourceID
		server, err := servers.Get(t.Context(), nova, id).Extract()
		require.NoError(t, err)
		p := part{vdu: v.VduID}
		p.flavour, _ = server.Flavor["original_name"].(string)
		for _, volume := range server.AttachedVolumes {
			p.volumes = append(p.volumes, volume.ID)
		}
		pages, err := ports.List(neutron, ports.ListOpts{DeviceID: id}).AllPages(t.Context())
		require.NoError(t, err)
		list, err := ports.ExtractPorts(pages)
		require.NoError(t, err)
		for _, port := range list {
			for _, ip := range port.FixedIPs {
				p.addresses = append(p.addresses, port.ID+" "+ip.IPAddress)
			}
		}
		slices.Sort(p.addresses)
		out[id] = p
	}
	return out
}

// requireFlavour checks the flavour and the scale level of a VNF, as both versions of the API show them.
func (b *bed) requireFlavour(t *testing.T, vnf, flavour, aspect string, level int) {
	t.Helper()
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		info := b.Get(t, root+"/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
		require.Equal(t, flavour, info["flavourId"])
	}
	require.Equal(t, level, b.ScaleLevel(t, vnf, aspect))
}
