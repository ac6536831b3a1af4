package vnfpkg

// describesContainers tells whether the flavour's VDUs are containers. Those of a containerised VNF are nodes of the
// same type as VMs are, but say nothing of a VM: no image, no size, no storage. What a driver would make something of
// is none either: drivers work on servers.
func (r *flavourReader) describesContainers() bool {
	if len(r.flavour.Vdus) == 0 || len(r.flavour.Drivers()) > 0 {
		return false
	}
	for _, v := range r.flavour.Vdus {
		if v.Image != nil || v.ComputeFlavour != "" || v.VirtualCpus > 0 || v.VirtualMemory != "" || len(v.Storages) > 0 {
			return false
		}
	}
	return true
}
