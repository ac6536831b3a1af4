package record

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestConnectionPoints_areTheVnfcsAndWhatLinksMakeOfThem(t *testing.T) {
	j := instantiating(``)
	j.Flavour.Cps = []descriptor.VduCp{{ID: "cp", VduID: "node", External: true}, {ID: "inner", VduID: "node"}}
	j.Request.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID:     "net",
		ExtCps: []lcm.ExtCp{{CpdID: "cp", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}}}, {CpdID: "vip"}},
	}}
	addresses := []lcm.FixedIP{{Address: "10.0.0.7", SubnetID: "sub"}}
	j.Flavour.Cps[1].VirtualLink, j.Flavour.VirtualLinks = "inside", []descriptor.VirtualLink{{ID: "inside"}}
	made := Outcome{
		Networks: []Network{
			{Resource: "inside", ID: "n1", VimType: "OS::Neutron::Net"},
			{Resource: "unknown", ID: "n2"},
		},
		Vnfcs: []Vnfc{{VduID: "node", ServerID: "s", Attached: []Attached{
			{Type: lcm.GrantStorage, Resource: "cp", ID: "v1"},
			{
				Type: lcm.GrantLinkPort, Resource: "cp", ID: "p1", VimType: "OS::Neutron::Port", MAC: "fa:16:3e:00:00:01",
				Addresses: addresses,
			},
			{
				Type: lcm.GrantLinkPort, Resource: "inner", ID: "p2", VimType: "OS::Neutron::Port", MAC: "fa:16:3e:00:00:02",
				Addresses: addresses,
			},
			{Type: lcm.GrantLinkPort, Resource: "elsewhere", ID: "p3"},
		}}},
	}
	cps, external := j.connectionPoints(made.Vnfcs[0], made.Networks)
	require.Equal(t, []lcm.VnfcCpInfo{
		{ID: "cp-s", CpdID: "cp", VnfExtCpID: "ext-cp-s"},
		{
			ID: "inner-s", CpdID: "inner", VnfLinkPortID: "p2",
			CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:02", addresses, nil),
		},
	}, cps)
	require.Equal(t, []lcm.VnfExtCpInfo{{
		ID: "ext-cp-s", CpdID: "cp", ExtLinkPortID: "p1", AssociatedVnfcCpID: "cp-s", PortType: "OS::Neutron::Port",
		CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:01", addresses, addresses),
	}}, external)
	require.Equal(t, []lcm.VnfExtCpInfo{{ID: "net-vip", CpdID: "vip"}}, j.otherExternal(external),
		"an address that is no VM's own")

	port := lcm.VnfLinkPortInfo{
		ID: "p2", CpInstanceID: "inner-s",
		ResourceHandle: lcm.ResourceHandle{VimConnectionID: "vim", ResourceID: "p2", VimLevelResourceType: "OS::Neutron::Port"},
		CpInstanceType: "VNFC_CP",
	}
	require.Equal(t, []lcm.VnfVirtualLinkResourceInfo{{
		ID: "n1", VnfVirtualLinkDescID: "inside", VnfLinkPorts: []lcm.VnfLinkPortInfo{port},
		NetworkResource: lcm.ResourceHandle{
			VimConnectionID: "vim", ResourceID: "n1", VimLevelResourceType: "OS::Neutron::Net",
		},
	}}, j.virtualLinks(made))
	cps, _ = j.connectionPoints(made.Vnfcs[0], nil)
	require.Empty(t, cps[1].VnfLinkPortID, "a network that is managed elsewhere")
}

// ported returns an instantiation in which one of two connection points has a given port.
func ported() vnf {
	j := instantiating(``)
	j.Flavour.Cps = []descriptor.VduCp{
		{ID: "cp", VduID: "node", External: true}, {ID: "other", VduID: "node", External: true},
	}
	port := &lcm.LinkPort{ID: "p", ResourceID: "port-1"}
	j.Request.ExtVirtualLinks[0].ExtCps = []lcm.ExtCp{{
		CpdID: "cp", LinkPort: port, Configs: []lcm.CpConfig{{Key: "k", LinkPort: port}},
	}, {CpdID: "other"}}
	return j
}

func TestConnectionPoints_showTheGivenPortByTheRequestsID(t *testing.T) {
	j := ported()
	v := Vnfc{VduID: "node", ServerID: "s", Attached: []Attached{
		{Type: lcm.GrantLinkPort, Resource: "cp", ID: "port-1", MAC: "mac", Addresses: []lcm.FixedIP{{Address: "10.0.0.7"}}},
		{Type: lcm.GrantLinkPort, Resource: "other", ID: "port-2"},
	}}
	_, external := j.connectionPoints(v, nil)
	require.Equal(t, "10.0.0.7", external[0].CpProtocolInfo[0].IPOverEthernet.IPAddresses[0].Addresses[0])
	require.Equal(t, []string{"p", "port-1", "port-2", ""},
		[]string{external[0].ExtLinkPortID, external[0].PortID, external[1].ExtLinkPortID, external[1].PortID})
	v.Attached[0].ID = "former"
	_, external = j.connectionPoints(v, nil)
	require.Equal(t, []string{"former", ""}, []string{external[0].ExtLinkPortID, external[0].PortID},
		"not the port that was given")
}

// TestConnectionPoints_showThePortsOfNfv uses a request of Tacker's functional tests in which nfv overrides a dummy
// port. The port of nfv is shown.
func TestConnectionPoints_showThePortsOfNfv(t *testing.T) {
	request, err := lcmtest.Read[lcm.InstantiateRequest](json.RawMessage(`{"flavourId":"simple","extVirtualLinks":[{"id":"net","resourceId":"n","extCps":[
		{"cpdId":"one","cpConfig":{"one":{"linkPortId":"p"}}},{"cpdId":"two","cpConfig":{"two":{"linkPortId":"q"}}}],
		"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-1"}},{"id":"q","resourceHandle":{"resourceId":"dummy-id"}}]}],
		"additionalParams":{"nfv":{"CP":{"two":{"port":"port-2"}}}}}`))
	require.NoError(t, err)
	j := instantiating(``)
	j.Flavour.Cps = []descriptor.VduCp{
		{ID: "one", VduID: "node", External: true}, {ID: "two", VduID: "node", External: true},
	}
	j.Request = request
	_, external := j.connectionPoints(Vnfc{VduID: "node", ServerID: "s", Attached: []Attached{
		{Type: lcm.GrantLinkPort, Resource: "one", ID: "port-1"}, {Type: lcm.GrantLinkPort, Resource: "two", ID: "port-2"},
	}}, nil)
	require.Equal(t, []string{"p", "port-1", "q", "port-2"},
		[]string{external[0].ExtLinkPortID, external[0].PortID, external[1].ExtLinkPortID, external[1].PortID})
}
