package record

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Vnfcs returns the recorded VNFCs of an instance, with the volumes and ports under their names in the VNFD.
func Vnfcs(info *lcm.InstantiatedVnfInfo) (out []Vnfc) {
	if info == nil {
		return nil
	}
	for _, v := range info.VnfcResources {
		c := Vnfc{VduID: v.VduID, ServerID: v.ComputeResource.ResourceID, VolumeIDs: v.StorageIDs}
		c.VimType = v.ComputeResource.VimLevelResourceType
		c.Part, _ = v.Metadata["stack_id"].(string)
		c.ParentResource, _ = v.Metadata["parent_resource_name"].(string)
		for _, a := range info.Attached {
			if a.VnfcID == v.ID && (a.Type == lcm.GrantLinkPort || a.Type == lcm.GrantStorage) {
				c.Attached = append(c.Attached, Attached{
					Type: a.Type, Resource: a.TemplateID, ID: a.ResourceID, VimType: a.VimType,
				})
			}
		}
		out = append(out, c)
	}
	return out
}
