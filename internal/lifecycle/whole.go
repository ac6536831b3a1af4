package lifecycle

import "github.com/windlass-nfv/windlass/internal/lcm"

// Instantiation is the plan of an INSTANTIATE: the VMs of an instantiation level, "" for the default one. It needs no
// decision, so no operation stores it.
func Instantiation(f Facts, level string) (lcm.Plan, error) {
	capacity, err := f.Flavour.Capacity(level)
	if err != nil {
		return lcm.Plan{}, err
	}
	if level == "" {
		level = f.Flavour.DefaultLevel
	}
	plan := lcm.Plan{Operation: lcm.OpInstantiate, ScaleStatus: f.Flavour.ScaleStatus(level), InstantiationLevelID: level}
	for _, vdu := range f.Flavour.Vdus {
		if n := capacity[vdu.ID]; n > 0 {
			plan.Groups = append(plan.Groups, lcm.GroupChange{AspectID: f.groupOf(vdu.ID), VduID: vdu.ID, To: n})
		}
	}
	return plan, nil
}

// Termination is the plan of a TERMINATE: it removes everything.
func Termination(f Facts) (lcm.Plan, error) {
	plan := lcm.Plan{Operation: lcm.OpTerminate, Whole: true}
	if err := f.instantiated(); err != nil {
		return plan, err
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		plan.Leaving = append(plan.Leaving, f.Leaving(v, "the VNF is terminated"))
	}
	return plan, nil
}
