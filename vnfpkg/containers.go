package vnfpkg

import (
	"maps"
	"slices"
)

// describesContainers tells whether the flavour's VDUs are containers. A containerised VNF may use the same node type
// as VMs, but then its nodes have no image, size or storage. A flavour with a driver that needs servers has no such VDUs.
func (r *flavourReader) describesContainers() bool {
	if len(r.flavour.Vdus) == 0 || slices.ContainsFunc(r.flavour.Drivers(), needsServers) {
		return false
	}
	for _, v := range r.flavour.Vdus { // VDUs of container types never have any of these
		if v.Image != nil || v.ComputeFlavour != "" || v.VirtualCpus > 0 || v.VirtualMemory != "" || len(v.Storages) > 0 {
			return false
		}
	}
	return true
}

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
	a, ok := f.aspect(aspect)
	return ok && len(a.Deltas)+len(a.Bitrates) > 0
}
