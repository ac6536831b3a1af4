package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	_ "github.com/windlass-nfv/windlass/internal/vim/kinds" // all kinds of VIMs are known wherever operations are planned
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// VimKinds are the kinds of VIMs for VNFs of a flavour, those of VMs first. The flavour is nil if the VNF has none yet.
// types are the types of the VNF's VIM connections, which choose among kinds for the same VNFCs.
func VimKinds(f *descriptor.Flavour, types ...string) []lcm.VimKind {
	switch {
	case f == nil:
		return []lcm.VimKind{lcm.VimKindFor(false, types...)}
	case f.Hybrid:
		return []lcm.VimKind{lcm.VimKindFor(false, types...), lcm.VimKindFor(true, types...)}
	default:
		return []lcm.VimKind{lcm.VimKindFor(f.Containers, types...)}
	}
}

// VimKindOf is the kind of the VIM for the VNFCs of a VDU. Resources without a VDU are with the VMs, if there are any.
func VimKindOf(f *descriptor.Flavour, vdu string, types ...string) lcm.VimKind {
	return lcm.VimKindFor(f != nil && f.OfContainers(vdu), types...)
}

// vimKinds are the kinds of the VNF's VIMs.
func (f Facts) vimKinds() []lcm.VimKind { return VimKinds(f.Flavour, f.VimTypes...) }

// vimKindOf is the kind of the VIM for the VNFCs of a VDU.
func (f Facts) vimKindOf(vdu string) lcm.VimKind {
	return lcm.VimKindFor(f.ofContainers(vdu), f.VimTypes...)
}

// ofContainers tells whether the VNFCs of a VDU, which the VNF has or had, are containers.
func (f Facts) ofContainers(vdu string) bool {
	of := f.flavourOf(vdu)
	return of != nil && of.OfContainers(vdu)
}

// flavourOf is the flavour of a VDU, which the VNF has or had.
func (f Facts) flavourOf(vdu string) *descriptor.Flavour {
	if f.Flavour != nil && f.FormerFlavour != nil {
		if _, has := f.Flavour.Vdu(vdu); !has {
			return f.FormerFlavour
		}
	}
	return f.Flavour
}

// Connection is the VNF's VIM connection for the VNFCs of a VDU, or a zero value if there is none.
func Connection(f *descriptor.Flavour, all []lcm.VimConnectionInfo, vdu string) lcm.VimConnectionInfo {
	if len(all) == 1 && (f == nil || !f.Hybrid) { // the VNF is on one VIM, whatever type the connection names
		return all[0]
	}
	var types []string
	for _, c := range all {
		types = append(types, c.Kind())
	}
	kind := VimKindOf(f, vdu, types...).Type
	if i := slices.IndexFunc(all, func(c lcm.VimConnectionInfo) bool { return c.Kind() == kind }); i >= 0 {
		return all[i]
	}
	return lcm.VimConnectionInfo{}
}

// any tells whether the VNF is on a VIM that has an ability.
func (f Facts) any(able func(lcm.VimKind) bool) bool {
	return slices.ContainsFunc(f.vimKinds(), able)
}

func switchesVnfcs(k lcm.VimKind) bool    { return k.SwitchesVnfcs }
func handsOverVolumes(k lcm.VimKind) bool { return k.HandsOverVolumes }

// switched tells whether the VNFCs of a VDU are stopped and started one by one. Others are stopped and started all
// together.
func (f Facts) switched(vdu string) bool { return f.vimKindOf(vdu).SwitchesVnfcs }
