package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// addDefinitions adds the grant's resourceDefinitionId to each change, so that the NFVO can match changes with its
// grant. after is the VNF with the added resources.
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

// definitions are the resource definitions of a grant. added maps the id of each new VNFC to its definition.
type definitions struct {
	grant lcm.Grant
	added map[string]string
}

// added assigns the definitions of a VDU to its new servers by creation time. Thus a server keeps its definition when
// more servers come.
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

// of returns the definition of a resource, "" if the grant does not mention it. wanted is the definition of a new
// resource.
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

// beside returns the definition of a new volume or network, next to the definition of its VNFC, or of the VNF.
func (d definitions) beside(after lcm.InstantiatedVnfInfo, id, template string) string {
	i := slices.IndexFunc(after.Attached, func(a lcm.AttachedResource) bool { return a.ResourceID == id })
	if i < 0 || after.Attached[i].VnfcID == "" {
		return "add-" + template
	}
	return d.added[after.Attached[i].VnfcID] + "-" + template
}
