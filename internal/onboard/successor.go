package onboard

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// Successor checks a package as the replacement of an instance's package. An instantiated VNF may get another package
// only if nothing but software images differs (SOL003 clause 5.5.2.2): a Conflict names the other differences. nil
// stays nil.
func Successor(
	ctx context.Context, packages *store.Store, inst lcm.VnfInstance, pkg *lcm.VnfPkg,
) (*lcm.NextPackage, error) {
	if pkg == nil {
		return nil, nil
	}
	next := &lcm.NextPackage{VnfPkg: *pkg}
	if inst.Instantiated == nil || pkg.ID == inst.VnfPkgID {
		return next, nil
	}
	present, err := packages.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return nil, err
	}
	before, after, err := vnfdsOf(present, *pkg)
	if err != nil {
		return nil, err
	}
	differences := before.Differences(after)
	if len(differences) == 0 {
		if differences, err = differingFiles(ctx, packages, inst, present, *pkg, before, after); err != nil {
			return nil, err
		}
	}
	if len(differences) > 0 {
		return nil, lcm.Errorf(lcm.KindConflict, "The VNF instance %s is instantiated: it can get a VNF package that "+
			"differs from its own in software images only, and %s differs in: %s. "+
			"Terminate the VNF first, or set a package with other images.", inst.ID, pkg.ID, strings.Join(differences, ", "))
	}
	if class := lcm.ParseUserData(inst.Instantiated.AdditionalParams); !class.BuiltIn(true) {
		return nil, lcm.Errorf(lcm.KindConflict,
			"The VNF instance %s is instantiated with the user data class %s, which chooses images itself: "+
				"another VNF package can be set only while it is not.", inst.ID, class.Class)
	}
	// Both have the flavour: they do not differ in it.
	now, err := before.Flavour(inst.Instantiated.FlavourID)
	if err != nil {
		return nil, err
	}
	then, err := after.Flavour(inst.Instantiated.FlavourID)
	if err != nil {
		return nil, err
	}
	next.Succeeds, next.KeptImages = true, hot.OtherImages(now, then)
	return next, nil
}

func vnfdsOf(present, next lcm.VnfPkg) (before, after *descriptor.Vnfd, err error) {
	before, after = &descriptor.Vnfd{}, &descriptor.Vnfd{}
	for _, p := range []struct {
		pkg  lcm.VnfPkg
		into *descriptor.Vnfd
	}{{present, before}, {next, after}} {
		if err := json.Unmarshal(p.pkg.Vnfd, p.into); err != nil {
			return nil, nil, lcm.Wrap(lcm.KindBug, err, "The stored VNFD of package %s is unreadable.", p.pkg.ID)
		}
	}
	return before, after, nil
}

// differingFiles are the templates of the VNF's stack, or its manifests, that differ between two packages with equal
// VNFDs.
func differingFiles(
	ctx context.Context, packages *store.Store, inst lcm.VnfInstance, present, next lcm.VnfPkg,
	before, after *descriptor.Vnfd,
) ([]string, error) {
	now, err := before.Flavour(inst.Instantiated.FlavourID)
	if err != nil {
		return nil, err
	}
	then, err := after.Flavour(inst.Instantiated.FlavourID)
	if err != nil {
		return nil, err
	}
	read := func(id lcm.VnfPkgID) func(string) ([]byte, error) {
		return func(path string) ([]byte, error) { return packages.PackageFile(ctx, id, path) }
	}
	var out []string
	if pods := now.Part(true); pods != nil {
		p, _ := cnf.ReadParams(inst.Instantiated.AdditionalParams) // was checked when the VNF was instantiated
		if out, err = cnf.Differing(pods, p, cnf.FilesOf(ctx, packages, present.ID, inst.ID),
			cnf.FilesOf(ctx, packages, next.ID, inst.ID)); err != nil {
			return nil, err
		}
	}
	if now.Part(false) == nil {
		return out, nil
	}
	templates, err := now.DifferingFiles(then, read(present.ID), read(next.ID))
	return append(out, templates...), err
}
