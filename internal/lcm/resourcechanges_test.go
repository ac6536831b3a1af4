package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// vnfOf returns a VNF with a VNFC for each name. Each has a connection point on a port and a volume, all with names
// that contain the VNFC's.
func vnfOf(names ...string) *lcm.InstantiatedVnfInfo {
	info := &lcm.InstantiatedVnfInfo{NetworksSeen: true}
	for _, name := range names {
		info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
			ID: name, VduID: "vdu", ZoneID: "nova", StorageIDs: []string{"volume-" + name, "unknown-" + name},
			ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim", ResourceID: name},
			CpInfo: []lcm.VnfcCpInfo{
				{ID: "cp-" + name, CpdID: "cp", VnfExtCpID: "ext-" + name},
				{ID: "inner-" + name, CpdID: "inner"},
			},
		})
		info.ExtCps = append(info.ExtCps, lcm.VnfExtCpInfo{
			ID: "ext-" + name, CpdID: "cp", ExtLinkPortID: "port-" + name,
			AssociatedVnfcCpID: "cp-" + name, PortType: "OS::Neutron::Port",
		})
		info.VirtualStorages = append(info.VirtualStorages, lcm.VirtualStorageResourceInfo{
			ID: "volume-" + name, VirtualStorageDescID: "disk",
			StorageResource: lcm.ResourceHandle{ResourceID: "volume-" + name},
		})
	}
	return info
}

func port(name string, change lcm.ChangeType) lcm.AffectedExtLinkPort {
	return lcm.AffectedExtLinkPort{
		ID: "port-" + name, ChangeType: change, ExtCpInstanceID: "ext-" + name,
		ResourceHandle: lcm.ResourceHandle{
			VimConnectionID: "vim", ResourceID: "port-" + name, VimLevelResourceType: "OS::Neutron::Port",
		},
	}
}

func storage(name string, change lcm.ChangeType) lcm.AffectedVirtualStorage {
	return lcm.AffectedVirtualStorage{
		ID: "volume-" + name, VirtualStorageDescID: "disk", ChangeType: change,
		StorageResource: lcm.ResourceHandle{ResourceID: "volume-" + name},
	}
}

func TestChangesOf_namesEverythingThatCameAndWent(t *testing.T) {
	got := lcm.ChangesOf(vnfOf("a", "b"), vnfOf("b", "c"))
	handle := func(id string) lcm.ResourceHandle { return lcm.ResourceHandle{VimConnectionID: "vim", ResourceID: id} }
	require.Equal(t, &lcm.ResourceChanges{
		AffectedVnfcs: []lcm.AffectedVnfc{
			{
				ID: "a", VduID: "vdu", ChangeType: lcm.ChangeRemoved, ComputeResource: handle("a"), ZoneID: "nova",
				AffectedVnfcCpIDs: []string{"cp-a", "inner-a"}, RemovedStorageResourceIDs: []string{"volume-a"},
			},
			{
				ID: "c", VduID: "vdu", ChangeType: lcm.ChangeAdded, ComputeResource: handle("c"), ZoneID: "nova",
				AffectedVnfcCpIDs: []string{"cp-c", "inner-c"}, AddedStorageResourceIDs: []string{"volume-c"},
			},
		},
		AffectedExtLinkPorts:    []lcm.AffectedExtLinkPort{port("a", lcm.ChangeRemoved), port("c", lcm.ChangeAdded)},
		AffectedVirtualStorages: []lcm.AffectedVirtualStorage{storage("a", lcm.ChangeRemoved), storage("c", lcm.ChangeAdded)},
	}, got)

	v1 := got.Shown(1)
	require.Empty(t, v1.AffectedExtLinkPorts)
	require.Empty(t, v1.AffectedVnfcs[0].ZoneID)
	require.Equal(t, got.AffectedVirtualStorages, v1.AffectedVirtualStorages)
	require.Equal(t, "nova", got.AffectedVnfcs[0].ZoneID, "what is stored stays")
	require.Equal(t, got, got.Shown(2))
	require.Nil(t, (*lcm.ResourceChanges)(nil).Shown(1))
}

