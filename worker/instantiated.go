package worker

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Instantiated implements activities.Facts.
func (o *resolver) Instantiated(
	ctx context.Context, id lcm.OpOccID, made activities.Outcome,
) (activities.InstantiatedVnf, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return activities.InstantiatedVnf{}, err
	}
	connections, err := o.Connections(ctx, j.Operation)
	if err != nil {
		return activities.InstantiatedVnf{}, err
	}
	if made.Left && j.Before != nil { // the package before counts until a change is complete
		j = &job{j.Before}
	}
	on := j.on(connections)
	if made.Restored {
		return j.restored(made, on), nil
	}
	if made.Left && j.OpOcc.Operation == lcm.OpChangeExtConn {
		return j.partlyReconnected(made, on), nil
	}
	out := activities.InstantiatedVnf{Info: lcm.InstantiatedVnfInfo{
		FlavourID: j.Flavour.ID, VnfState: lcm.VnfStarted, ExtVirtualLinks: j.Request.ExtVirtualLinks,
		ExtManagedVirtualLinks: j.Request.ExtManagedVirtualLinks,
		DeploymentID:           made.DeploymentID, AdditionalParams: j.Request.AdditionalParams, Nodes: made.Nodes, Storage: made.Storage,
		ClusterVimID:   made.ClusterVimID,
		MaxScaleLevels: j.Flavour.MaxScaleLevels(), Granted: j.Chosen(), LocalizationLanguage: j.Request.LocalizationLanguage,
	}}
	out.Info.InstantiationLevelID, out.Info.ScaleStatus = j.Levels()
	if made.Left {
		out.Info.InstantiationLevelID, out.Info.ScaleStatus = j.levelsLeft(made.Vnfcs)
	}
	j.resources(&out.Info, made, on)
	j.showRegistry(&out.Info, made)
	out.Info.KeepStopped(j.Instance.Instantiated)
	j.showStarted(&out.Info)
	out.Extensions = lcm.Merged(j.Instance.Extensions, j.Request.Extensions)
	out.ConfigurableProperties = lcm.Merged(j.Instance.ConfigurableProperties, j.Request.ConfigurableProperties)
	out.Followed = j.Follows()
	if j.IsCluster() {
		out.ConfigurableProperties = lcm.ShowRegistries(out.ConfigurableProperties, j.Request.AdditionalParams)
	}
	out.VimConnections = append(connections, j.otherConnections(connections)...)
	if j.FormerVims != nil || j.Package != nil {
		out.ChangedInfo, out.Package = &j.Modified, j.Package
	}
	if made.ClusterVimID != "" {
		vim, err := o.Store.Vim(ctx, made.ClusterVimID)
		if err != nil {
			return out, err
		}
		out.VimConnections = append(out.VimConnections, lcm.VimConnectionInfo{
			ID: string(vim.ID), VimID: vim.ID, VimType: lcm.VimKubernetes,
			InterfaceInfo: map[string]any{"endpoint": vim.AuthURL},
		})
	}
	slices.SortFunc(out.VimConnections, func(a, b lcm.VimConnectionInfo) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// showStarted notes what an OPERATE has started. It is asked for those only whose VNFCs are others then.
func (j *job) showStarted(info *lcm.InstantiatedVnfInfo) {
	p := j.OpOcc.Plan
	if j.OpOcc.Operation != lcm.OpOperate || p == nil || p.ChangeStateTo != lcm.VnfStarted {
		return
	}
	var started []string
	for _, v := range p.Operated {
		started = append(started, v.VnfcID)
	}
	info.Switch(lcm.VnfStarted, started, nil)
}

// otherConnections are those of the instance that neither its resources nor its cluster need, e.g. because a
// modification has added them. Those that an earlier attempt to instantiate has left are none.
func (j *job) otherConnections(used []lcm.VimConnectionInfo) (out []lcm.VimConnectionInfo) {
	if j.OpOcc.Operation == lcm.OpInstantiate || j.Instance.Instantiated == nil {
		return nil
	}
	for _, c := range j.Instance.VimConnections {
		is := func(u lcm.VimConnectionInfo) bool { return u.ID == c.ID }
		alike := func(u lcm.VimConnectionInfo) bool { return u.Kind() == c.Kind() }
		if !slices.ContainsFunc(used, is) && slices.ContainsFunc(used, alike) {
			out = append(out, c)
		}
	}
	return out
}

// on is on which of these connections the VNFCs of a VDU are. What belongs to no VDU is with the servers.
func (j *job) on(connections []lcm.VimConnectionInfo) func(vdu string) string {
	return func(vdu string) string { return lifecycle.Connection(j.Flavour, connections, vdu).ID }
}

func vnfcResource(v activities.Vnfc, connectionID string) lcm.VnfcResourceInfo {
	out := lcm.VnfcResourceInfo{
		ID: v.ServerID, VduID: v.VduID, ZoneID: v.Zone, StorageIDs: v.VolumeIDs,
		ComputeResource: lcm.ResourceHandle{
			VimConnectionID: connectionID, ResourceID: v.ServerID,
			VimLevelResourceType: v.VimType,
		},
	}
	out.Metadata = map[string]any{}
	if v.Part != "" {
		out.Metadata["stack_id"], out.Metadata["parent_resource_name"] = v.Part, v.ParentResource
	}
	if n, ok := out.Place(); ok { // Tacker's clients read it
		out.Metadata["vdu_idx"] = n
	}
	if !v.Created.IsZero() {
		out.Metadata[lcm.CreationTime] = v.Created.UTC().Format(time.RFC3339)
	}
	return out
}

// attached are the volumes and ports of a VM, by what describes them in the VNFD. The only volume is that of the VDU's
// only virtual storage, whatever the Base HOT calls it.
func (j *job) attached(v activities.Vnfc) (out []lcm.AttachedResource) {
	var storages []string
	only := len(v.VolumeIDs) == 1
	if vdu, ok := j.Flavour.Vdu(v.VduID); ok {
		storages = vdu.Storages
	}
	for _, a := range v.Attached {
		r := lcm.AttachedResource{VnfcID: v.ServerID, Type: a.Type, ResourceID: a.ID, VimType: a.VimType}
		_, isCp := j.Flavour.Cp(a.Resource)
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

// networks are those that the deployment has made, by what describes them in the VNFD. One of a member of a group
// belongs to the member's VNFC.
func (j *job) networks(made activities.Outcome) (out []lcm.AttachedResource) {
	for _, n := range made.Networks {
		r := lcm.AttachedResource{Type: lcm.GrantLink, ResourceID: n.ID, VimType: n.VimType}
		link, described := j.Flavour.VirtualLink(n.Resource)
		if described {
			r.TemplateID = n.Resource
		}
		for _, v := range made.Vnfcs {
			if n.Part != "" && v.Part == n.Part && (!described || link.VduID == v.VduID) {
				r.VnfcID = v.ServerID
			}
		}
		out = append(out, r)
	}
	return out
}

// virtualStorages are the volumes that the VNFD describes (SOL003 clause 5.5.3.7).
func virtualStorages(attached []lcm.AttachedResource, of func(vnfc string) string) (out []lcm.VirtualStorageResourceInfo) {
	for _, a := range attached {
		if a.Type == lcm.GrantStorage && a.TemplateID != "" {
			out = append(out, lcm.VirtualStorageResourceInfo{
				ID: a.ResourceID, VirtualStorageDescID: a.TemplateID,
				StorageResource: lcm.ResourceHandle{
					VimConnectionID: of(a.VnfcID), ResourceID: a.ResourceID,
					VimLevelResourceType: a.VimType,
				},
			})
		}
	}
	return out
}
