package lifecycle

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

var terminate = kind{
	plan: planned(planTerminate), allowed: allowing(terminateProblems), steps: terminateSteps,
	grant: (*granting).removeLinks, opens: []Hook{TerminateStart}, closes: []Hook{TerminateEnd},
}

// planTerminate is the plan of a TERMINATE: it removes everything. A VNF that was never instantiated has no record of
// what a failed INSTANTIATE has left.
func planTerminate(f Facts, req lcm.TerminateRequest) (lcm.Plan, error) {
	plan := lcm.Plan{Operation: req.Operation()}
	if f.Instance.Instantiated == nil {
		return plan, nil
	}
	plan.Whole = true
	for _, v := range f.Instance.Instantiated.VnfcResources {
		plan.Leaving = append(plan.Leaving, f.Leaving(v, "the VNF is terminated"))
	}
	return plan, nil
}

func terminateProblems(c descriptor.LcmOperations, req lcm.TerminateRequest) []lcm.Problem {
	if req.Graceful() && req.GracefulTerminationTimeout != nil && *req.GracefulTerminationTimeout < c.MinTermination {
		return refuse("$.gracefulTerminationTimeout", "the VNFD requires at least %d seconds "+
			"(min_graceful_termination_timeout)", c.MinTermination)
	}
	return nil
}

func terminateSteps(l listing) []Step {
	return Join(l.granted(), l.endedSteps(When(l.carriesImages() || l.facts.Images, Step{
		ID: StepReleaseImages, Title: "Delete the images of the package", // no server needs them any more
	})...))
}

// endedSteps lists the steps that take the VNF down: a TERMINATE, or the first half of a HEAL of an entire VNF. releasing
// are the steps that give back what a new VNF would need again.
func (l listing) endedSteps(releasing ...Step) []Step {
	return Join(
		l.driversAt(TerminateStart),
		When(l.facts.Graceful && l.facts.any(switchesVnfcs), Step{
			ID: StepShutDown, Title: "Shut the servers down", Final: true,
		}),
		[]Step{{ID: StepDeleteStack, Title: "Delete the infrastructure", Final: true}},
		l.driversAt(TerminateEnd),
		releasing,
		[]Step{{ID: StepForgetSecrets, Title: "Forget keys and secrets"}},
	)
}

// removeLinks grants that the networks of the VNF as a whole go.
func (g *granting) removeLinks() {
	info := g.facts.Instance.Instantiated
	if info == nil {
		return
	}
	for _, a := range info.Attached {
		if a.VnfcID == "" {
			g.removeLink(a, info.VimConnectionID())
		}
	}
}