func TestChangesOf_namesWhatIsConnectedOtherwise(t *testing.T) {
	before, after := vnfOf("a", "b"), vnfOf("a", "b")
	require.Equal(t, &lcm.ResourceChanges{}, lcm.ChangesOf(before, after))

	after.ExtCps[0].ExtLinkPortID = "port-new"
	got := lcm.ChangesOf(before, after)
	require.Len(t, got.AffectedVnfcs, 1)
	require.Equal(t, []any{"a", lcm.ChangeModified, []string{"cp-a"}},
		[]any{got.AffectedVnfcs[0].ID, got.AffectedVnfcs[0].ChangeType, got.AffectedVnfcs[0].AffectedVnfcCpIDs})
	require.Len(t, got.AffectedExtLinkPorts, 2)
	require.Equal(t, port("a", lcm.ChangeRemoved), got.AffectedExtLinkPorts[0])
	require.Equal(t, []any{"port-new", lcm.ChangeAdded},
		[]any{got.AffectedExtLinkPorts[1].ID, got.AffectedExtLinkPorts[1].ChangeType})

	after = vnfOf("a", "b")
	after.ExtCps[1].CpProtocolInfo = lcm.ProtocolInfo("fa:16:3e:00:00:01", []lcm.FixedIP{{Address: "10.0.0.7"}}, nil)
	got = lcm.ChangesOf(before, after)
	require.Equal(t, []string{"cp-b"}, got.AffectedVnfcs[0].AffectedVnfcCpIDs, "the same port with other addresses")
	require.Empty(t, got.AffectedExtLinkPorts)

	after = vnfOf("a", "b")
	after.VnfcResources[0].StorageIDs = nil
	require.Equal(t, []string{"volume-a"}, lcm.ChangesOf(before, after).AffectedVnfcs[0].RemovedStorageResourceIDs)

	for i := range before.VnfcResources { // like a record from before connection points were recorded
		before.VnfcResources[i].CpInfo = nil
	}
	before.ExtCps = nil
	require.Equal(t, &lcm.ResourceChanges{}, lcm.ChangesOf(before, vnfOf("a", "b")))
}

func TestChangesOf_aWholeVnf(t *testing.T) {
	got := lcm.ChangesOf(nil, vnfOf("a"))
	require.Equal(t, []lcm.AffectedExtLinkPort{port("a", lcm.ChangeAdded)}, got.AffectedExtLinkPorts)
	got = lcm.ChangesOf(vnfOf("a"), nil)
	require.Equal(t, []lcm.AffectedVirtualStorage{storage("a", lcm.ChangeRemoved)}, got.AffectedVirtualStorages)
	require.Equal(t, &lcm.ResourceChanges{}, lcm.ChangesOf(nil, nil))
}

func TestLinkInfo_hasThePortsOnALink(t *testing.T) {
	info := vnfOf("a", "b")
	info.ExtVirtualLinks = []lcm.ExtVirtualLink{
		{ID: "net", ResourceID: "n", ExtCps: []lcm.ExtCp{{CpdID: "cp"}}},
		{ID: "other", ResourceID: "o", ExtCps: []lcm.ExtCp{{CpdID: "x"}}},
	}
	links := info.LinkInfo(2)
	require.Equal(t, []lcm.ExtLinkPortInfo{
		{ID: "port-a", ResourceHandle: port("a", "").ResourceHandle, CpInstanceID: "ext-a"},
		{ID: "port-b", ResourceHandle: port("b", "").ResourceHandle, CpInstanceID: "ext-b"},
	}, links[0].ExtLinkPorts)
	require.Empty(t, links[1].ExtLinkPorts)
}

func TestProtocolInfo_tellsWhichAddressesWereAskedFor(t *testing.T) {
	require.Nil(t, lcm.ProtocolInfo("", []lcm.FixedIP{{Address: "10.0.0.7"}}, nil), "recorded before addresses were")
	got := lcm.ProtocolInfo("fa:16:3e:00:00:01", []lcm.FixedIP{
		{Address: "10.0.0.7", SubnetID: "s"},
		{Address: "2001:db8::7"},
	}, []lcm.FixedIP{{Address: "10.0.0.7"}})
	require.Equal(t, []lcm.CpProtocolInfo{{LayerProtocol: "IP_OVER_ETHERNET", IPOverEthernet: &lcm.IPOverEthernetInfo{
		MacAddress: "fa:16:3e:00:00:01",
		IPAddresses: []lcm.IPAddressInfo{
			{Type: "IPV4", Addresses: []string{"10.0.0.7"}, SubnetID: "s"},
			{Type: "IPV6", Addresses: []string{"2001:db8::7"}, IsDynamic: true},
		},
	}}}, got)
}

