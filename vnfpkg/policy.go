package vnfpkg

import (
	"maps"
	"slices"
	"strings"
)

const policyPrefix = "tosca.policies.nfv."

// policyReader reads the policies of a flavour, and its virtual links, whose bit rates policies set.
type policyReader struct {
	*topology
	flavour *Flavour
	// decided are the policies that have decided something, by what they decided.
	decided map[string]string
}

func newPolicyReader(t *topology, f *Flavour) policyReader {
	return policyReader{topology: t, flavour: f, decided: map[string]string{}}
}

// read reads the scaling, level and affinity policies. It reads policies that others refer to first, whatever their
// place in the file.
func (r *policyReader) read() {
	readers := []map[string]func(name string, policy *value){
		{"ScalingAspects": r.scalingAspects},
		{"InstantiationLevels": r.instantiationLevels},
		{
			"VduInitialDelta": r.vduInitialDelta, "VduScalingAspectDeltas": r.vduScalingAspectDeltas,
			"VduInstantiationLevels": r.vduInstantiationLevels,
			"AffinityRule":           r.affinityRule, "AntiAffinityRule": r.affinityRule,
			"VirtualLinkBitrateInitialDelta": r.initialBitrate, "VirtualLinkInstantiationLevels": r.bitrateLevels,
			"tosca.policies.Scaling": r.autoscaling, "tosca.policies.tacker.Scaling": r.autoscaling,
			"VipCpInitialDelta": r.vipPolicy, "VipCpScalingAspectDeltas": r.vipPolicy, "VipCpInstantiationLevels": r.vipPolicy,
		},
		{"VirtualLinkBitrateScalingAspectDeltas": r.bitrateDeltas},
	}
	for pass, byType := range readers {
		for name, policy := range r.root.at("policies").named() {
			if pass == 0 {
				r.checkTargets(name, policy)
			}
			if read := byType[strings.TrimPrefix(builtin(r.policyTypes, policy.at("type").str()), policyPrefix)]; read != nil {
				read(name, policy)
			}
		}
	}
}

func (r *policyReader) checkTargets(name string, policy *value) {
	for _, target := range policy.at("targets").list() {
		if id := target.str(); !r.nodes.has(id) && !r.root.at("groups").has(id) {
			r.problem(target.place(), "the policy %s names the target %s, which is neither a node nor a group", name,
				quoteName(id))
		}
	}
}

// targetVdus are the VDUs among a policy's targets, with the members of placement groups.
func (r *policyReader) targetVdus(policy *value) []string {
	var out []string
	add := func(id string) {
		if _, ok := r.flavour.Vdu(id); ok && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, target := range policy.at("targets").words() {
		add(target)
		for _, member := range r.root.at("groups", target, "members").words() {
			add(member)
		}
	}
	return out
}

// decides warns of a decision that another policy has made already: the last policy counts. what is for one VDU or one
// virtual link.
func (r *policyReader) decides(name string, policy *value, what string) {
	if other, twice := r.decided[what]; twice {
		r.warn(policy.place(), "the policies %s and %s both give %s; Windlass follows %s", other, name, what, name)
	}
	r.decided[what] = name
}

func (r *policyReader) scalingAspects(_ string, policy *value) {
	for id, item := range policy.at("properties", "aspects").members() {
		if _, twice := r.flavour.aspect(id); twice {
			r.problem(item.place(), "the scaling aspect %s is defined twice", quoteName(id))
			continue
		}
		steps := item.at("step_deltas")
		if !r.room("scaling aspects", len(r.flavour.Aspects), item) ||
			!r.room("step_deltas of an aspect", len(steps.words())-1, item) {
			continue
		}
		r.flavour.Aspects = append(r.flavour.Aspects, ScalingAspect{
			ID:            id,
			Name:          item.at("name").str(),
			Description:   item.at("description").str(),
			MaxScaleLevel: r.count(item.at("max_scale_level")),
			StepDeltas:    steps.words(),
		})
	}
}

func (r *policyReader) vduInitialDelta(name string, policy *value) {
	number := policy.at("properties", "initial_delta", "number_of_instances")
	if number.isNull() {
		r.problem(policy.place(), "the initial delta has no number_of_instances")
		return
	}
	n := r.count(number)
	for _, id := range r.targetVdus(policy) {
		vdu, _ := r.flavour.Vdu(id)
		r.decides(name, policy, "the initial number of instances of "+id)
		vdu.InitialInstances = &n
	}
}

// aspectDeltas reads the aspect and the deltas of a policy; it returns nil and reports a problem if there is no such
// aspect.
func (r *policyReader) aspectDeltas(name string, policy *value) (aspect *ScalingAspect, deltas map[string]*value) {
	named := policy.at("properties", "aspect")
	aspect, ok := r.flavour.aspect(named.str())
	if !ok {
		r.problem(policy.place(), "the policy %s scales the aspect %s, which no ScalingAspects policy defines", name,
			quoteName(named.str()))
		return nil, nil
	}
	deltas = maps.Collect(policy.at("properties", "deltas").members())
	switch { // SOL001: step_deltas may be absent where all steps are the same
	case len(aspect.StepDeltas) == 0 && len(deltas) == 1:
		aspect.StepDeltas = slices.Sorted(maps.Keys(deltas))
	case len(aspect.StepDeltas) == 0 && len(deltas) > 1:
		r.problem(policy.place(), "the policy %s has several deltas of the aspect %s, which has no step_deltas "+
			"that say which step uses which delta", name, aspect.ID)
	}
	for _, step := range aspect.StepDeltas {
		if _, ok := deltas[step]; !ok {
			r.problem(policy.place(), "the policy %s lacks the delta %s of the aspect %s", name, quoteName(step), aspect.ID)
		}
	}
	return aspect, deltas
}

func (r *policyReader) vduScalingAspectDeltas(name string, policy *value) {
	aspect, items := r.aspectDeltas(name, policy)
	if aspect == nil {
		return
	}
	deltas := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(items)) {
		deltas[id] = r.count(items[id].at("number_of_instances"))
	}
	if aspect.Deltas == nil {
		aspect.Deltas = map[string]map[string]int{}
	}
	for _, vdu := range r.targetVdus(policy) {
		r.decides(name, policy, "the deltas of "+vdu+" for the aspect "+aspect.ID)
		aspect.Deltas[vdu] = deltas
	}
}

