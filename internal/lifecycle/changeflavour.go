package lifecycle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

var changeFlavour = kind{
	decides: true, settles: true, plan: planned(planChangeFlavour), steps: changeFlavourSteps,
	grant: (*granting).changeFlavour, opens: []Hook{FlavourStart}, closes: []Hook{FlavourEnd},
}

// planChangeFlavour plans the way to another deployment flavour (SOL003 clause 5.4.7). VNFCs of VDUs that both flavours
// have stay, as far as the level of the new flavour has room for them.
func planChangeFlavour(f Facts, req lcm.ChangeFlavourRequest) (lcm.Plan, error) {
	plan := lcm.Plan{Operation: req.Operation()}
	if err := f.checkFlavours(); err != nil {
		return plan, err
	}
	capacity, err := f.Flavour.Capacity(req.InstantiationLevelID)
	if err != nil {
		return plan, invalid("$.instantiationLevelId", "%s", lcm.Sentence(err))
	}
	plan.InstantiationLevelID = cmp.Or(req.InstantiationLevelID, f.Flavour.DefaultLevel)
	plan.ScaleStatus = f.Flavour.ScaleStatus(plan.InstantiationLevelID)
	for _, vdu := range f.Flavour.Vdus {
		change := lcm.GroupChange{AspectID: f.groupOf(vdu.ID), VduID: vdu.ID, From: len(f.vnfcs(vdu.ID)), To: capacity[vdu.ID]}
		if change.From != change.To && !vdu.Unsized && vdu.Autoscaler == "" {
			plan.Groups = append(plan.Groups, change)
		}
	}
	if err := f.chooseLeaving(&plan, lcm.ScaleInChoice{}); err != nil {
		return plan, err
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if _, stays := f.Flavour.Vdu(v.VduID); stays {
			continue
		}
		if !slices.ContainsFunc(plan.Groups, func(g lcm.GroupChange) bool { return g.VduID == v.VduID }) {
			plan.Groups = append(plan.Groups, lcm.GroupChange{VduID: v.VduID, From: len(f.vnfcs(v.VduID))})
		}
		plan.Leaving = append(plan.Leaving, f.Leaving(v, "the flavour "+f.Flavour.ID+" does not have the VDU"))
	}
	return plan, nil
}

// checkFlavours refuses flavours between which the VNF cannot change.
func (f Facts) checkFlavours() error {
	why := f.settled()
	switch {
	case why != "":
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s keeps its flavour: %s.", f.Instance.ID, why)
	case f.FormerFlavour == nil, !f.redefines() && !f.Instance.Instantiated.BetweenFlavours:
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s has the flavour %s already. To change its instantiation "+
			"level, scale it (scale_to_level).", f.Instance.ID, f.Flavour.ID)
	case f.Flavour.Hybrid != f.FormerFlavour.Hybrid || f.Flavour.Containers != f.FormerFlavour.Containers:
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s cannot change from the flavour %s to %s: one of them has "+
			"servers, or containers, and the other has none. Terminate the VNF, and instantiate it with the other flavour.",
			f.Instance.ID, f.FormerFlavour.ID, f.Flavour.ID)
	}
	for _, vdu := range f.Flavour.Vdus {
		had, _ := f.FormerFlavour.Vdu(vdu.ID)
		if lost := lostStorages(had, vdu); len(f.vnfcs(vdu.ID)) > 0 && len(lost) > 0 {
			return lcm.Errorf(lcm.KindConflict, "The VNF instance %s cannot have the flavour %s: its VNFCs of %s would stay, "+
				"and lose what is on their storages %s. Terminate the VNF, and instantiate it with the other flavour.",
				f.Instance.ID, f.Flavour.ID, vdu.ID, strings.Join(lost, ", "))
		}
	}
	return nil
}

// lostStorages are the storages of a VDU that it does not have any more.
func lostStorages(had *descriptor.Vdu, has descriptor.Vdu) (lost []string) {
	if had == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(had.Storages), func(s string) bool { return slices.Contains(has.Storages, s) })
}

// changeFlavourSteps lists the steps of a CHANGE_FLAVOUR. What is new comes before anything goes, and until the first
// VNFC goes the operation can be rolled back without a loss.
func changeFlavourSteps(l listing) []Step {
	return Join(
		l.granted(Step{ID: StepDecide, Title: "Decide what changes"}),
		l.tryingVim(),
		l.driversAt(FlavourStart),
		[]Step{{ID: StepLook, Title: "Look at the infrastructure"}},
		When(l.carriesImages(), Step{ID: StepUploadImages, Title: "Upload the images of the package"}),
		[]Step{
			{
				ID: StepEnlargeStack, Title: "Change the infrastructure to the new flavour",
				Undo: "it is changed back to the former flavour",
			},
			{ID: StepFindNewNodes, Title: "Find the new VNFCs"},
			{
				ID: StepRemoveServers, Title: "Remove what only the former flavour has", Final: len(l.plan.Leaving) > 0,
			},
			{ID: StepFindRemaining, Title: "Find the VNFCs that are left"},
		},
		l.driversAt(FlavourEnd),
	)
}

// changeFlavour grants the networks that come and go, and changes of the VNFCs that stay.
func (g *granting) changeFlavour() {
	g.updateStaying()
	info := g.facts.Instance.Instantiated
	for _, link := range g.facts.Flavour.LinksOf("") {
		if _, had := g.facts.FormerFlavour.VirtualLink(link.ID); !had && !lcm.ManagesLink(g.facts.Managed, link.ID) {
			g.addAttached("add-"+link.ID, lcm.GrantLink, "", link.ID)
		}
	}
	for _, a := range info.Attached {
		if _, stays := g.facts.Flavour.VirtualLink(a.TemplateID); !stays && a.Type == lcm.GrantLink && a.VnfcID == "" {
			g.removeLink(a, info.VimConnectionID())
		}
	}
}
