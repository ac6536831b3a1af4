package plan

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// registryServer tells whether the VNF is a registry of images that Windlass's own driver installs.
func (f Facts) registryServer() bool {
	driver, _ := f.Flavour.Driver("instantiate_end")
	return driver == vnfpkg.DriverPrivateRegistry
}

// notARegistry refuses to scale a registry: a second machine would have other images.
func (f Facts) notARegistry(op lcm.Operation) error {
	if (op == lcm.OpScale || op == lcm.OpScaleToLevel) && f.registryServer() {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is a registry of images on one machine, which is not scaled: a second one would not have its images.", f.Instance.ID)
	}
	return nil
}

// keepsImages tells whether a heal leaves the volume of a registry as it is: it does unless the request says otherwise, also
// when that names no VNFC, as the standard's requests do.
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

// installing are the steps that make a registry of images of a machine; replaced is set when it has come for another one.
func (o outline) installing(replaced bool) []PlannedStep {
	if !o.facts.registryServer() {
		return nil
	}
	list := []PlannedStep{{Title: "Wait until the machine answers on SSH", Undo: "their host keys and the generated secrets are forgotten"}}
	if o.facts.RegistryServer.HasVolume() {
		list = append(list, PlannedStep{Title: "Mount the volume of the registry"})
	}
	list = append(list, PlannedStep{Title: "Install the registry"})
	if replaced {
		list = append(list, PlannedStep{Title: "Forget the machine that has left"})
	}
	return list
}
