package openstack

import (
	"context"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
)

// Attachment is a Cinder volume that is attached to a server.
type Attachment struct {
	VolumeID string
	// Device is Nova's name for the volume, like /dev/vdb. The guest may use another name; its by-id link has the
	// volume's id.
	Device string
}

// Attachments lists the volumes of a server, ordered by device.
func (c *Cloud) Attachments(ctx context.Context, serverID string) ([]Attachment, error) {
	list, err := listed(ctx, "list the volumes of server "+serverID, volumeattach.List(c.compute, serverID),
		volumeattach.ExtractVolumeAttachments)
	if err != nil {
		return nil, err
	}
	out := make([]Attachment, 0, len(list))
	for _, a := range list {
		out = append(out, Attachment{VolumeID: a.VolumeID, Device: a.Device})
	}
	slices.SortFunc(out, func(a, b Attachment) int { return strings.Compare(a.Device+a.VolumeID, b.Device+b.VolumeID) })
	return out, nil
}

// ServerGroup keeps servers together or apart.
type ServerGroup struct {
	ID, Name string
	Policy   string // affinity, anti-affinity, soft-affinity, soft-anti-affinity
	Members  []string
}

// ServerGroups lists the project's server groups with the ids of their members, with one call.
func (c *Cloud) ServerGroups(ctx context.Context) ([]ServerGroup, error) {
	list, err := listed(ctx, "list the server groups", servergroups.List(c.compute, servergroups.ListOpts{}),
		servergroups.ExtractServerGroups)
	if err != nil {
		return nil, err
	}
	out := make([]ServerGroup, 0, len(list))
	for _, g := range list {
		group := ServerGroup{ID: g.ID, Name: g.Name, Members: g.Members}
		if g.Policy != nil {
			group.Policy = *g.Policy
		} else if len(g.Policies) > 0 {
			group.Policy = g.Policies[0]
		}
		out = append(out, group)
	}
	slices.SortFunc(out, func(a, b ServerGroup) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}
