package lifecycle

import "github.com/windlass-nfv/windlass/internal/lcm"

var modifyInfo = kind{
	plan: planned(planModify), steps: modifySteps, opens: []Hook{ModifyStart}, closes: []Hook{ModifyEnd},
}

// planModify is empty: a modification makes, changes and removes no VNFC.
func planModify(_ Facts, req lcm.ModifyRequest) (lcm.Plan, error) {
	return lcm.Plan{Operation: req.Operation()}, nil
}

// modifySteps lists the steps of a MODIFY_INFO. The steps that bring the modifications to the VNF itself come after the
// checks.
func modifySteps(l listing) []Step {
	return Join(
		[]Step{{ID: StepCheckModifications, Title: "Check the modifications"}},
		l.driversAt(ModifyStart),
		l.tryingVim(),
		l.driversAt(ModifyEnd),
	)
}
