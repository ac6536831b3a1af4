package lifecycle

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

var heal = kind{
	decides: true, plan: planned(planHeal), allowed: allowing(healProblems), steps: healSteps,
	grant: (*granting).replace,
	opens: []Hook{HealStart, TerminateStart}, closes: []Hook{HealEnd, InstantiateEnd},
}

func planHeal(f Facts, req lcm.HealRequest) (lcm.Plan, error) {
	plan := lcm.Plan{
		Operation: req.Operation(), ScaleStatus: f.Instance.Instantiated.ScaleStatus,
		InstantiationLevelID: f.Instance.Instantiated.InstantiationLevelID,
	}
	if len(req.VnfcInstanceID) == 0 {
		why := "the entire VNF is healed, and what belongs to its VMs is kept"
		if plan.Whole = !f.healsInPlace(req); plan.Whole {
			why = "the entire VNF is made anew"
		}
		for _, v := range f.Instance.Instantiated.VnfcResources {
			plan.Leaving = append(plan.Leaving, f.Leaving(v, why))
		}
		return plan, f.healVolumes(&plan, req)
	}
	named, err := f.named("$.vnfcInstanceId", req.VnfcInstanceID)
	if err != nil {
		return plan, err
	}
	for _, v := range named {
		plan.Leaving = append(plan.Leaving, f.Leaving(v, "the request names it"))
	}
	return plan, f.healVolumes(&plan, req)
}

func healProblems(c descriptor.LcmOperations, req lcm.HealRequest) []lcm.Problem {
	if req.Cause != "" && len(c.HealCauses) > 0 && !slices.Contains(c.HealCauses, req.Cause) {
		return refuse("$.cause", "the VNFD allows these causes: %s", strings.Join(c.HealCauses, ", "))
	}
	return nil
}

// healsInPlace tells whether a heal that names no VNFC replaces all servers in the existing deployment. It does if the
// request says not to replace storages or, in version 2 of the API, does not mention them. Tacker does the same;
// version 1 of its API makes the deployment anew. A driver may say otherwise.
func (f Facts) healsInPlace(req lcm.HealRequest) bool {
	for d := range only[Healer](f.Drivers) {
		return d.HealsInPlace(req)
	}
	keep, by := req.KeepsVolumes()
	return (keep || by == "" && f.APIVersion == 2) && len(f.Instance.Instantiated.VnfcResources) > 0
}

func healSteps(l listing) []Step {
	return Join(l.granted(l.decidedSteps("Decide what is healed")...), l.healedSteps())
}

// healedSteps lists the steps that replace servers, or that make the entire VNF anew.
func (l listing) healedSteps() []Step {
	if l.plan.Whole {
		l.facts.Graceful = false
		return Join(
			When(lcm.HaveGivenPorts(l.facts.links()), Step{ID: StepCheckGivenPorts, Title: "Check the ports that are given"}),
			l.endedSteps(),
			l.madeSteps(),
		)
	}
	return Join(
		[]Step{{ID: StepLookBeforeHeal, Title: "Look at the infrastructure"}},
		l.driversAt(HealStart),
		l.replacing(),
		[]Step{{ID: StepFindNewNodes, Title: "Find the new nodes"}},
		l.driversAt(HealEnd),
	)
}

// replacing lists the steps that replace Pods and servers. The step for servers makes a rollback impossible from its
// beginning on, unless nothing is deleted before the new servers exist.
func (l listing) replacing() []Step {
	const title = "Replace the servers"
	pods, servers := l.replaced()
	list := When(pods, Step{
		ID: StepReplaceContainers, Title: "Replace the Pods",
		Undo: "the objects stay as they were, and the Pods that there are then are recorded",
	})
	if !servers {
		return l.infrastructure(list...)
	}
	return Join(list, l.replacingServers(title))
}

// replaced tells whether Pods and whether servers are replaced. One of both is true even if the plan names no VNFC.
func (l listing) replaced() (pods, servers bool) {
	for _, v := range l.plan.Leaving {
		if l.facts.vimKindOf(v.VduID).RunsContainers {
			pods = true
		} else {
			servers = true
		}
	}
	if !pods && !servers {
		pods = l.facts.vimKinds()[0].RunsContainers
	}
	return pods, !pods || servers
}

func (l listing) replacingServers(title string) []Step {
	if l.plan.Revocable() {
		return l.infrastructure(Step{
			ID: StepReplaceServersRevocably, Title: title,
			Undo: "the former servers get their ports back, while none of them is deleted",
		})
	}
	return l.infrastructure(Step{ID: StepReplaceServers, Title: title, Final: true})
}

// replace grants a successor for each VNFC that leaves. If the entire VNF is made anew, so are its networks.
func (g *granting) replace() {
	if g.plan.Whole {
		g.removeLinks()
		g.makeLinks()
	}
	for _, l := range g.plan.Leaving {
		g.add(l.VduID, l.VnfcID)
	}
}
