package lifecycle

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Granted are the resources of the grant for a plan. Servers that go or change are named themselves, with their
// volumes, ports and networks. New resources are named by their descriptions in the VNFD. The zones of both are
// included. vims are the connections on which VNFCs are made, one for each kind of VIM of the VNF. A connection that an
// NFVO is to bring is a zero value, or missing.
func Granted(f Facts, p lcm.Plan, vims ...lcm.VimConnectionInfo) lcm.Grant {
	g := granting{facts: f, plan: p, vims: vims}
	if k := kinds[p.Operation]; k.grant != nil {
		k.grant(&g)
	}
	for _, l := range p.Leaving {
		g.remove(l)
	}
	for _, group := range p.Groups {
		for range group.To - group.From {
			g.add(group.VduID, "")
		}
	}
	for _, v := range p.Operated {
		g.update(v.VnfcID)
	}
	for _, vim := range vims {
		if vim.ID != "" {
			g.grant.VimConnections = append(g.grant.VimConnections,
				lcm.VimConnectionInfo{ID: vim.ID, VimID: vim.VimID, VimType: vim.VimType})
		}
	}
	return g.grant
}

type granting struct {
	facts Facts
	plan  lcm.Plan
	vims  []lcm.VimConnectionInfo
	grant lcm.Grant
}

// on is the connection for the VNFCs of a VDU, "" where an NFVO is to bring one.
func (g *granting) on(vdu string) string { return Connection(g.facts.flavourOf(vdu), g.vims, vdu).ID }

func (g *granting) removeLink(a lcm.AttachedResource, vim string) {
	g.grant.RemoveResources = append(g.grant.RemoveResources, lcm.GrantResource{
		ResourceDefinitionID: "remove-" + a.ResourceID, VimConnectionID: g.on(""), Type: a.Type, Resource: handleAt(vim, a),
	})
}

func (g *granting) remove(l lcm.LeavingVnfc) {
	r := lcm.GrantResource{
		ResourceDefinitionID: "remove-" + l.VnfcID, VimConnectionID: g.on(l.VduID), Type: lcm.GrantCompute,
		VduID: l.VduID, VnfcInstanceID: l.VnfcID, Node: l.Node, Why: l.Why,
	}
	v, ok := g.facts.find(l.ServerID)
	if ok {
		r.Resource, r.ZoneID = new(v.ComputeResource), g.zone(v.VduID, v.ZoneID)
	}
	g.grant.RemoveResources = append(g.grant.RemoveResources, r)
	if g.handsOver(v) {
		g.removeLeaving(v)
		return
	}
	for _, a := range g.facts.attached(v) {
		if !g.facts.isGiven(a) {
			g.removeAttached(v, a)
		}
	}
}

func (g *granting) removeAttached(v lcm.VnfcResourceInfo, a lcm.AttachedResource) {
	g.grant.RemoveResources = append(g.grant.RemoveResources, lcm.GrantResource{
		ResourceDefinitionID: "remove-" + a.ResourceID, VimConnectionID: g.on(v.VduID), Type: a.Type,
		VduID: v.VduID, VnfcInstanceID: v.ID, Resource: handle(v, a),
	})
}

// handsOver tells whether a healed VM leaves its volumes and ports to its successor. It does not if an older Windlass
// has planned to make a member of a group anew with all its parts.
func (g *granting) handsOver(v lcm.VnfcResourceInfo) bool {
	return g.plan.Replaces() && !g.plan.Whole && (g.plan.Within || v.Metadata["stack_id"] == nil)
}

// handle says where a volume, a port or a network of a VM is.
func handle(v lcm.VnfcResourceInfo, a lcm.AttachedResource) *lcm.ResourceHandle {
	return handleAt(v.ComputeResource.VimConnectionID, a)
}

func handleAt(vim string, a lcm.AttachedResource) *lcm.ResourceHandle {
	return &lcm.ResourceHandle{VimConnectionID: vim, ResourceID: a.ResourceID, VimLevelResourceType: a.VimType}
}

