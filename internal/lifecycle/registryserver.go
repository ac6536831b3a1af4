package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// notARegistry refuses to scale a registry: a second machine would have other images.
func (f Facts) notARegistry(op lcm.Operation) error {
	if (op == lcm.OpScale || op == lcm.OpScaleToLevel) && f.Flavour.MakesRegistry() {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is a registry of images on one machine, which is not scaled: a second one would not have its images.", f.Instance.ID)
	}
	return nil
}

// keepsImages tells whether a heal leaves the volume of a registry as it is: it does unless the request says otherwise,
// also when that names no VNFC, as the standard's requests do.
func (f Facts) keepsImages(req lcm.HealRequest) bool {
	keep, by := req.KeepsVolumes()
	return f.RegistryServer.HasVolume() && (keep || by == "")
}

// healRegistry adds to the plan of a heal what becomes of the volume of a registry.
func (f Facts) healRegistry(p *lcm.Plan, req lcm.HealRequest) {
	if p.KeepVolumes = f.keepsImages(req); p.KeepVolumes {
		p.Keepers = p.LeavingServers()
	}
	if p.KeepVolumes || p.Whole {
		return
	}
	for _, l := range p.Leaving {
		if v, ok := f.find(l.ServerID); ok {
			p.LeavingVolumes = append(p.LeavingVolumes, slices.Clone(v.StorageIDs)...)
		}
	}
}

// registryMade makes a registry of images of the VNF's only server.
func (l listing) registryMade() []Step {
	if !l.facts.Flavour.MakesRegistry() {
		return nil
	}
	return join(
		[]Step{{
			ID: "wait-for-registry", Title: "Wait until the server answers on SSH",
			Undo: "its host key and the generated secrets are forgotten",
		}},
		when(l.facts.RegistryServer.HasVolume(), Step{ID: "mount-registry-volume", Title: "Mount the volume of the registry"}),
		[]Step{{ID: "install-registry", Title: "Install the registry"}},
	)
}

// registryReplaced does the same with the server that has come for another one.
func (l listing) registryReplaced() []Step {
	if !l.facts.Flavour.MakesRegistry() {
		return nil
	}
	return append(l.registryMade(), Step{ID: "forget-registry", Title: "Forget the server that has left"})
}
