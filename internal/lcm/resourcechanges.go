package lcm

import (
	"reflect"
	"slices"
)

// ResourceChanges is SOL003 clause 5.5.2.13, member resourceChanges: the changes of an operation since it began.
type ResourceChanges struct {
	AffectedVnfcs           []AffectedVnfc           `json:"affectedVnfcs,omitempty"`
	AffectedVirtualLinks    []AffectedVirtualLink    `json:"affectedVirtualLinks,omitempty"`
	AffectedExtLinkPorts    []AffectedExtLinkPort    `json:"affectedExtLinkPorts,omitempty"` // in v3.3.1 only
	AffectedVirtualStorages []AffectedVirtualStorage `json:"affectedVirtualStorages,omitempty"`
}

// ChangeType is how a resource was changed (SOL003 clauses 5.5.3.13 to 5.5.3.16).
type ChangeType string

// The changes of the standard that Windlass makes.
const (
	ChangeAdded    ChangeType = "ADDED"
	ChangeRemoved  ChangeType = "REMOVED"
	ChangeModified ChangeType = "MODIFIED"
	// For a virtual link that stays.
	ChangePortAdded   ChangeType = "LINK_PORT_ADDED"
	ChangePortRemoved ChangeType = "LINK_PORT_REMOVED"
)

// AffectedVnfc is SOL003 clause 5.5.3.13.
type AffectedVnfc struct {
	ID              string         `json:"id"`
	VduID           string         `json:"vduId"`
	ChangeType      ChangeType     `json:"changeType"`
	ComputeResource ResourceHandle `json:"computeResource"`
	ZoneID          string         `json:"zoneId,omitempty"` // in v3.3.1 only
	// AffectedVnfcCpIDs are its connection points that were added, removed or connected otherwise.
	AffectedVnfcCpIDs []string `json:"affectedVnfcCpIds,omitempty"`
	// The storages are items of virtualStorageResourceInfo.
	AddedStorageResourceIDs   []string `json:"addedStorageResourceIds,omitempty"`
	RemovedStorageResourceIDs []string `json:"removedStorageResourceIds,omitempty"`
	// ResourceDefinitionID is its id in the grant, "" when the grant does not name it.
	ResourceDefinitionID string `json:"resourceDefinitionId,omitempty"`
}

// AffectedVirtualLink is SOL003 clause 5.5.3.14: one of the VNF's own networks.
type AffectedVirtualLink struct {
	ID string `json:"id"`
	// v2.6.1 has another name for the descriptor. Both names are stored, so that a filter finds either.
	VnfVirtualLinkDescID string         `json:"vnfVirtualLinkDescId,omitempty"`
	VirtualLinkDescID    string         `json:"virtualLinkDescId,omitempty"`
	ChangeType           ChangeType     `json:"changeType"`
	NetworkResource      ResourceHandle `json:"networkResource"`
	// VnfLinkPortIDs are the ports that were added or removed, in v3.3.1 only.
	VnfLinkPortIDs []string `json:"vnfLinkPortIds,omitempty"`
	// ResourceDefinitionID is its id in the grant, "" when the grant does not name it.
	ResourceDefinitionID string `json:"resourceDefinitionId,omitempty"`
}

// AffectedExtLinkPort is SOL003 v3.3.1 clause 5.5.3.14a.
type AffectedExtLinkPort struct {
	ID              string         `json:"id"`
	ChangeType      ChangeType     `json:"changeType"`
	ExtCpInstanceID string         `json:"extCpInstanceId"`
	ResourceHandle  ResourceHandle `json:"resourceHandle"`
}

// AffectedVirtualStorage is SOL003 clause 5.5.3.15.
type AffectedVirtualStorage struct {
	ID                   string         `json:"id"`
	VirtualStorageDescID string         `json:"virtualStorageDescId"`
	ChangeType           ChangeType     `json:"changeType"`
	StorageResource      ResourceHandle `json:"storageResource"`
	// ResourceDefinitionID is its id in the grant, "" when the grant does not name it.
	ResourceDefinitionID string `json:"resourceDefinitionId,omitempty"`
}

