package lifecycle

import "github.com/windlass-nfv/windlass/internal/lcm"

var instantiate = kind{
	plan: planned(planInstantiate), steps: instantiateSteps, grant: (*granting).makeLinks,
	opens: []Hook{InstantiateStart}, closes: []Hook{InstantiateEnd},
}

// planInstantiate is the plan of an INSTANTIATE: the VMs of an instantiation level, or of the default one. It needs no
// decision, so no operation stores it.
func planInstantiate(f Facts, req lcm.InstantiateRequest) (lcm.Plan, error) {
	level := req.InstantiationLevelID
	capacity, err := f.Flavour.Capacity(level)
	if err != nil {
		return lcm.Plan{}, err
	}
	if level == "" {
		level = f.Flavour.DefaultLevel
	}
	plan := lcm.Plan{
		Operation: req.Operation(), ScaleStatus: f.Flavour.ScaleStatus(level), InstantiationLevelID: level,
	}
	for _, vdu := range f.Flavour.Vdus {
		if n := capacity[vdu.ID]; n > 0 {
			plan.Groups = append(plan.Groups, lcm.GroupChange{AspectID: f.groupOf(vdu.ID), VduID: vdu.ID, To: n})
		}
	}
	return plan, nil
}

func instantiateSteps(l listing) []Step { return Join(l.granted(), l.madeSteps()) }

// madeSteps lists the steps that make the VNF: an INSTANTIATE, or the second half of a HEAL of an entire VNF.
func (l listing) madeSteps() []Step {
	return Join(
		l.driversAt(InstantiateStart),
		When(l.carriesImages(), Step{
			ID: StepUploadImages, Title: "Upload the images of the package", Undo: "images that no other VNF uses are deleted",
		}),
		[]Step{
			{ID: StepCreateStack, Title: "Create the infrastructure", Undo: "what was created is deleted"},
			{ID: StepFindNodes, Title: "Find the nodes"},
		},
		l.driversAt(InstantiateEnd),
	)
}

// makeLinks grants the networks of the VNF as a whole. They come and go with the VNF.
func (g *granting) makeLinks() {
	for _, link := range g.facts.Flavour.LinksOf("") {
		if !lcm.ManagesLink(g.facts.Managed, link.ID) {
			g.addAttached("add-"+link.ID, lcm.GrantLink, "", link.ID)
		}
	}
}
