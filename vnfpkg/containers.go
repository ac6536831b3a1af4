package vnfpkg

import (
	"maps"
	"slices"
)

// describesContainers tells whether the flavour's VDUs are containers. Those of a containerised VNF are nodes of the
// same type as VMs are, but say nothing of a VM: no image, no size, no storage. What a driver would make something of
// is none either: drivers work on servers.
func (r *flavourReader) describesContainers() bool {
	if len(r.flavour.Vdus) == 0 || len(r.flavour.Drivers()) > 0 {
		return false
	}
	for _, v := range r.flavour.Vdus { // those of types for containers have none of it
		if v.Image != nil || v.ComputeFlavour != "" || v.VirtualCpus > 0 || v.VirtualMemory != "" || len(v.Storages) > 0 {
			return false
		}
	}
	return true
}

// WithWorkloads is the flavour of a containerised VNF as its manifests have it: with those of its VDUs that have a
// workload; the value says whether the number of its Pods can be set. Aspects stay, without what they would scale.
func (f *Flavour) WithWorkloads(sized map[string]bool) *Flavour {
	has := func(vdu string) bool { _, ok := sized[vdu]; return ok }
	out := *f
	out.Vdus = nil
	for _, v := range f.Vdus {
		if has(v.ID) {
			v.Unsized = !sized[v.ID]
			out.Vdus = append(out.Vdus, v)
		}
	}
	out.Cps = slices.DeleteFunc(slices.Clone(f.Cps), func(c VduCp) bool { return c.VduID != "" && !has(c.VduID) })
	out.Aspects = slices.Clone(f.Aspects)
	for i := range out.Aspects {
		out.Aspects[i].Deltas = maps.Clone(f.Aspects[i].Deltas)
		maps.DeleteFunc(out.Aspects[i].Deltas, func(vdu string, _ map[string]int) bool { return !sized[vdu] })
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

// Scales tells whether an aspect scales any VDU, or the bit rate of a virtual link.
func (f *Flavour) Scales(aspect string) bool {
	a, ok := f.aspect(aspect)
	return ok && len(a.Deltas)+len(a.Bitrates) > 0
}