// Shown returns the changes in the form of a version of the API; nil for nil.
func (r *ResourceChanges) Shown(apiVersion int) *ResourceChanges {
	if r == nil {
		return nil
	}
	out := *r
	out.AffectedVnfcs, out.AffectedVirtualLinks = slices.Clone(r.AffectedVnfcs), slices.Clone(r.AffectedVirtualLinks)
	if apiVersion > 1 {
		for i := range out.AffectedVirtualLinks {
			out.AffectedVirtualLinks[i].VirtualLinkDescID = ""
		}
		return &out
	}
	out.AffectedExtLinkPorts = nil
	for i := range out.AffectedVnfcs {
		out.AffectedVnfcs[i].ZoneID = ""
	}
	for i := range out.AffectedVirtualLinks {
		out.AffectedVirtualLinks[i].VnfVirtualLinkDescID, out.AffectedVirtualLinks[i].VnfLinkPortIDs = "", nil
	}
	return &out
}

// ChangesOf compares the records of a VNF before and after an operation; nil stands for a VNF without resources. A
// record from before Windlass recorded connection points counts as unchanged.
func ChangesOf(before, after *InstantiatedVnfInfo) *ResourceChanges {
	out := &ResourceChanges{}
	had, has := before.vnfcs(), after.vnfcs()
	for _, v := range had {
		if _, stays := vnfcIn(has, v.ID); !stays {
			out.whole(before, v, ChangeRemoved)
		}
	}
	for _, v := range has {
		if _, stays := vnfcIn(had, v.ID); !stays {
			out.whole(after, v, ChangeAdded)
		}
	}
	for _, v := range has {
		if was, stays := vnfcIn(had, v.ID); stays {
			out.partly(before, after, was, v)
		}
	}
	if before != nil && !before.NetworksSeen { // an older worker made the last record, with fewer resources
		return out
	}
	out.links(before, after)
	out.AffectedVirtualStorages = append(storagesGone(before, after, ChangeRemoved),
		storagesGone(after, before, ChangeAdded)...)
	return out
}

// whole adds a new or removed VNFC with all its resources.
func (r *ResourceChanges) whole(info *InstantiatedVnfInfo, v VnfcResourceInfo, change ChangeType) {
	a := v.Affected(change)
	for _, cp := range v.CpInfo {
		a.AffectedVnfcCpIDs = append(a.AffectedVnfcCpIDs, cp.ID)
		r.port(info, cp, change)
	}
	if change == ChangeAdded {
		a.AddedStorageResourceIDs = info.described(v.StorageIDs)
	} else {
		a.RemovedStorageResourceIDs = info.described(v.StorageIDs)
	}
	r.AffectedVnfcs = append(r.AffectedVnfcs, a)
}

// partly adds a VNFC that stays, if any part of it has changed.
func (r *ResourceChanges) partly(before, after *InstantiatedVnfInfo, was, is VnfcResourceInfo) {
	a := is.Affected(ChangeModified)
	a.AddedStorageResourceIDs = after.described(without(is.StorageIDs, was.StorageIDs))
	a.RemovedStorageResourceIDs = before.described(without(was.StorageIDs, is.StorageIDs))
	if len(was.CpInfo) > 0 {
		for _, cp := range is.CpInfo {
			from, to := before.external(cp), after.external(cp)
			if reflect.DeepEqual(from, to) {
				continue
			}
			a.AffectedVnfcCpIDs = append(a.AffectedVnfcCpIDs, cp.ID)
			if from.port() != to.port() {
				r.port(before, cp, ChangeRemoved)
				r.port(after, cp, ChangeAdded)
			}
		}
	}
	if len(a.AffectedVnfcCpIDs)+len(a.AddedStorageResourceIDs)+len(a.RemovedStorageResourceIDs) > 0 {
		r.AffectedVnfcs = append(r.AffectedVnfcs, a)
	}
}

// port adds the port of a connection point on an external link. A given port is neither added nor removed.
func (r *ResourceChanges) port(info *InstantiatedVnfInfo, cp VnfcCpInfo, change ChangeType) {
	if ext := info.external(cp); ext.ExtLinkPortID != "" && ext.PortID == "" {
		r.AffectedExtLinkPorts = append(r.AffectedExtLinkPorts, AffectedExtLinkPort{
			ID: ext.ExtLinkPortID, ChangeType: change, ExtCpInstanceID: ext.ID,
			ResourceHandle: ext.handle(info.VimConnectionID()),
		})
	}
}

