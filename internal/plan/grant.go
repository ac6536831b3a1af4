package plan

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Granted are the resources of the grant for a plan: the very servers that go, those that are made by their VDU, and the
// zones where they are. vim is the connection on which servers are made.
func Granted(f Facts, p lcm.Plan, vim lcm.VimConnectionInfo) lcm.Grant {
	g := granting{facts: f, vim: vim}
	for _, l := range p.Leaving {
		g.remove(l)
		if p.Operation == lcm.OpHeal {
			g.add(l.VduID, l.VnfcID)
		}
	}
	for _, group := range p.Groups {
		for range group.To - group.From {
			g.add(group.VduID, "")
		}
	}
	g.grant.VimConnections = []lcm.VimConnectionInfo{{ID: vim.ID, VimID: vim.VimID, VimType: vim.VimType}}
	return g.grant
}

type granting struct {
	facts Facts
	vim   lcm.VimConnectionInfo
	grant lcm.Grant
}

func (g *granting) remove(l lcm.LeavingVnfc) {
	r := lcm.GrantResource{
		ResourceDefinitionID: "remove-" + l.VnfcID, VimConnectionID: g.vim.ID, Type: lcm.GrantCompute,
		VduID: l.VduID, VnfcInstanceID: l.VnfcID, Node: l.Node, Why: l.Why,
	}
	if v, ok := g.facts.find(l.ServerID); ok {
		r.Resource, r.ZoneID = new(v.ComputeResource), g.zone(v.ZoneID)
	}
	g.grant.RemoveResources = append(g.grant.RemoveResources, r)
}

// add grants a new server. One that replaces another is made where that is; otherwise the zone is given where all
// servers of the VDU share it, and left to the VIM elsewhere.
func (g *granting) add(vdu, replaces string) {
	n := 1
	for _, r := range g.grant.AddResources {
		if r.VduID == vdu {
			n++
		}
	}
	g.grant.AddResources = append(g.grant.AddResources, lcm.GrantResource{
		ResourceDefinitionID: fmt.Sprintf("add-%s-%d", vdu, n), VimConnectionID: g.vim.ID, Type: lcm.GrantCompute,
		VduID: vdu, Replaces: replaces, ZoneID: g.zone(g.zoneFor(vdu, replaces)),
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

// zone is the grant's id of a zone, "" for none.
func (g *granting) zone(name string) string {
	if name == "" {
		return ""
	}
	id := "zone-" + name
	if !slices.ContainsFunc(g.grant.Zones, func(z lcm.GrantZone) bool { return z.ID == id }) {
		g.grant.Zones = append(g.grant.Zones, lcm.GrantZone{ID: id, ZoneID: name, VimConnectionID: g.vim.ID})
	}
	return id
}
