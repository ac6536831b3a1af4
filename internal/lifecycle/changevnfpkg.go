package lifecycle

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// changeVnfPkg plans the changes of VNFCs when the VNF gets another package (SOL003 v3.3.1 clause 5.4.11a). VDUs and
// aspects that both packages have keep their sizes. New ones get the sizes of the default instantiation level.
func changeVnfPkg(f Facts) (lcm.Plan, error) {
	info := f.Instance.Instantiated
	plan := lcm.Plan{Operation: lcm.OpChangeVnfPkg, VnfPkgID: f.VnfPkgID, ScaleStatus: f.keptLevels()}
	var problems []lcm.Problem
	for _, s := range plan.ScaleStatus {
		if most := f.mostSteps(s.AspectID); s.ScaleLevel > most {
			problems = append(problems, lcm.Problem{Path: "$.vnfdId", Detail: fmt.Sprintf("the VNF is at scale level %d of the "+
				"aspect %s, and the new VNFD allows %d at most: scale it in first", s.ScaleLevel, s.AspectID, most)})
		}
	}
	if _, err := f.Flavour.Level(info.InstantiationLevelID); err == nil {
		plan.InstantiationLevelID = info.InstantiationLevelID
	}
	var err error
	if plan.Groups, err = f.newGroups(); err != nil {
		return plan, err
	}
	for _, v := range info.VnfcResources {
		if _, stays := f.Flavour.Vdu(v.VduID); !stays {
			plan.Leaving = append(plan.Leaving, f.Leaving(v, "the new package does not have the VDU"))
		}
	}
	return plan, problemsOf(problems)
}

// keptLevels are the scale levels that the VNF has. An aspect that the VNF does not have yet gets its level of the
// default instantiation level.
func (f Facts) keptLevels() (out []lcm.ScaleInfo) {
	had := append(slices.Clone(f.Instance.Instantiated.ScaleStatus), f.Flavour.ScaleStatus("")...)
	for _, s := range f.Flavour.MaxScaleLevels() { // in order
		s.ScaleLevel = 0
		same := func(h lcm.ScaleInfo) bool { return h.AspectID == s.AspectID }
		if at := slices.IndexFunc(had, same); at >= 0 {
			s = had[at]
		}
		out = append(out, s)
	}
	return out
}

// newGroups are the VDUs that only the new package has.
func (f Facts) newGroups() (out []lcm.GroupChange, err error) {
	var sizes map[string]int
	for _, vdu := range f.Flavour.Vdus {
		if _, had := f.FormerFlavour.Vdu(vdu.ID); had {
			continue
		}
		if sizes == nil {
			if sizes, err = f.Flavour.Capacity(""); err != nil {
				return nil, err
			}
		}
		if sizes[vdu.ID] > 0 {
			out = append(out, lcm.GroupChange{VduID: vdu.ID, To: sizes[vdu.ID]})
		}
	}
	return out, nil
}

// updated are the VNFCs that a CHANGE_VNFPKG may change.
func (f Facts) updated(p lcm.Plan) (out []lcm.VnfcResourceInfo) {
	if p.Operation != lcm.OpChangeVnfPkg {
		return nil
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if !slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return l.VnfcID == v.ID }) {
			out = append(out, v)
		}
	}
	return out
}
