package vnflcm

import (
	"context"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// checkDrivers lets the drivers of the VNF check their parameters.
func (a *api) checkDrivers(
	ctx context.Context, f *descriptor.Flavour, on lcm.VimKind, req lcm.InstantiateRequest, drivers []driver.Bound,
	pkg lcm.VnfPkg, found *driver.Findings,
) error {
	capacity, err := f.Capacity(req.InstantiationLevelID)
	if err != nil {
		found.Names("$.instantiationLevelId", "%s", rest.Sentence(err))
		capacity, _ = f.CapacityAt(nil) // the parameters are checked all the same
	}
	missing := all.Drivers.Missing(f)
	for _, hook := range slices.Sorted(maps.Keys(missing)) {
		found.Names("$.flavourId", "its %s needs the driver %q, which Windlass does not have", hook, missing[hook])
	}
	r := driver.Request{
		InstantiateRequest: req, Flavour: f, Capacity: capacity, Package: a.packageOf(pkg), Vim: on,
		Found: found, PodNetwork: a.PodNetwork,
	}
	r.Scripts = driver.ScriptsAllowed{
		Policy: a.Operations.Scripts, Python: a.Python, Ansible: a.Ansible, SkipTackerV1: a.SkipTackerV1,
	}
	for _, d := range drivers {
		if err := d.CheckRequest(ctx, r, d.Wrong); err != nil {
			return err
		}
	}
	return nil
}

// checkModification lets all drivers check their part of a modification.
func (a *api) checkModification(
	ctx context.Context, inst lcm.VnfInstance, req lcm.ModifyRequest, found *driver.Findings,
) error {
	pkg, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return err
	}
	m := driver.Modification{ModifyRequest: req, Instance: inst, Package: a.packageOf(pkg), Found: found}
	if m.Vnfd, err = rest.VnfdOf(pkg); err != nil {
		return err
	}
	for _, d := range all.Drivers {
		if of, ok := d.(driver.Modifier); ok {
			if err := of.CheckModify(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHealed lets the drivers check the VNF's parameters with those of a heal.
func checkHealed(drivers []driver.Bound) error {
	for _, d := range drivers {
		if of, ok := d.Binding.(driver.HealChecker); ok {
			if err := of.CheckHeal(d.Wrong); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *api) packageOf(pkg lcm.VnfPkg) driver.Package {
	return driver.Package{
		VnfPkg: pkg,
		Read:   func(ctx context.Context, path string) ([]byte, error) { return a.Store.PackageFile(ctx, pkg.ID, path) },
		Has:    func(ctx context.Context, path string) (bool, error) { return a.isInPackage(ctx, pkg, path) },
	}
}

// isInPackage also accepts files that are no artifacts of the package: images of containers are in the same places as
// images of VMs.
func (a *api) isInPackage(ctx context.Context, pkg lcm.VnfPkg, path string) (bool, error) {
	if slices.ContainsFunc(pkg.Artifacts, func(artifact lcm.PkgArtifact) bool { return artifact.Path == path }) {
		return true, nil
	}
	content, size, err := a.Store.PackageContent(ctx, pkg.ID)
	if err != nil {
		return false, err
	}
	defer content.Close()
	file, err := archive.OpenFile(content, size, path)
	if lcm.Is(err, lcm.KindNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, file.Close()
}