// attached are the volumes, ports and networks of a VM. If an older Windlass looked at the VM last, only its volumes
// are known.
func (f Facts) attached(v lcm.VnfcResourceInfo) (out []lcm.AttachedResource) {
	for _, a := range f.Instance.Instantiated.Attached {
		if a.VnfcID == v.ID {
			out = append(out, a)
		}
	}
	for _, id := range v.StorageIDs {
		if !slices.ContainsFunc(out, func(a lcm.AttachedResource) bool { return a.ResourceID == id }) {
			out = append(out, lcm.AttachedResource{VnfcID: v.ID, Type: lcm.GrantStorage, ResourceID: id})
		}
	}
	return out
}

// add grants a new server with its volumes, ports and networks. A server that replaces another gets the same zone. For
// any other server, the grant names a zone only if all servers of the VDU share it; else the VIM chooses.
func (g *granting) add(vdu, replaces string) {
	n := 1
	for _, r := range g.grant.AddResources {
		if r.VduID == vdu && r.Type == lcm.GrantCompute {
			n++
		}
	}
	id := fmt.Sprintf("add-%s-%d", vdu, n)
	g.grant.AddResources = append(g.grant.AddResources, lcm.GrantResource{
		ResourceDefinitionID: id, VimConnectionID: g.on(vdu), Type: lcm.GrantCompute,
		VduID: vdu, ResourceTemplateID: vdu, Replaces: replaces, ZoneID: g.zone(vdu, g.zoneFor(vdu, replaces)),
	})
	if replaces != "" {
		if v, ok := g.facts.find(replaces); ok && g.handsOver(v) {
			g.addLeaving(id, v)
			return
		}
	}
	if d, ok := g.facts.Flavour.Vdu(vdu); ok {
		for _, storage := range d.Storages {
			g.addAttached(id+"-"+storage, lcm.GrantStorage, vdu, storage)
		}
	}
	for _, cp := range g.facts.Flavour.Cps {
		if cp.VduID == vdu && lcm.GivenPort(g.facts.links(), cp.ID) == nil {
			g.addAttached(id+"-"+cp.ID, lcm.GrantLinkPort, vdu, cp.ID)
		}
	}
	for _, link := range g.facts.Flavour.LinksOf(vdu) {
		g.addAttached(id+"-"+link.ID, lcm.GrantLink, vdu, link.ID)
	}
}

func (g *granting) addAttached(id, kind, vdu, template string) {
	g.grant.AddResources = append(g.grant.AddResources, lcm.GrantResource{
		ResourceDefinitionID: id, VimConnectionID: g.on(vdu), Type: kind, VduID: vdu, ResourceTemplateID: template,
	})
}

// update grants that a server is started, stopped or connected differently.
func (g *granting) update(vnfc string) {
	v, ok := g.facts.find(vnfc)
	if !ok {
		return
	}
	g.grant.UpdateResources = append(g.grant.UpdateResources, lcm.GrantResource{
		ResourceDefinitionID: "update-" + v.ID, VimConnectionID: g.on(v.VduID), Type: lcm.GrantCompute, VduID: v.VduID,
		ResourceTemplateID: v.VduID,
		VnfcInstanceID:     v.ID, Resource: new(v.ComputeResource), ZoneID: g.zone(v.VduID, v.ZoneID), Node: g.facts.Leaving(v, "").Node,
	})
}

func (g *granting) zoneFor(vdu, replaces string) string {
	if g.facts.Instance.Instantiated == nil {
		return ""
	}
	if v, ok := g.facts.find(replaces); ok {
		return v.ZoneID
	}
	common := ""
	for i, v := range g.facts.vnfcs(vdu) {
		if i > 0 && v.ZoneID != common {
			return ""
		}
		common = v.ZoneID
	}
	return common
}

// zone is the grant's id of the zone of a VDU's VNFC, "" for none.
func (g *granting) zone(vdu, name string) string {
	if name == "" {
		return ""
	}
	id := "zone-" + name
	if !slices.ContainsFunc(g.grant.Zones, func(z lcm.GrantZone) bool { return z.ID == id }) {
		g.grant.Zones = append(g.grant.Zones, lcm.GrantZone{ID: id, ZoneID: name, VimConnectionID: g.on(vdu)})
	}
	return id
}
