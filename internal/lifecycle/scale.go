package lifecycle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func at(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

func scale(f Facts, body json.RawMessage) (lcm.Plan, error) {
	req, err := lcm.ParseScale(body)
	if err != nil {
		return lcm.Plan{}, err
	}
	if err := checkScale(f, req); err != nil {
		return lcm.Plan{}, err
	}
	levels, steps := f.levels(), int(req.NumberOfSteps)
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
	return f.toLevels(lcm.OpScale, levels, "", req.AdditionalParams)
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

func scaleToLevel(f Facts, body json.RawMessage) (lcm.Plan, error) {
	req, err := lcm.ParseScaleToLevel(body)
	if err != nil {
		return lcm.Plan{}, err
	}
	if (req.InstantiationLevelID == "") == (len(req.ScaleInfo) == 0) {
		return lcm.Plan{}, invalid("$.instantiationLevelId",
			"give either instantiationLevelId or scaleInfo (SOL003 clause 5.5.2.6)")
	}
	levels := f.levels()
	if req.InstantiationLevelID != "" {
		level, err := f.Flavour.Level(req.InstantiationLevelID)
		if err != nil {
			return lcm.Plan{}, invalid("$.instantiationLevelId", "%s", lcm.Sentence(err))
		}
		for aspect := range levels {
			levels[aspect] = level.ScaleLevels[aspect]
		}
		return f.toLevels(lcm.OpScaleToLevel, levels, level.ID, req.AdditionalParams)
	}
	var problems []lcm.Problem
	for i, info := range req.ScaleInfo {
		most, known := f.mostSteps(info.AspectID), false
		if _, known = levels[info.AspectID]; !known {
			problems = append(problems, lcm.Problem{
				Path:   at("$.scaleInfo", i) + ".aspectId",
				Detail: f.unknownAspect(info.AspectID),
			})
			continue
		}
		if info.ScaleLevel < 0 || info.ScaleLevel > most {
			problems = append(problems, lcm.Problem{
				Path:   at("$.scaleInfo", i) + ".scaleLevel",
				Detail: fmt.Sprintf("it must be between 0 and %d", most),
			})
			continue
		}
		if slices.ContainsFunc(req.ScaleInfo[:i], func(other lcm.ScaleInfo) bool { return other.AspectID == info.AspectID }) {
			problems = append(problems, lcm.Problem{Path: at("$.scaleInfo", i) + ".aspectId", Detail: info.AspectID +
				" is there twice"})
		}
		levels[info.AspectID] = info.ScaleLevel
	}
	if err := problemsOf(problems); err != nil {
		return lcm.Plan{}, err
	}
	return f.toLevels(lcm.OpScaleToLevel, levels, "", req.AdditionalParams)
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
	op lcm.Operation, levels map[string]int, level string, additional json.RawMessage,
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
	return plan, f.chooseLeaving(&plan, additional)
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
func (f Facts) check(vdu vnfpkg.Vdu, change lcm.GroupChange) error {
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
func (f Facts) chooseLeaving(plan *lcm.Plan, additional json.RawMessage) error {
	choice, err := lcm.ParseScaleInChoice(additional)
	if err != nil {
		return err
	}
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
