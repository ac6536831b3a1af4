package hot

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// network finds the network of a connection point: an external link that names it, else the externally managed link
// that replaces its internal link.
func (req Request) network(f *descriptor.Flavour, cpd string) (string, *lcm.ExtCp) {
	for i := range req.ExtVirtualLinks {
		link := &req.ExtVirtualLinks[i]
		for j := range link.ExtCps {
			if link.ExtCps[j].CpdID == cpd {
				return link.ResourceID, &link.ExtCps[j]
			}
		}
	}
	if cp, ok := f.Cp(cpd); ok && cp.VirtualLink != "" {
		for _, link := range req.ExtManagedVirtualLinks {
			if link.VnfVirtualLinkDescID == cp.VirtualLink {
				return link.ResourceID, nil
			}
		}
	}
	return "", nil
}

// fixedIPs is the fixed_ips of a Neutron port for a connection point, never nil.
func fixedIPs(cp *lcm.ExtCp) []any {
	out := []any{}
	if cp == nil {
		return out
	}
	for _, ip := range cp.FixedIPs {
		one := map[string]any{}
		if ip.SubnetID != "" {
			one["subnet"] = ip.SubnetID
		}
		if ip.Address != "" {
			one["ip_address"] = ip.Address
		}
		if len(one) == 0 {
			continue
		}
		for range ip.Count() {
			out = append(out, one)
		}
	}
	return out
}
