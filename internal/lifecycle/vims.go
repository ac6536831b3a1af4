package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// VimKinds are the kinds of the VIMs on which VNFs of a flavour are: those of VMs first. nil is the flavour of a VNF
// that has none yet.
func VimKinds(f *vnfpkg.Flavour) []lcm.VimKind {
	switch {
	case f == nil:
		return []lcm.VimKind{lcm.VimKindFor(false)}
	case f.Hybrid:
		return []lcm.VimKind{lcm.VimKindFor(false), lcm.VimKindFor(true)}
	default:
		return []lcm.VimKind{lcm.VimKindFor(f.Containers)}
	}
}

// VimKindOf is the kind of the VIM on which the VNFCs of a VDU are. What belongs to no VDU is with the VMs, where there
// are any.
func VimKindOf(f *vnfpkg.Flavour, vdu string) lcm.VimKind {
	return lcm.VimKindFor(f != nil && f.OfContainers(vdu))
}

// Connection is the one among those of a VNF on which VNFCs of a VDU are; its zero value where there is none.
func Connection(f *vnfpkg.Flavour, all []lcm.VimConnectionInfo, vdu string) lcm.VimConnectionInfo {
	if len(all) == 1 && (f == nil || !f.Hybrid) { // of a VNF on one VIM, whatever the connection says of its type
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

// switched tells whether the VNFCs of a VDU are stopped and started one by one; others are all together.
func (f Facts) switched(vdu string) bool { return VimKindOf(f.Flavour, vdu).SwitchesVnfcs }
