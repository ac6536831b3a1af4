package descriptor

import (
	"slices"
)

// DescribesContainers tells whether the flavour's VDUs are containers. A containerised VNF may use the same node type
// as VMs, but then its nodes have no image, size or storage. A flavour with a driver that needs servers has no such
// VDUs.
func (f *Flavour) DescribesContainers() bool {
	if len(f.Vdus) == 0 || slices.ContainsFunc(f.Drivers(), needsServers) {
		return false
	}
	for _, v := range f.Vdus { // VDUs of container types never have any of these
		if v.Image != nil || v.ComputeFlavour != "" || v.VirtualCpus > 0 || v.VirtualMemory != "" || len(v.Storages) > 0 {
			return false
		}
	}
	return true
}

// DescribesVMs tells whether the flavour's VDUs are VMs. A containerised VNF may have VDUs of the same type, without
// image and connection point.
func (f *Flavour) DescribesVMs() bool {
	bootable := func(id string) bool {
		return slices.ContainsFunc(f.Storages,
			func(s VirtualStorage) bool { return s.ID == id && s.Kind == "block" && s.Image != nil })
	}
	return slices.ContainsFunc(f.Vdus, func(v Vdu) bool {
		if v.Containers {
			return false
		}
		plugged := slices.ContainsFunc(f.Cps, func(c VduCp) bool { return c.VduID == v.ID })
		return (v.Image != nil || slices.ContainsFunc(v.Storages, bootable)) &&
			(plugged || v.VirtualCpus > 0 || v.ComputeFlavour != "")
	})
}