func TestChangesOf_theVnfsOwnNetworks(t *testing.T) {
	with := func(ports ...string) *lcm.InstantiatedVnfInfo {
		info := vnfOf("a")
		link := lcm.VnfVirtualLinkResourceInfo{
			ID: "net", VnfVirtualLinkDescID: "inner", NetworkResource: lcm.ResourceHandle{ResourceID: "net"},
		}
		for _, p := range ports {
			link.VnfLinkPorts = append(link.VnfLinkPorts, lcm.VnfLinkPortInfo{ID: p, CpInstanceType: "VNFC_CP"})
		}
		info.VirtualLinks = append(info.VirtualLinks, link)
		return info
	}
	change := func(kind lcm.ChangeType, ports ...string) lcm.AffectedVirtualLink {
		return lcm.AffectedVirtualLink{
			ID: "net", VnfVirtualLinkDescID: "inner", VirtualLinkDescID: "inner", ChangeType: kind,
			NetworkResource: lcm.ResourceHandle{ResourceID: "net"}, VnfLinkPortIDs: ports,
		}
	}
	require.Equal(t, []lcm.AffectedVirtualLink{change(lcm.ChangeAdded, "p")},
		lcm.ChangesOf(nil, with("p")).AffectedVirtualLinks)
	require.Equal(t, []lcm.AffectedVirtualLink{change(lcm.ChangeRemoved, "p")},
		lcm.ChangesOf(with("p"), nil).AffectedVirtualLinks)
	require.Empty(t, lcm.ChangesOf(with("p"), with("p")).AffectedVirtualLinks)
	got := lcm.ChangesOf(with("p", "q"), with("q", "r"))
	require.Equal(t, []lcm.AffectedVirtualLink{change(lcm.ChangePortRemoved, "p"), change(lcm.ChangePortAdded, "r")},
		got.AffectedVirtualLinks)
	require.Equal(t, lcm.AffectedVirtualLink{
		ID: "net", VirtualLinkDescID: "inner", ChangeType: lcm.ChangePortAdded,
		NetworkResource: lcm.ResourceHandle{ResourceID: "net"},
	},
		got.Shown(1).AffectedVirtualLinks[1])
	require.Empty(t, got.Shown(2).AffectedVirtualLinks[1].VirtualLinkDescID)
	require.Empty(t, with("p").ShownLinks(1)[0].VnfLinkPorts[0].CpInstanceType)
	require.Equal(t, "VNFC_CP", with("p").ShownLinks(2)[0].VnfLinkPorts[0].CpInstanceType)

	before := with()
	before.VirtualLinks, before.NetworksSeen = nil, false
	require.Empty(t, lcm.ChangesOf(before, with("p")).AffectedVirtualLinks, "as it was recorded before networks were")
}

func TestChangesOf_namesNetworksAndVolumesThatComeAndGo(t *testing.T) {
	with := func(seen bool, ids ...string) *lcm.InstantiatedVnfInfo {
		out := &lcm.InstantiatedVnfInfo{NetworksSeen: seen}
		for _, id := range ids {
			out.VirtualLinks = append(out.VirtualLinks, lcm.VnfVirtualLinkResourceInfo{
				ID:                   "net-" + id,
				VnfVirtualLinkDescID: "inner",
			})
			out.VirtualStorages = append(out.VirtualStorages,
				lcm.VirtualStorageResourceInfo{ID: "volume-" + id, VirtualStorageDescID: "disk"})
		}
		return out
	}
	got := lcm.ChangesOf(with(true, "a", "b"), with(true, "b", "c"))
	require.Equal(t, &lcm.ResourceChanges{
		AffectedVirtualLinks: []lcm.AffectedVirtualLink{
			{ID: "net-a", VnfVirtualLinkDescID: "inner", VirtualLinkDescID: "inner", ChangeType: "REMOVED"},
			{ID: "net-c", VnfVirtualLinkDescID: "inner", VirtualLinkDescID: "inner", ChangeType: "ADDED"},
		},
		AffectedVirtualStorages: []lcm.AffectedVirtualStorage{
			{ID: "volume-a", VirtualStorageDescID: "disk", ChangeType: "REMOVED"},
			{ID: "volume-c", VirtualStorageDescID: "disk", ChangeType: "ADDED"},
		},
	}, got)
	require.Len(t, lcm.ChangesOf(nil, with(true, "a")).AffectedVirtualLinks, 1)
	require.Len(t, lcm.ChangesOf(with(true, "a"), nil).AffectedVirtualStorages, 1)
	require.Equal(t, &lcm.ResourceChanges{}, lcm.ChangesOf(with(false), with(true, "a")), "nobody had looked for networks")
}
