package descriptor

import (
	"maps"
	"slices"
)

// OfContainers tells whether the VNFCs of a VDU are Pods.
func (f *Flavour) OfContainers(vdu string) bool {
	if !f.Hybrid {
		return f.Containers
	}
	v, ok := f.Vdu(vdu)
	return ok && v.Containers
}

// Part is the part of a flavour that is containers, or VMs: these VDUs, and what concerns only them. It is nil if the
// flavour has no such VDUs; a flavour that is not hybrid is its own only part. Aspects and levels stay, without their
// values for other VDUs.
func (f *Flavour) Part(containers bool) *Flavour {
	if !f.Hybrid {
		if f.Containers != containers {
			return nil
		}
		return f
	}
	out := f.onlyWith(func(vdu string) bool { return f.OfContainers(vdu) == containers })
	out.Hybrid, out.Containers = false, containers
	if !containers {
		out.Services, out.Charts = nil, nil
		return out
	}
	for i := range out.Vdus {
		out.Vdus[i].Containers = false // as in other flavours of containers
	}
	out.Cps = slices.DeleteFunc(out.Cps, func(c VduCp) bool { return c.VduID == "" })
	out.Storages, out.VirtualLinks, out.Hooks = nil, nil, nil
	out.BaseHOT, out.Groups, out.Nested, out.Generated = "", nil, nil, nil
	for i := range out.Aspects {
		out.Aspects[i].Bitrates = nil
	}
	for i := range out.Levels {
		out.Levels[i].Bitrates = nil
	}
	return out
}

// onlyWith is the flavour with those VDUs only, and with the aspects, levels and rules reduced to them.
func (f *Flavour) onlyWith(has func(vdu string) bool) *Flavour {
	out := *f
	out.Vdus = slices.DeleteFunc(slices.Clone(f.Vdus), func(v Vdu) bool { return !has(v.ID) })
	out.Cps = slices.DeleteFunc(slices.Clone(f.Cps), func(c VduCp) bool { return c.VduID != "" && !has(c.VduID) })
	out.Aspects = slices.Clone(f.Aspects)
	for i := range out.Aspects {
		out.Aspects[i].Deltas = maps.Clone(f.Aspects[i].Deltas)
		maps.DeleteFunc(out.Aspects[i].Deltas, func(vdu string, _ map[string]int) bool { return !has(vdu) })
	}
	out.Levels = slices.Clone(f.Levels)
	for i := range out.Levels {
		out.Levels[i].Instances = maps.Clone(f.Levels[i].Instances)
		maps.DeleteFunc(out.Levels[i].Instances, func(vdu string, _ int) bool { return !has(vdu) })
	}
	out.AffinityRules = slices.Clone(f.AffinityRules)
	for i := range out.AffinityRules {
		out.AffinityRules[i].Vdus = slices.DeleteFunc(slices.Clone(f.AffinityRules[i].Vdus),
			func(vdu string) bool { return !has(vdu) })
	}
	return &out
}

// ServersDiffer lists where two VNFDs describe the VMs of a hybrid flavour differently.
func (f *Flavour) ServersDiffer(next *Flavour) (out []string) {
	differing(&out, "", asJSON(f.servers()), asJSON(next.servers()))
	return out
}

// servers is the VM part of a flavour, without aspects that scale only containers and without anything that no stack
// gets.
func (f *Flavour) servers() *Flavour {
	part := f.Part(false)
	if part == nil {
		return &Flavour{}
	}
	out := *part
	out.Description, out.Definition, out.LcmOperations = "", "", nil
	idle := map[string]bool{}
	for _, a := range out.Aspects {
		idle[a.ID] = len(a.Deltas)+len(a.Bitrates) == 0
	}
	out.Aspects = slices.DeleteFunc(out.Aspects, func(a ScalingAspect) bool { return idle[a.ID] })
	for i := range out.Levels {
		out.Levels[i].ScaleLevels = maps.Clone(out.Levels[i].ScaleLevels)
		maps.DeleteFunc(out.Levels[i].ScaleLevels, func(aspect string, _ int) bool { return idle[aspect] })
	}
	out.AffinityRules = slices.DeleteFunc(out.AffinityRules, func(r AffinityRule) bool { return len(r.Vdus) == 0 })
	return &out
}
