package lifecycle

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Placement says what the VNFD's affinity rules mean for the servers that a grant is asked for, and for those that
// stay.
func Placement(f Facts, p lcm.Plan, asked lcm.Grant) (out []lcm.PlacementConstraint) {
	for _, rule := range f.Flavour.AffinityRules {
		c := lcm.PlacementConstraint{AffinityOrAntiAffinity: "AFFINITY", Scope: strings.ToUpper(rule.Scope)}
		if rule.Anti {
			c.AffinityOrAntiAffinity = "ANTI_AFFINITY"
		}
		for _, r := range asked.AddResources {
			if isServer(r) && slices.Contains(rule.Vdus, r.VduID) {
				c.Resources = append(c.Resources, lcm.ConstraintResource{IDType: "GRANT", ResourceID: r.ResourceDefinitionID})
			}
		}
		if len(c.Resources) == 0 {
			continue // no server of the rule is to be placed
		}
		if c.Resources = append(c.Resources, f.neighbours(rule.Vdus, p)...); len(c.Resources) > 1 && c.Scope != "" {
			out = append(out, c)
		}
	}
	return out
}

// neighbours are the servers of these VDUs that stay.
func (f Facts) neighbours(vdus []string, p lcm.Plan) (out []lcm.ConstraintResource) {
	if f.Instance.Instantiated == nil {
		return nil
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		leaves := slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return l.VnfcID == v.ID })
		if slices.Contains(vdus, v.VduID) && !leaves {
			out = append(out, lcm.ConstraintResource{
				IDType: "RES_MGMT", ResourceID: v.ComputeResource.ResourceID, VimConnectionID: v.ComputeResource.VimConnectionID,
			})
		}
	}
	return out
}

// OneVim says that everything in the request for a grant, and everything that the VNF has, is on one VIM: the VNF is
// one deployment. A hybrid VNF is one deployment on a VIM of each kind.
func OneVim(f Facts, p lcm.Plan, asked lcm.Grant) (out []lcm.VimConstraint) {
	for _, kind := range f.vimKinds() {
		if c := f.oneVim(kind.Type, p, asked); len(c.Resources) > 1 {
			out = append(out, c)
		}
	}
	return out
}

func (f Facts) oneVim(kind string, p lcm.Plan, asked lcm.Grant) (c lcm.VimConstraint) {
	for _, r := range asked.AddResources {
		if f.vimKindOf(r.VduID).Type == kind {
			c.Resources = append(c.Resources, lcm.ConstraintResource{IDType: "GRANT", ResourceID: r.ResourceDefinitionID})
		}
	}
	if len(c.Resources) == 0 {
		return c // nothing of this kind is to be placed
	}
	var vdus []string
	for _, vdu := range f.Flavour.Vdus {
		if f.vimKindOf(vdu.ID).Type == kind {
			vdus = append(vdus, vdu.ID)
		}
	}
	there := f.neighbours(vdus, p) // one server tells where all are
	c.Resources = append(c.Resources, there[:min(1, len(there))]...)
	return c
}
