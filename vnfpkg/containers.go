package vnfpkg

import (
	"maps"
	"slices"
)

// describesContainers tells whether the flavour's VDUs are containers. Those of a containerised VNF are nodes of the
// same type as VMs are, but say nothing of a VM: no image, no size, no storage. What a driver would make something of
// is none either: drivers work on servers.
func (r *flavourReader) describesContainers() bool {
	if len(r.flavour.Vdus) == 0 || slices.ContainsFunc(r.flavour.Drivers(), worksOnServers) {
		return false
	}
	for _, v := range r.flavour.Vdus { // those of types for containers have none of it
		if v.Image != nil || v.ComputeFlavour != "" || v.VirtualCpus > 0 || v.VirtualMemory != "" || len(v.Storages) > 0 {
			return false
		}
	}
	return true
}

// WithWorkloads is the flavour of a VNF with containers as its manifests have it: with those of its VDUs of containers
// that have a workload; the value says whether the number of its Pods can be set. Aspects stay, without what they would
// scale. VDUs of VMs stay as they are.
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

// WithAutoscalers is the flavour of a VNF that has autoscalers, by the ids of the VDUs that these scale.
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
