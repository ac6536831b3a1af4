package descriptor

import (
	"maps"
	"slices"
)

// WithWorkloads is the flavour of a containerised VNF, reduced to what its manifests have. It keeps the VDUs of
// containers that have a workload; the value tells whether the number of its Pods can be set. It keeps aspects, without
// the deltas of VDUs that cannot scale. VDUs of VMs stay as they are.
func (f *Flavour) WithWorkloads(sized map[string]bool) *Flavour {
	has := func(vdu string) bool { _, ok := sized[vdu]; return ok || !f.OfContainers(vdu) }
	out := f.onlyWith(has)
	for i, v := range out.Vdus {
		out.Vdus[i].Unsized = f.OfContainers(v.ID) && !sized[v.ID]
	}
	for i := range out.Aspects {
		maps.DeleteFunc(out.Aspects[i].Deltas, func(vdu string, _ map[string]int) bool {
			return f.OfContainers(vdu) && !sized[vdu]
		})
	}
	return out
}

// WithAutoscalers sets the autoscalers of the flavour, by the ids of the VDUs that they scale.
func (f *Flavour) WithAutoscalers(by map[string]string) *Flavour {
	out := *f
	out.Vdus = slices.Clone(f.Vdus)
	for i := range out.Vdus {
		out.Vdus[i].Autoscaler = by[out.Vdus[i].ID]
	}
	return &out
}

// Scales tells whether an aspect scales any VDU, or the bit rate of a virtual link.
func (f *Flavour) Scales(aspect string) bool {
	a, ok := f.Aspect(aspect)
	return ok && len(a.Deltas)+len(a.Bitrates) > 0
}
