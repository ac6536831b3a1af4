package vnfd

import (
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// policyReader reads the policies of a flavour, and its virtual links, whose bit rates policies set.
type policyReader struct {
	*tosca.Topology
	flavour *descriptor.Flavour
	// decided are the policies that have decided something, by what they decided.
	decided map[string]string
}

func newPolicyReader(t *tosca.Topology, f *descriptor.Flavour) policyReader {
	return policyReader{Topology: t, flavour: f, decided: map[string]string{}}
}

// read reads the scaling, level and affinity policies. It reads policies that others refer to first, whatever their
// place in the file.
func (r *policyReader) read() {
	readers := []map[string]func(name string, policy *document.Value){
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
		for name, policy := range r.Root.At("policies").Named() {
			if pass == 0 {
				r.checkTargets(name, policy)
			}
			kind := tosca.Builtin(r.PolicyTypes, policy.At("type").Str())
			if read := byType[strings.TrimPrefix(kind, tosca.PolicyPrefix)]; read != nil {
				read(name, policy)
			}
		}
	}
}

func (r *policyReader) checkTargets(name string, policy *document.Value) {
	for _, target := range policy.At("targets").List() {
		if id := target.Str(); !r.Nodes.Has(id) && !r.Root.At("groups").Has(id) {
			r.Problem(target.Place(), "the policy %s names the target %s, which is neither a node nor a group", name,
				document.Quote(id))
		}
	}
}

// targetVdus are the VDUs among a policy's targets, with the members of placement groups.
func (r *policyReader) targetVdus(policy *document.Value) []string {
	var out []string
	add := func(id string) {
		if _, ok := r.flavour.Vdu(id); ok && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, target := range policy.At("targets").Words() {
		add(target)
		for _, member := range r.Root.At("groups", target, "members").Words() {
			add(member)
		}
	}
	return out
}

// decides warns of a decision that another policy has made already: the last policy counts. what is for one VDU or one
// virtual link.
func (r *policyReader) decides(name string, policy *document.Value, what string) {
	if other, twice := r.decided[what]; twice {
		r.Warn(policy.Place(), "the policies %s and %s both give %s; Windlass follows %s", other, name, what, name)
	}
	r.decided[what] = name
}

func (r *policyReader) scalingAspects(_ string, policy *document.Value) {
	for id, item := range policy.At("properties", "aspects").Members() {
		if _, twice := r.flavour.Aspect(id); twice {
			r.Problem(item.Place(), "the scaling aspect %s is defined twice", document.Quote(id))
			continue
		}
		steps := item.At("step_deltas")
		if !r.Room("scaling aspects", len(r.flavour.Aspects), item) ||
			!r.Room("step_deltas of an aspect", len(steps.Words())-1, item) {
			continue
		}
		r.flavour.Aspects = append(r.flavour.Aspects, descriptor.ScalingAspect{
			ID:            id,
			Name:          item.At("name").Str(),
			Description:   item.At("description").Str(),
			MaxScaleLevel: r.Count(item.At("max_scale_level")),
			StepDeltas:    steps.Words(),
		})
	}
}

func (r *policyReader) vduInitialDelta(name string, policy *document.Value) {
	number := policy.At("properties", "initial_delta", "number_of_instances")
	if number.IsNull() {
		r.Problem(policy.Place(), "the initial delta has no number_of_instances")
		return
	}
	n := r.Count(number)
	for _, id := range r.targetVdus(policy) {
		vdu, _ := r.flavour.Vdu(id)
		r.decides(name, policy, "the initial number of instances of "+id)
		vdu.InitialInstances = &n
	}
}

// aspectDeltas reads the aspect and the deltas of a policy; it returns nil and reports a problem if there is no such
// aspect.
func (r *policyReader) aspectDeltas(
	name string, policy *document.Value,
) (aspect *descriptor.ScalingAspect, deltas map[string]*document.Value) {
	named := policy.At("properties", "aspect")
	aspect, ok := r.flavour.Aspect(named.Str())
	if !ok {
		r.Problem(policy.Place(), "the policy %s scales the aspect %s, which no ScalingAspects policy defines", name,
			document.Quote(named.Str()))
		return nil, nil
	}
	deltas = maps.Collect(policy.At("properties", "deltas").Members())
	switch { // SOL001: step_deltas may be absent where all steps are the same
	case len(aspect.StepDeltas) == 0 && len(deltas) == 1:
		aspect.StepDeltas = slices.Sorted(maps.Keys(deltas))
	case len(aspect.StepDeltas) == 0 && len(deltas) > 1:
		r.Problem(policy.Place(), "the policy %s has several deltas of the aspect %s, which has no step_deltas "+
			"that say which step uses which delta", name, aspect.ID)
	}
	for _, step := range aspect.StepDeltas {
		if _, ok := deltas[step]; !ok {
			r.Problem(policy.Place(), "the policy %s lacks the delta %s of the aspect %s", name, document.Quote(step), aspect.ID)
		}
	}
	return aspect, deltas
}

func (r *policyReader) vduScalingAspectDeltas(name string, policy *document.Value) {
	aspect, items := r.aspectDeltas(name, policy)
	if aspect == nil {
		return
	}
	deltas := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(items)) {
		deltas[id] = r.Count(items[id].At("number_of_instances"))
	}
	if aspect.Deltas == nil {
		aspect.Deltas = map[string]map[string]int{}
	}
	for _, vdu := range r.targetVdus(policy) {
		r.decides(name, policy, "the deltas of "+vdu+" for the aspect "+aspect.ID)
		aspect.Deltas[vdu] = deltas
	}
}

func (r *policyReader) instantiationLevels(_ string, policy *document.Value) {
	p := policy.At("properties")
	for id, item := range p.At("levels").Members() {
		level := descriptor.Level{ID: id, Description: item.At("description").Str()}
		for aspect, info := range item.At("scale_info").Members() {
			if level.ScaleLevels == nil {
				level.ScaleLevels = map[string]int{}
			}
			level.ScaleLevels[aspect] = r.scaleLevel(id, aspect, info)
		}
		if slices.ContainsFunc(r.flavour.Levels, func(l descriptor.Level) bool { return l.ID == id }) {
			r.Problem(item.Place(), "the instantiation level %s is defined twice", document.Quote(id))
			continue
		}
		if !r.Room("instantiation levels", len(r.flavour.Levels), item) {
			return
		}
		r.flavour.Levels = append(r.flavour.Levels, level)
	}
	switch wanted := p.At("default_level"); {
	case p.At("levels").Has(wanted.Str()):
		r.flavour.DefaultLevel = wanted.Str()
	case !wanted.IsNull():
		r.Problem(wanted.Place(), "default_level is %s, which is not among the levels", document.Quote(wanted.Str()))
	case len(r.flavour.Levels) == 1:
		r.flavour.DefaultLevel = r.flavour.Levels[0].ID
	default:
		r.Warn(policy.Place(), "no default_level is named, so requests must name an instantiation level")
	}
}

func (r *policyReader) scaleLevel(level, id string, info *document.Value) int {
	n := r.Count(info.At("scale_level"))
	aspect, ok := r.flavour.Aspect(id)
	if !ok {
		r.Problem(info.Place(), "the level %s names the aspect %s, which no ScalingAspects policy defines", level,
			document.Quote(id))
		return 0
	}
	if n > aspect.MaxScaleLevel {
		r.Problem(info.Place(), "the level %s puts the aspect %s at scale level %d, but its max_scale_level is %d", level,
			id, n, aspect.MaxScaleLevel)
		return 0
	}
	return n
}

func (r *policyReader) vduInstantiationLevels(name string, policy *document.Value) {
	for id, item := range policy.At("properties", "levels").Members() {
		i := slices.IndexFunc(r.flavour.Levels, func(l descriptor.Level) bool { return l.ID == id })
		if i < 0 {
			r.Problem(item.Place(), "the policy %s names the instantiation level %s, which does not exist", name,
				document.Quote(id))
			continue
		}
		level := &r.flavour.Levels[i]
		if level.Instances == nil {
			level.Instances = map[string]int{}
		}
		for _, vdu := range r.targetVdus(policy) {
			r.decides(name, policy, "the number of instances of "+vdu+" at the level "+id)
			level.Instances[vdu] = r.Count(item.At("number_of_instances"))
		}
	}
}

func (r *policyReader) affinityRule(name string, policy *document.Value) {
	r.flavour.AffinityRules = append(r.flavour.AffinityRules, descriptor.AffinityRule{
		ID:    name,
		Anti:  tosca.Builtin(r.PolicyTypes, policy.At("type").Str()) == tosca.PolicyPrefix+"AntiAffinityRule",
		Scope: policy.At("properties", "scope").Str(),
		Vdus:  r.targetVdus(policy),
	})
}

// checkLevels warns of contradictions in a level: Windlass follows VduInstantiationLevels, but later scaling starts
// from the scale level.
func (r *policyReader) checkLevels() {
	place := r.Root.At("policies").Place()
	for _, level := range r.flavour.Levels {
		derived, err := r.flavour.CapacityAt(level.ScaleLevels)
		if err != nil { // reported elsewhere
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(level.Instances)) {
			vdu, _ := r.flavour.Vdu(id)
			n := level.Instances[id]
			if n != derived[id] {
				r.Warn(place, "the level %s has %d instances of %s, but its scale levels make %d", level.ID, n, id, derived[id])
			}
			if n < vdu.MinInstances || vdu.MaxInstances > 0 && n > vdu.MaxInstances {
				r.Warn(place, "the level %s has %d instances of %s, outside of its vdu_profile", level.ID, n, id)
			}
		}
	}
}
