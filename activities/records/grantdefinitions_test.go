package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestDefine_tellsWhatHasBecomeOfWhatWasGranted(t *testing.T) {
	handle := func(id string) *lcm.ResourceHandle { return &lcm.ResourceHandle{ResourceID: id} }
	g := lcm.Grant{
		AddResources: []lcm.GrantResource{
			{ResourceDefinitionID: "add-inner", Type: lcm.GrantLink, ResourceTemplateID: "inner"},
			{ResourceDefinitionID: "add-node-1", Type: lcm.GrantCompute, VduID: "node"},
			{ResourceDefinitionID: "add-node-1-disk", Type: lcm.GrantStorage, VduID: "node"},
			{ResourceDefinitionID: "add-node-2", Type: lcm.GrantCompute, VduID: "node"},
			{ResourceDefinitionID: "add-node-2-disk", Type: lcm.GrantStorage, VduID: "node"},
		},
		RemoveResources: []lcm.GrantResource{
			{ResourceDefinitionID: "remove-x", Type: lcm.GrantCompute, Resource: handle("x")},
			{ResourceDefinitionID: "remove-v", Type: lcm.GrantStorage, Resource: handle("v")},
		},
		UpdateResources: []lcm.GrantResource{{
			ResourceDefinitionID: "update-y", Type: lcm.GrantCompute, Resource: handle("y"),
		}},
	}
	after := lcm.InstantiatedVnfInfo{
		VnfcResources: []lcm.VnfcResourceInfo{
			{ID: "late", Metadata: map[string]any{lcm.CreationTime: "2030-01-02T03:04:06Z"}},
			{ID: "early", Metadata: map[string]any{lcm.CreationTime: "2030-01-02T03:04:05Z"}},
		},
		Attached: []lcm.AttachedResource{
			{VnfcID: "late", ResourceID: "disk-late"},
			{VnfcID: "early", ResourceID: "disk-early"},
			{ResourceID: "net"},
		},
	}
	vnfc := func(id string, change lcm.ChangeType) lcm.AffectedVnfc {
		return lcm.AffectedVnfc{ID: id, VduID: "node", ChangeType: change, ComputeResource: *handle(id)}
	}
	disk := func(id string, change lcm.ChangeType) lcm.AffectedVirtualStorage {
		return lcm.AffectedVirtualStorage{
			ID: id, VirtualStorageDescID: "disk", ChangeType: change, StorageResource: *handle(id),
		}
	}
	c := &lcm.ResourceChanges{
		AffectedVnfcs: []lcm.AffectedVnfc{
			vnfc("x", "REMOVED"), vnfc("late", "ADDED"), vnfc("early", "ADDED"),
			vnfc("y", "MODIFIED"), vnfc("stranger", "REMOVED"),
		},
		AffectedVirtualLinks: []lcm.AffectedVirtualLink{{
			ID: "net", VnfVirtualLinkDescID: "inner", ChangeType: "ADDED", NetworkResource: *handle("net"),
		}},
		AffectedVirtualStorages: []lcm.AffectedVirtualStorage{
			disk("v", "REMOVED"), disk("disk-late", "ADDED"),
			disk("disk-early", "ADDED"),
		},
	}
	addDefinitions(c, g, after)
	var got []string
	for _, v := range c.AffectedVnfcs {
		got = append(got, v.ResourceDefinitionID)
	}
	require.Equal(t, []string{"remove-x", "add-node-2", "add-node-1", "update-y", ""}, got,
		"in the order in which they were made")
	require.Equal(t, "add-inner", c.AffectedVirtualLinks[0].ResourceDefinitionID)
	got = nil
	for _, s := range c.AffectedVirtualStorages {
		got = append(got, s.ResourceDefinitionID)
	}
	require.Equal(t, []string{"remove-v", "add-node-2-disk", "add-node-1-disk"}, got)
}