func (r *policyReader) instantiationLevels(_ string, policy *value) {
	p := policy.at("properties")
	for id, item := range p.at("levels").members() {
		level := Level{ID: id, Description: item.at("description").str()}
		for aspect, info := range item.at("scale_info").members() {
			if level.ScaleLevels == nil {
				level.ScaleLevels = map[string]int{}
			}
			level.ScaleLevels[aspect] = r.scaleLevel(id, aspect, info)
		}
		if slices.ContainsFunc(r.flavour.Levels, func(l Level) bool { return l.ID == id }) {
			r.problem(item.place(), "the instantiation level %s is defined twice", quoteName(id))
			continue
		}
		if !r.room("instantiation levels", len(r.flavour.Levels), item) {
			return
		}
		r.flavour.Levels = append(r.flavour.Levels, level)
	}
	switch wanted := p.at("default_level"); {
	case p.at("levels").has(wanted.str()):
		r.flavour.DefaultLevel = wanted.str()
	case !wanted.isNull():
		r.problem(wanted.place(), "default_level is %s, which is not among the levels", quoteName(wanted.str()))
	case len(r.flavour.Levels) == 1:
		r.flavour.DefaultLevel = r.flavour.Levels[0].ID
	default:
		r.warn(policy.place(), "no default_level is named, so requests must name an instantiation level")
	}
}

func (r *policyReader) scaleLevel(level, id string, info *value) int {
	n := r.count(info.at("scale_level"))
	aspect, ok := r.flavour.aspect(id)
	if !ok {
		r.problem(info.place(), "the level %s names the aspect %s, which no ScalingAspects policy defines", level,
			quoteName(id))
		return 0
	}
	if n > aspect.MaxScaleLevel {
		r.problem(info.place(), "the level %s puts the aspect %s at scale level %d, but its max_scale_level is %d", level,
			id, n, aspect.MaxScaleLevel)
		return 0
	}
	return n
}

func (r *policyReader) vduInstantiationLevels(name string, policy *value) {
	for id, item := range policy.at("properties", "levels").members() {
		i := slices.IndexFunc(r.flavour.Levels, func(l Level) bool { return l.ID == id })
		if i < 0 {
			r.problem(item.place(), "the policy %s names the instantiation level %s, which does not exist", name,
				quoteName(id))
			continue
		}
		level := &r.flavour.Levels[i]
		if level.Instances == nil {
			level.Instances = map[string]int{}
		}
		for _, vdu := range r.targetVdus(policy) {
			r.decides(name, policy, "the number of instances of "+vdu+" at the level "+id)
			level.Instances[vdu] = r.count(item.at("number_of_instances"))
		}
	}
}

func (r *policyReader) affinityRule(name string, policy *value) {
	r.flavour.AffinityRules = append(r.flavour.AffinityRules, AffinityRule{
		ID:    name,
		Anti:  builtin(r.policyTypes, policy.at("type").str()) == policyPrefix+"AntiAffinityRule",
		Scope: policy.at("properties", "scope").str(),
		Vdus:  r.targetVdus(policy),
	})
}

// checkLevels warns of contradictions in a level: Windlass follows VduInstantiationLevels, but later scaling starts
// from the scale level.
func (r *policyReader) checkLevels() {
	place := r.root.at("policies").place()
	for _, level := range r.flavour.Levels {
		derived, err := r.flavour.CapacityAt(level.ScaleLevels)
		if err != nil { // reported elsewhere
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(level.Instances)) {
			vdu, _ := r.flavour.Vdu(id)
			n := level.Instances[id]
			if n != derived[id] {
				r.warn(place, "the level %s has %d instances of %s, but its scale levels make %d", level.ID, n, id, derived[id])
			}
			if n < vdu.MinInstances || vdu.MaxInstances > 0 && n > vdu.MaxInstances {
				r.warn(place, "the level %s has %d instances of %s, outside of its vdu_profile", level.ID, n, id)
			}
		}
	}
}
