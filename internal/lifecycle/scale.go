package lifecycle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func at(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

var scale = kind{
	decides: true, plan: planned(planScale), allowed: allowing(scaleProblems), steps: scaleSteps,
	grant: (*granting).changeRates, opens: []Hook{ScaleBegin}, closes: []Hook{ScaleDone},
}

func planScale(f Facts, req lcm.ScaleRequest) (lcm.Plan, error) {
	if err := checkScale(f, req); err != nil {
		return lcm.Plan{}, err
	}
	levels, steps := f.levels(), req.NumberOfSteps
	if req.Type == lcm.ScaleIn {
		steps = -steps
	}
	have, most := levels[req.AspectID], f.mostSteps(req.AspectID)
	levels[req.AspectID] = have + steps
	switch {
	case have+steps > most:
		return lcm.Plan{}, invalid("$.numberOfSteps", "%s is at scale level %d of at most %d: %d steps out are not possible",
			req.AspectID, have, most, steps)
	case have+steps < 0:
		return lcm.Plan{}, invalid("$.numberOfSteps", "%s is at scale level %d: %d steps in are not possible", req.AspectID,
			have, -steps)
	}
	return f.toLevels(req.Operation(), levels, "", req.Choice, req.AdditionalParams)
}

func scaleProblems(c descriptor.LcmOperations, req lcm.ScaleRequest) []lcm.Problem {
	if req.NumberOfSteps > 1 && c.SeveralSteps != nil && !*c.SeveralSteps {
		return refuse("$.numberOfSteps", "the VNFD allows this VNF to scale by one step at a time only "+
			"(scaling_by_more_than_one_step_supported is false)")
	}
	return nil
}

func checkScale(f Facts, req lcm.ScaleRequest) error {
	var problems []lcm.Problem
	if req.Type != lcm.ScaleOut && req.Type != lcm.ScaleIn {
		problems = append(problems, lcm.Problem{Path: "$.type", Detail: "it must be SCALE_OUT or SCALE_IN"})
	}
	if _, ok := f.levels()[req.AspectID]; !ok {
		problems = append(problems, lcm.Problem{Path: "$.aspectId", Detail: f.unknownAspect(req.AspectID)})
	} else if (f.Flavour.Containers || f.Flavour.Hybrid) && !f.Flavour.Scales(req.AspectID) {
		problems = append(problems, lcm.Problem{Path: "$.aspectId", Detail: "no manifest of the VNF has a workload " +
			"that " + req.AspectID + " scales: a Deployment, ReplicaSet or StatefulSet. In a chart, a value must set " +
			"its number of Pods (helm_value_names, or helm_replica_values in v1)"})
	}
	if req.NumberOfSteps < 1 {
		problems = append(problems, lcm.Problem{Path: "$.numberOfSteps", Detail: "it must be 1 or more"})
	}
	return problemsOf(problems)
}

func scaleSteps(l listing) []Step {
	return Join(l.granted(l.decidedSteps("Decide what changes")...), l.scaledSteps())
}

// scaledSteps lists the steps of a SCALE or a SCALE_TO_LEVEL. New servers come before others go.
func (l listing) scaledSteps() []Step {
	list := append([]Step{{ID: StepLook, Title: "Look at the infrastructure"}}, l.driversAt(ScaleBegin)...)
	if l.plan.OnlyBitrates() {
		list = append(list, Step{
			ID: StepChangeBitrates, Title: "Change the bit rates of the virtual links", Undo: "the former bit rates are set",
		})
	}
	if l.plan.Grows() {
		list = append(list,
			Step{ID: StepEnlargeStack, Title: "Enlarge the infrastructure", Undo: "the new servers are deleted"},
			Step{ID: StepFindNewNodes, Title: "Find the new nodes"},
		)
		list = append(list, l.driversAt(ScaleEnd)...)
	}
	if l.plan.Shrinks() {
		list = append(list, l.driversAt(ScaleStart)...)
		list = append(list, l.removedSteps()...)
	}
	return append(list, l.driversAt(ScaleDone)...)
}

// changeRates grants other bit rates for networks of the VNF.
func (g *granting) changeRates() {
	if !g.plan.Bitrates {
		return
	}
	info := g.facts.Instance.Instantiated
	was := g.facts.Flavour.BitratesOf(info.InstantiationLevelID, info.ScaleStatus)
	is := g.facts.Flavour.BitratesOf(g.plan.InstantiationLevelID, g.plan.ScaleStatus)
	for _, a := range info.Attached {
		if link, ok := g.facts.Flavour.VirtualLink(a.TemplateID); ok && a.Type == lcm.GrantLink && a.VnfcID == "" &&
			link.Rated && was[link.ID] != is[link.ID] {
			g.grant.UpdateResources = append(g.grant.UpdateResources, lcm.GrantResource{
				ResourceDefinitionID: "update-" + a.ResourceID, VimConnectionID: g.on(""), Type: a.Type,
				ResourceTemplateID: link.ID, Resource: handleAt(info.VimConnectionID(), a),
			})
		}
	}
}

// levels maps every aspect to its present scale level.
func (f Facts) levels() map[string]int {
	out := map[string]int{}
	for _, a := range f.Flavour.Aspects {
		out[a.ID] = 0
	}
	for _, s := range f.Instance.Instantiated.ScaleStatus {
		out[s.AspectID] = s.ScaleLevel
	}
	return out
}

func (f Facts) mostSteps(aspect string) int {
	for _, a := range f.Flavour.Aspects {
		if a.ID == aspect {
			return a.MaxScaleLevel
		}
	}
	return 0
}

func (f Facts) aspectNames() string {
	names := slices.Sorted(maps.Keys(f.levels()))
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// toLevels plans the way from the present scale levels to these. level is the instantiation level that has them, ""
// when the request named none.
func (f Facts) toLevels(
	op lcm.Operation, levels map[string]int, level string, choice lcm.ScaleInChoice, additional json.RawMessage,
) (lcm.Plan, error) {
	plan := lcm.Plan{Operation: op, InstantiationLevelID: level}
	for _, aspect := range slices.Sorted(maps.Keys(levels)) {
		plan.ScaleStatus = append(plan.ScaleStatus, lcm.ScaleInfo{AspectID: aspect, ScaleLevel: levels[aspect]})
	}
	want, err := f.capacity(levels, level)
	if err != nil {
		return plan, err
	}
	now, err := f.Flavour.CapacityAt(f.levels())
	if err != nil {
		return plan, err
	}
	for _, vdu := range f.Flavour.Vdus {
		from, to := len(f.vnfcs(vdu.ID)), want[vdu.ID]
		if op == lcm.OpScale { // by steps: differences that an instantiation level has made stay
			to = from + want[vdu.ID] - now[vdu.ID]
		}
		if from == to || vdu.Unsized {
			continue
		}
		if vdu.Autoscaler != "" {
			return plan, lcm.Errorf(lcm.KindConflict, "The number of Pods of the VDU %s (now %d) is set by the "+
				"HorizontalPodAutoscaler %s of the VNF: change its minReplicas and maxReplicas with another VNF "+
				"package (change_vnfpkg), or remove it from the package, and then scale.", vdu.ID, from, vdu.Autoscaler)
		}
		change := lcm.GroupChange{AspectID: f.groupOf(vdu.ID), VduID: vdu.ID, From: from, To: to}
		if err := f.check(vdu, change); err != nil {
			return plan, err
		}
		if err := f.checkPorts(change, additional); err != nil {
			return plan, err
		}
		plan.Groups = append(plan.Groups, change)
	}
	was := f.Instance.Instantiated
	plan.Bitrates = f.Flavour.RatesDiffer(
		f.Flavour.BitratesOf(was.InstantiationLevelID, was.ScaleStatus),
		f.Flavour.BitratesOf(plan.InstantiationLevelID, plan.ScaleStatus))
	return plan, f.chooseLeaving(&plan, choice)
}

func (f Facts) capacity(levels map[string]int, level string) (map[string]int, error) {
	if level != "" {
		return f.Flavour.Capacity(level)
	}
	return f.Flavour.CapacityAt(levels)
}

// groupOf is the aspect that scales a VDU. Its name is also the name of the VDU's group in the template.
func (f Facts) groupOf(vdu string) string {
	for _, a := range f.Flavour.Aspects {
		if _, ok := a.Deltas[vdu]; ok {
			return a.ID
		}
	}
	return ""
}

// check refuses sizes that the VNFD or a driver does not allow.
func (f Facts) check(vdu descriptor.Vdu, change lcm.GroupChange) error {
	if err := f.keepsNumber(vdu.ID); err != nil {
		return err
	}
	switch {
	case change.To < vdu.MinInstances:
		return lcm.Errorf(lcm.KindInvalid, "The VNFD requires at least %d VMs of %s; there would be %d.",
			vdu.MinInstances, vdu.ID, change.To)
	case vdu.MaxInstances > 0 && change.To > vdu.MaxInstances:
		return lcm.Errorf(lcm.KindInvalid, "The VNFD allows at most %d VMs of %s; there would be %d.", vdu.MaxInstances,
			vdu.ID, change.To)
	}
	return nil
}

// chooseLeaving chooses the VMs that go: those that the request names; else unhealthy ones first, then by the policy.
func (f Facts) chooseLeaving(plan *lcm.Plan, choice lcm.ScaleInChoice) error {
	if choice.Policy != "" && choice.Policy != "newest" && choice.Policy != "oldest" {
		return invalid("$.additionalParams.scale_in_policy", "it must be newest or oldest")
	}
	const path = "$.additionalParams.vnfc_instance_ids"
	named, err := f.named(path, choice.VnfcIDs)
	if err != nil {
		return err
	}
	used := 0
	for _, g := range plan.Groups {
		if g.To >= g.From {
			continue
		}
		mine := slices.DeleteFunc(slices.Clone(named), func(v lcm.VnfcResourceInfo) bool { return v.VduID != g.VduID })
		if len(named) > 0 && len(mine) != g.From-g.To {
			return invalid(path, "the request removes %d VMs of %s, but names %d of them",
				g.From-g.To, g.VduID, len(mine))
		}
		used += len(mine)
		for _, v := range mine {
			plan.Leaving = append(plan.Leaving, f.Leaving(v, "the request names it"))
		}
		if len(mine) == 0 {
			plan.Leaving = append(plan.Leaving, f.chosen(g, choice.Policy)...)
		}
	}
	if used < len(named) {
		return invalid(path, "the request names VMs that it does not remove: name only VMs of the aspect that you "+
			"scale in")
	}
	return nil
}

func (f Facts) chosen(g lcm.GroupChange, policy string) []lcm.LeavingVnfc {
	list := f.vnfcs(g.VduID)
	why := "it is among the oldest"
	if policy != "oldest" {
		slices.Reverse(list)
		why = "it is among the newest"
	}
	var out []lcm.LeavingVnfc
	for _, v := range list {
		l := f.Leaving(v, why)
		if reason, bad := f.Unhealthy[l.Node]; bad && l.Node != "" {
			l.Why = reason
			out = append(out, l)
		}
	}
	for _, v := range list {
		if l := f.Leaving(v, why); f.Unhealthy[l.Node] == "" || l.Node == "" {
			out = append(out, l)
		}
	}
	return out[:min(len(out), g.From-g.To)]
}
