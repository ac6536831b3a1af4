package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// checkRegistries looks at the files of the package that registries need: certificates and, of a VNF that is one, its
// image.
func (a *lcmAPI) checkRegistries(ctx context.Context, f *vnfpkg.Flavour, req lcm.InstantiateRequest, pkg lcm.VnfPkg, found *findings) error {
	if f.MakesRegistry() {
		return a.checkRegistryServerFiles(ctx, req, pkg, found)
	}
	if !f.MakesCluster() {
		return nil
	}
	params, _ := lcm.ParseClusterParams(req.AdditionalParams) // its mistakes are reported already
	path := "$.additionalParams." + lcm.ClusterParamsKey + "." + lcm.RegistriesKey
	return a.checkCertificates(ctx, path, params.PrivateRegistries, pkg, found)
}

// checkCertificates wants each registry's certificate in the package, and no other thing.
func (a *lcmAPI) checkCertificates(ctx context.Context, path string, list []lcm.PrivateRegistry, pkg lcm.VnfPkg, found *findings) error {
	for i, r := range list {
		if r.CertificatePath == "" || !lcm.LocalPath(r.CertificatePath) {
			continue
		}
		at := fmt.Sprintf("%s[%d].certificate_path", path, i)
		if !slices.ContainsFunc(pkg.Artifacts, func(artifact lcm.PkgArtifact) bool { return artifact.Path == r.CertificatePath }) {
			found.names(at, "the VNF package has no file %q", r.CertificatePath)
			continue
		}
		file, err := a.Store.PackageFile(ctx, pkg.ID, r.CertificatePath)
		if err != nil {
			return err
		}
		if why := lcm.CertificateProblem(file); why != "" {
			found.names(at, "the file %q of the VNF package %s", r.CertificatePath, why)
		}
	}
	return nil
}

// checkOtherRegistries checks the registries that a modification gives a cluster. Of a VNF that is none, the property
// is whatever its VNFD makes of it.
func (a *lcmAPI) checkOtherRegistries(ctx context.Context, inst lcm.VnfInstance, req lcm.ModifyRequest, found *findings) error {
	list, given := req.Registries(inst)
	if !given {
		return nil
	}
	pkg, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return err
	}
	vnfd, err := vnfdOf(pkg)
	if err != nil {
		return err
	}
	if inst.Instantiated == nil {
		if list != nil && slices.ContainsFunc(vnfd.Flavours, func(f vnfpkg.Flavour) bool { return f.MakesCluster() }) {
			return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is not instantiated: its registries are named in additionalParams when it is.", inst.ID)
		}
		return nil
	}
	flavour, err := vnfd.Flavour(inst.Instantiated.FlavourID)
	if err != nil || !flavour.MakesCluster() {
		return err
	}
	if inst.Instantiated.VnfState == lcm.VnfStopped || len(inst.Instantiated.StoppedServers()) > 0 {
		return lcm.Errorf(lcm.KindConflict, "Nodes of the VNF instance %s are stopped: start them before its registries are changed.", inst.ID)
	}
	doc, err := json.Marshal(list)
	if err != nil {
		return lcm.Wrap(lcm.KindBug, err, "The registries cannot be read.")
	}
	registries, problems := lcm.CheckRegistries(doc)
	found.mistake(problems...)
	return a.checkCertificates(ctx, lcm.RegistriesPath, registries, pkg, found)
}
