package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// VimKinds are the kinds of VIMs for VNFs of a flavour, those of VMs first. The flavour is nil if the VNF has none yet.
func VimKinds(f *descriptor.Flavour) []lcm.VimKind {
	switch {
	case f == nil:
		return []lcm.VimKind{lcm.VimKindFor(false)}
	case f.Hybrid:
		return []lcm.VimKind{lcm.VimKindFor(false), lcm.VimKindFor(true)}
	default:
		return []lcm.VimKind{lcm.VimKindFor(f.Containers)}
	}
}

// VimKindOf is the kind of the VIM for the VNFCs of a VDU. Resources without a VDU are with the VMs, if there are any.
func VimKindOf(f *descriptor.Flavour, vdu string) lcm.VimKind {
	return lcm.VimKindFor(f != nil && f.OfContainers(vdu))
}

// Connection is the VNF's VIM connection for the VNFCs of a VDU, or a zero value if there is none.
func Connection(f *descriptor.Flavour, all []lcm.VimConnectionInfo, vdu string) lcm.VimConnectionInfo {
	if len(all) == 1 && (f == nil || !f.Hybrid) { // the VNF is on one VIM, whatever type the connection names
		return all[0]
	}
	kind := VimKindOf(f, vdu).Type
	if i := slices.IndexFunc(all, func(c lcm.VimConnectionInfo) bool { return c.Kind() == kind }); i >= 0 {
		return all[i]
	}
	return lcm.VimConnectionInfo{}
}

// any tells whether the VNF is on a VIM that has an ability.
func (f Facts) any(able func(lcm.VimKind) bool) bool {
	return slices.ContainsFunc(VimKinds(f.Flavour), able)
}

func switchesVnfcs(k lcm.VimKind) bool    { return k.SwitchesVnfcs }
func handsOverVolumes(k lcm.VimKind) bool { return k.HandsOverVolumes }

// switched tells whether the VNFCs of a VDU are stopped and started one by one. Others are stopped and started all
// together.
func (f Facts) switched(vdu string) bool { return VimKindOf(f.Flavour, vdu).SwitchesVnfcs }
