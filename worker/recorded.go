package worker

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Recorded implements activities.Deployments.
func (o *resolver) Recorded(ctx context.Context, id lcm.OpOccID) (out []activities.Vnfc, err error) {
	j, err := o.load(ctx, id)
	if err != nil || j.Instance.Instantiated == nil {
		return nil, err
	}
	for _, v := range j.Instance.Instantiated.VnfcResources {
		vnfc := activities.Vnfc{VduID: v.VduID, ServerID: v.ComputeResource.ResourceID, VolumeIDs: v.StorageIDs}
		vnfc.VimType = v.ComputeResource.VimLevelResourceType
		vnfc.Part, _ = v.Metadata["stack_id"].(string)
		vnfc.ParentResource, _ = v.Metadata["parent_resource_name"].(string)
		for _, a := range j.Instance.Instantiated.Attached {
			if a.VnfcID == v.ID && (a.Type == lcm.GrantLinkPort || a.Type == lcm.GrantStorage) {
				vnfc.Attached = append(vnfc.Attached, activities.Attached{
					Type: a.Type, Resource: a.TemplateID, ID: a.ResourceID, VimType: a.VimType,
				})
			}
		}
		out = append(out, vnfc)
	}
	return out, nil
}

// Links implements activities.Deployments.
func (o *resolver) Links(ctx context.Context, id lcm.OpOccID) (before, after []lcm.ExtVirtualLink, err error) {
	j, err := o.load(ctx, id)
	if err != nil || j.Instance.Instantiated == nil {
		return nil, j.Request.ExtVirtualLinks, err
	}
	return j.Instance.Instantiated.ExtVirtualLinks, j.Request.ExtVirtualLinks, nil
}