// links adds the VNF's own networks that were added or removed, or that have other ports.
func (r *ResourceChanges) links(before, after *InstantiatedVnfInfo) {
	add := func(l VnfVirtualLinkResourceInfo, change ChangeType, ports []string) {
		r.AffectedVirtualLinks = append(r.AffectedVirtualLinks, AffectedVirtualLink{
			ID: l.ID, VnfVirtualLinkDescID: l.VnfVirtualLinkDescID, VirtualLinkDescID: l.VnfVirtualLinkDescID,
			ChangeType: change, NetworkResource: l.NetworkResource, VnfLinkPortIDs: ports,
		})
	}
	had, has := before.links(), after.links()
	for _, l := range had {
		if _, stays := linkIn(has, l.ID); !stays {
			add(l, ChangeRemoved, l.ports())
		}
	}
	for _, l := range has {
		was, stays := linkIn(had, l.ID)
		if !stays {
			add(l, ChangeAdded, l.ports())
			continue
		}
		if gone := without(was.ports(), l.ports()); len(gone) > 0 {
			add(l, ChangePortRemoved, gone)
		}
		if came := without(l.ports(), was.ports()); len(came) > 0 {
			add(l, ChangePortAdded, came)
		}
	}
}

func (l VnfVirtualLinkResourceInfo) ports() (ids []string) {
	for _, p := range l.VnfLinkPorts {
		ids = append(ids, p.ID)
	}
	return ids
}

func linkIn(list []VnfVirtualLinkResourceInfo, id string) (VnfVirtualLinkResourceInfo, bool) {
	i := slices.IndexFunc(list, func(l VnfVirtualLinkResourceInfo) bool { return l.ID == id })
	if i < 0 {
		return VnfVirtualLinkResourceInfo{}, false
	}
	return list[i], true
}

func (i *InstantiatedVnfInfo) links() []VnfVirtualLinkResourceInfo {
	if i == nil {
		return nil
	}
	return i.VirtualLinks
}

// Affected returns the VNFC as the subject of a change.
func (v VnfcResourceInfo) Affected(change ChangeType) AffectedVnfc {
	return AffectedVnfc{ID: v.ID, VduID: v.VduID, ChangeType: change, ComputeResource: v.ComputeResource, ZoneID: v.ZoneID}
}

// external returns the external connection point of a VNFC's connection point, empty when it is not external.
func (i *InstantiatedVnfInfo) external(cp VnfcCpInfo) VnfExtCpInfo {
	for _, ext := range i.ExtCps {
		if ext.AssociatedVnfcCpID == cp.ID {
			return ext
		}
	}
	return VnfExtCpInfo{}
}

// described returns the storages that the VNFD describes. Other storages have no item to refer to.
func (i *InstantiatedVnfInfo) described(storages []string) (out []string) {
	for _, s := range i.VirtualStorages {
		if slices.Contains(storages, s.StorageResource.ResourceID) {
			out = append(out, s.ID)
		}
	}
	return out
}

// storagesGone returns the storages that are in one record and not in the other.
func storagesGone(in, notIn *InstantiatedVnfInfo, change ChangeType) (out []AffectedVirtualStorage) {
	for _, s := range in.storages() {
		if !slices.ContainsFunc(notIn.storages(), func(o VirtualStorageResourceInfo) bool { return o.ID == s.ID }) {
			out = append(out, AffectedVirtualStorage{
				ID: s.ID, VirtualStorageDescID: s.VirtualStorageDescID, ChangeType: change,
				StorageResource: s.StorageResource,
			})
		}
	}
	return out
}

func (i *InstantiatedVnfInfo) storages() []VirtualStorageResourceInfo {
	if i == nil {
		return nil
	}
	return i.VirtualStorages
}

func (i *InstantiatedVnfInfo) vnfcs() []VnfcResourceInfo {
	if i == nil {
		return nil
	}
	return i.VnfcResources
}

func vnfcIn(list []VnfcResourceInfo, id string) (VnfcResourceInfo, bool) {
	i := slices.IndexFunc(list, func(v VnfcResourceInfo) bool { return v.ID == id })
	if i < 0 {
		return VnfcResourceInfo{}, false
	}
	return list[i], true
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}
