package lifecycle

import (
	"cmp"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// healVolumes adds to the plan of a heal what happens to volumes and ports.
func (f Facts) healVolumes(p *lcm.Plan, req lcm.HealRequest) error {
	p.Within = !p.Whole
	keep, by := req.KeepsVolumes()
	path := "$.additionalParams." + by
	switch {
	case p.Whole && keep && by == lcm.HealAll:
		return invalid(path, "this heal replaces the entire VNF, with its deployment, addresses and volumes: to keep "+
			"the rest, name the VNFCs to heal (vnfcInstanceId)")
	case p.Whole && keep:
		return invalid(path, "this heal replaces the entire VNF, with its volumes: heal the storage server alone to "+
			"keep them (vnfcInstanceId)")
	case p.Whole:
		return nil
	case keep && by == lcm.KeepVolumes && !slices.ContainsFunc(p.Leaving, f.hasVolumes):
		return invalid(path, "no VNFC of this heal has volumes to keep")
	}
	if err := f.healWithItsVolumes(p, by, by != "" && !keep); err != nil || !f.any(handsOverVolumes) {
		return err
	}
	for d := range only[VolumeKeeper](f.Drivers) {
		d.PlanVolumes(f, p, req)
	}
	f.healOthers(p, by != "" && !keep, req.ReplacesAll())
	return nil
}

// healWithItsVolumes plans for a VIM that itself gives VNFCs their volumes. Windlass has nothing to decide about these
// volumes, and a client cannot ask for other ones.
func (f Facts) healWithItsVolumes(p *lcm.Plan, by string, others bool) error {
	itself := func(l lcm.LeavingVnfc) bool {
		return !f.vimKindOf(l.VduID).HandsOverVolumes && f.hasVolumes(l)
	}
	if others && slices.ContainsFunc(p.Leaving, itself) {
		return invalid("$.additionalParams."+by, "the claims of these VNFCs stay, so the healed VNFCs get their "+
			"former volumes: heal the entire VNF to get new volumes, or delete the claims yourself before the heal")
	}
	return nil
}

func (f Facts) hasVolumes(l lcm.LeavingVnfc) bool {
	v, ok := f.find(l.ServerID)
	return ok && (len(v.StorageIDs) > 0 || f.ownsVolumes(v.VduID))
}

// healOthers decides about volumes and ports of all other VNFCs: they are kept, unless the request says otherwise.
func (f Facts) healOthers(p *lcm.Plan, volumes, all bool) {
	for _, l := range p.Leaving {
		v, ok := f.find(l.ServerID)
		if !ok || f.ownsVolumes(v.VduID) || !f.vimKindOf(v.VduID).HandsOverVolumes {
			continue
		}
		switch {
		case len(v.StorageIDs) == 0:
		case volumes:
			p.LeavingVolumes = append(p.LeavingVolumes, v.StorageIDs...)
		default:
			p.Keepers = append(p.Keepers, l.ServerID)
		}
		for _, a := range f.attached(v) {
			if all && a.Type == lcm.GrantLinkPort && !f.isGiven(a) {
				p.LeavingPorts = append(p.LeavingPorts, a.ResourceID)
			}
		}
	}
}

// keepsNumber refuses to scale a VDU whose size a driver fixes.
func (f Facts) keepsNumber(vdu string) error {
	if why := f.notScaled(vdu); why != "" {
		return lcm.Errorf(lcm.KindInvalid, "The VDU %s keeps its number of servers; %s.", vdu, why)
	}
	return nil
}

// unknownAspect explains a name that is not a scaling aspect: it says what the name is, or which aspects exist.
func (f Facts) unknownAspect(name string) string {
	return cmp.Or(f.notScaled(name), "the VNFD has no scaling aspect of that name; it has "+f.aspectNames())
}

// leaves tells whether a volume or a port is replaced together with its VM. Otherwise the VM's successor gets it.
func (g *granting) leaves(a lcm.AttachedResource) bool {
	return a.Type == lcm.GrantStorage && slices.Contains(g.plan.LeavingVolumes, a.ResourceID) ||
		a.Type == lcm.GrantLinkPort && slices.Contains(g.plan.LeavingPorts, a.ResourceID)
}

// removeLeaving grants the removal of these volumes and ports.
func (g *granting) removeLeaving(v lcm.VnfcResourceInfo) {
	for _, a := range g.facts.attached(v) {
		if g.leaves(a) {
			g.removeAttached(v, a)
		}
	}
}

// addLeaving grants the volumes and ports that replace them; id is the new server's.
func (g *granting) addLeaving(id string, v lcm.VnfcResourceInfo) {
	for _, a := range g.facts.attached(v) {
		if g.leaves(a) {
			g.addAttached(id+"-"+cmp.Or(a.TemplateID, a.ResourceID), a.Type, v.VduID, a.TemplateID)
		}
	}
}
