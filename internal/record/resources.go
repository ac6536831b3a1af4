package record

import (
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// resources fills in the resources of a VNF.
func (v vnf) resources(info *lcm.InstantiatedVnfInfo, made Outcome) {
	info.VnfcResources, info.ExtCps, info.Attached = nil, nil, nil
	for _, c := range made.Vnfcs {
		resource := vnfcResource(c, v.on(c.VduID))
		var external []lcm.VnfExtCpInfo
		resource.CpInfo, external = v.connectionPoints(c, made.Networks)
		resource.ConfigurableProperties = v.Instance.KeptProperties(resource)
		info.VnfcResources = append(info.VnfcResources, resource)
		info.ExtCps = append(info.ExtCps, external...)
		info.Attached = append(info.Attached, v.attached(c)...)
	}
	info.ExtCps = append(info.ExtCps, v.otherExternal(info.ExtCps)...)
	info.Attached, info.NetworksSeen = append(info.Attached, v.networks(made)...), true
	info.VirtualLinks = v.virtualLinks(made)
	info.VirtualStorages = virtualStorages(info.Attached, func(vnfc string) string {
		for _, c := range info.VnfcResources {
			if c.ID == vnfc {
				return c.ComputeResource.VimConnectionID
			}
		}
		return v.on("")
	})
}

func vnfcResource(c Vnfc, connectionID string) lcm.VnfcResourceInfo {
	out := lcm.VnfcResourceInfo{
		ID: c.ServerID, VduID: c.VduID, ZoneID: c.Zone, StorageIDs: c.VolumeIDs,
		ComputeResource: lcm.ResourceHandle{
			VimConnectionID: connectionID, ResourceID: c.ServerID, VimLevelResourceType: c.VimType,
		},
	}
	out.Metadata = map[string]any{}
	if c.Part != "" {
		out.Metadata["stack_id"], out.Metadata["parent_resource_name"] = c.Part, c.ParentResource
	}
	if n, ok := out.Place(); ok { // Tacker's clients read both
		out.Metadata["vdu_idx"] = n
		if c.Zone != "" {
			out.Metadata["zone"] = c.Zone
		}
	}
	if !c.Created.IsZero() {
		out.Metadata[lcm.CreationTime] = c.Created.UTC().Format(time.RFC3339)
	}
	return out
}

// attached returns the volumes and ports of a VM, by their descriptions in the VNFD. If a VDU has only one virtual
// storage and the VM only one volume, they belong together, whatever the template's name is.
func (v vnf) attached(c Vnfc) (out []lcm.AttachedResource) {
	var storages []string
	only := len(c.VolumeIDs) == 1
	if vdu, ok := v.Flavour.Vdu(c.VduID); ok {
		storages = vdu.Storages
	}
	for _, a := range c.Attached {
		r := lcm.AttachedResource{VnfcID: c.ServerID, Type: a.Type, ResourceID: a.ID, VimType: a.VimType}
		_, isCp := v.Flavour.Cp(a.Resource)
		switch {
		case a.Type == lcm.GrantLinkPort && isCp, a.Type == lcm.GrantStorage && slices.Contains(storages, a.Resource):
			r.TemplateID = a.Resource
		case a.Type == lcm.GrantStorage && only && len(storages) == 1:
			r.TemplateID = storages[0]
		}
		out = append(out, r)
	}
	return out
}

// networks returns the networks that the deployment made, by their descriptions in the VNFD. A network of a group
// member belongs to the member's VNFC.
func (v vnf) networks(made Outcome) (out []lcm.AttachedResource) {
	for _, n := range made.Networks {
		r := lcm.AttachedResource{Type: lcm.GrantLink, ResourceID: n.ID, VimType: n.VimType}
		link, described := v.Flavour.VirtualLink(n.Resource)
		if described {
			r.TemplateID = n.Resource
		}
		for _, c := range made.Vnfcs {
			if n.Part != "" && c.Part == n.Part && (!described || link.VduID == c.VduID) {
				r.VnfcID = c.ServerID
			}
		}
		out = append(out, r)
	}
	return out
}

// virtualStorages returns the volumes that the VNFD describes (SOL003 clause 5.5.3.7).
func virtualStorages(
	attached []lcm.AttachedResource, of func(vnfc string) string,
) (out []lcm.VirtualStorageResourceInfo) {
	for _, a := range attached {
		if a.Type == lcm.GrantStorage && a.TemplateID != "" {
			out = append(out, lcm.VirtualStorageResourceInfo{
				ID: a.ResourceID, VirtualStorageDescID: a.TemplateID,
				StorageResource: lcm.ResourceHandle{
					VimConnectionID: of(a.VnfcID), ResourceID: a.ResourceID, VimLevelResourceType: a.VimType,
				},
			})
		}
	}
	return out
}
