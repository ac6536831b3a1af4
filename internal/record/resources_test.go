package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestNetworks_belongToTheVNFOrToTheVnfcBesideThem(t *testing.T) {
	j := instantiating(``)
	j.Flavour.VirtualLinks = []descriptor.VirtualLink{
		{ID: "inner", Made: true}, {ID: "private", Made: true, VduID: "node"},
	}
	made := Outcome{
		Vnfcs: []Vnfc{{VduID: "other", ServerID: "o", Part: "s"}, {VduID: "node", ServerID: "n", Part: "s"}},
		Networks: []Network{
			{Resource: "inner", ID: "1"},
			{Resource: "private", ID: "2", Part: "s"},
			{Resource: "unknown", ID: "3"},
			{Resource: "private", ID: "4", Part: "t"},
		},
	}
	require.Equal(t, []lcm.AttachedResource{
		{Type: lcm.GrantLink, TemplateID: "inner", ResourceID: "1"},
		{VnfcID: "n", Type: lcm.GrantLink, TemplateID: "private", ResourceID: "2"},
		{Type: lcm.GrantLink, ResourceID: "3"},
		{Type: lcm.GrantLink, TemplateID: "private", ResourceID: "4"},
	}, j.networks(made))
	require.Len(t, j.virtualLinks(made), 3, "what the VNFD does not describe is no virtual link of it")
}

// TestVnfcResource_hasTheMetadataThatTackersClientsRead is about VNFCs that are resources of their own.
func TestVnfcResource_hasTheMetadataThatTackersClientsRead(t *testing.T) {
	own := vnfcResource(Vnfc{VduID: "VDU1", ServerID: "s", Part: "p", ParentResource: "VDU1-2", Zone: "nova"}, "vim")
	require.Equal(t, map[string]any{
		"stack_id": "p", "parent_resource_name": "VDU1-2", "vdu_idx": 2, "zone": "nova",
	}, own.Metadata)
	require.Equal(t, "nova", own.ZoneID)
	member := vnfcResource(Vnfc{VduID: "VDU1", ServerID: "s", Part: "p", ParentResource: "a3f", Zone: "nova"}, "vim")
	require.NotContains(t, member.Metadata, "zone")
}

func TestAttached_namesWhatTheVnfdDescribes(t *testing.T) {
	j := instantiating(``)
	j.Flavour.Vdus[0].Storages = []string{"disk", "log"}
	j.Flavour.Cps = []descriptor.VduCp{{ID: "cp", VduID: "node"}}
	got := j.attached(Vnfc{
		VduID: "node", ServerID: "s", VolumeIDs: []string{"v1", "v2"},
		Attached: []Attached{
			{Type: lcm.GrantStorage, Resource: "disk", ID: "v1", VimType: "OS::Cinder::Volume"},
			{Type: lcm.GrantStorage, ID: "v2"},
			{Type: lcm.GrantLinkPort, Resource: "cp", ID: "p1", VimType: "OS::Neutron::Port"},
			{Type: lcm.GrantLinkPort, Resource: "elsewhere", ID: "p2"},
		},
	})
	require.Equal(t, []lcm.AttachedResource{
		{VnfcID: "s", Type: lcm.GrantStorage, TemplateID: "disk", ResourceID: "v1", VimType: "OS::Cinder::Volume"},
		{VnfcID: "s", Type: lcm.GrantStorage, ResourceID: "v2"},
		{VnfcID: "s", Type: lcm.GrantLinkPort, TemplateID: "cp", ResourceID: "p1", VimType: "OS::Neutron::Port"},
		{VnfcID: "s", Type: lcm.GrantLinkPort, ResourceID: "p2"},
	}, got)
	require.Equal(t, []lcm.VirtualStorageResourceInfo{{
		ID: "v1", VirtualStorageDescID: "disk",
		StorageResource: lcm.ResourceHandle{
			VimConnectionID: "vim", ResourceID: "v1", VimLevelResourceType: "OS::Cinder::Volume",
		},
	}}, virtualStorages(got, allOn("vim")))

	j.Flavour.Vdus[0].Storages = []string{"disk"}
	got = j.attached(Vnfc{
		VduID: "node", ServerID: "s", VolumeIDs: []string{"v"},
		Attached: []Attached{{Type: lcm.GrantStorage, Resource: "volume", ID: "v"}},
	})
	require.Equal(t, "disk", got[0].TemplateID, "there is no other")
}
