package activities

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// addDefinitions adds to changes which definitions of the grant they are of (resourceDefinitionId), so that an NFVO
// knows what has become of what it granted. after is the VNF with what was added.
func addDefinitions(c *lcm.ResourceChanges, g lcm.Grant, after lcm.InstantiatedVnfInfo) {
	d := definitions{grant: g, added: added(g, c.AffectedVnfcs, after)}
	for i := range c.AffectedVnfcs {
		v := &c.AffectedVnfcs[i]
		v.ResourceDefinitionID = d.of(v.ChangeType, v.ComputeResource.ResourceID, d.added[v.ID])
	}
	for i := range c.AffectedVirtualLinks {
		l := &c.AffectedVirtualLinks[i]
		l.ResourceDefinitionID = d.of(l.ChangeType, l.NetworkResource.ResourceID,
			d.beside(after, l.ID, l.VnfVirtualLinkDescID))
	}
	for i := range c.AffectedVirtualStorages {
		s := &c.AffectedVirtualStorages[i]
		s.ResourceDefinitionID = d.of(s.ChangeType, s.StorageResource.ResourceID,
			d.beside(after, s.ID, s.VirtualStorageDescID))
	}
}

// definitions are those of a grant; added maps VNFCs that have come to theirs.
type definitions struct {
	grant lcm.Grant
	added map[string]string
}

// added takes the definitions of a VDU's servers in the order in which those were made: one that is there keeps its own
// when more come.
func added(g lcm.Grant, affected []lcm.AffectedVnfc, after lcm.InstantiatedVnfInfo) map[string]string {
	made := func(id string) string {
		i := slices.IndexFunc(after.VnfcResources, func(v lcm.VnfcResourceInfo) bool { return v.ID == id })
		if i < 0 {
			return ""
		}
		at, _ := after.VnfcResources[i].Metadata[lcm.CreationTime].(string)
		return at
	}
	list := slices.DeleteFunc(slices.Clone(affected),
		func(v lcm.AffectedVnfc) bool { return v.ChangeType != lcm.ChangeAdded })
	slices.SortFunc(list, func(a, b lcm.AffectedVnfc) int {
		return cmp.Or(strings.Compare(made(a.ID), made(b.ID)), strings.Compare(a.ID, b.ID))
	})
	out, used := map[string]string{}, map[string]bool{}
	for _, v := range list {
		for _, r := range g.AddResources {
			if r.Type == lcm.GrantCompute && r.VduID == v.VduID && !used[r.ResourceDefinitionID] {
				out[v.ID], used[r.ResourceDefinitionID] = r.ResourceDefinitionID, true
				break
			}
		}
	}
	return out
}

// of is the definition of a resource, "" for one that the grant says nothing of; wanted is that of one that has come.
func (d definitions) of(change lcm.ChangeType, resource, wanted string) string {
	list := d.grant.AddResources
	is := func(r lcm.GrantResource) bool { return r.ResourceDefinitionID == wanted }
	if change != lcm.ChangeAdded {
		list = append(slices.Clone(d.grant.RemoveResources), d.grant.UpdateResources...)
		is = func(r lcm.GrantResource) bool { return r.Resource != nil && r.Resource.ResourceID == resource }
	}
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i].ResourceDefinitionID
	}
	return ""
}

// beside is the definition of a volume or a network that has come: beside that of its VNFC, or one of the VNF.
func (d definitions) beside(after lcm.InstantiatedVnfInfo, id, template string) string {
	i := slices.IndexFunc(after.Attached, func(a lcm.AttachedResource) bool { return a.ResourceID == id })
	if i < 0 || after.Attached[i].VnfcID == "" {
		return "add-" + template
	}
	return d.added[after.Attached[i].VnfcID] + "-" + template
}
