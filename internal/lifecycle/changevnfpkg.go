package lifecycle

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

var changeVnfPkg = kind{
	decides: true, plan: planned(planChangeVnfPkg), steps: changeVnfPkgSteps, grant: (*granting).updateStaying,
	opens: []Hook{PackageStart}, closes: []Hook{PackageEnd},
}

// planChangeVnfPkg plans the changes of VNFCs when the VNF gets another package (SOL003 v3.3.1 clause 5.4.11a). VDUs and
// aspects that both packages have keep their sizes. New ones get the sizes of the default instantiation level.
func planChangeVnfPkg(f Facts, req lcm.ChangeVnfPkgRequest) (lcm.Plan, error) {
	info := f.Instance.Instantiated
	plan := lcm.Plan{Operation: req.Operation(), VnfPkgID: f.VnfPkgID, ScaleStatus: f.keptLevels()}
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

// changeVnfPkgSteps lists the steps of a CHANGE_VNFPKG. Workloads replace their Pods one after the other, as they say.
func changeVnfPkgSteps(l listing) []Step {
	return Join(
		l.granted(Step{ID: StepDecidePackage, Title: "Decide what changes"}),
		l.driversAt(PackageStart),
		[]Step{
			{ID: StepChangePackage, Title: "Roll the VNF over to the new package", Undo: "the VNF is rolled back to the former one"},
			{ID: StepFindChanged, Title: "Find the VNFCs"},
		},
		l.driversAt(PackageEnd),
	)
}

// updateStaying grants changes of the VNFCs that stay.
func (g *granting) updateStaying() {
	for _, v := range g.facts.Instance.Instantiated.VnfcResources {
		if !slices.ContainsFunc(g.plan.Leaving, func(l lcm.LeavingVnfc) bool { return l.VnfcID == v.ID }) {
			g.update(v.ID)
		}
	}
}
