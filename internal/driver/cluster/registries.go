package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// CheckCertificates wants each registry's certificate in the package, and no other thing.
func CheckCertificates(
	ctx context.Context, path string, list []k8s.PrivateRegistry, pkg driver.Package, found *driver.Findings,
) error {
	for i, r := range list {
		if r.CertificatePath == "" || !k8s.LocalPath(r.CertificatePath) {
			continue
		}
		at := fmt.Sprintf("%s[%d].certificate_path", path, i)
		if _, there := pkg.Artifact(r.CertificatePath); !there {
			found.Names(at, "the VNF package has no file %q", r.CertificatePath)
			continue
		}
		file, err := pkg.Read(ctx, r.CertificatePath)
		if err != nil {
			return err
		}
		if why := k8s.CertificateProblem(file); why != "" {
			found.Names(at, "the file %q of the VNF package %s", r.CertificatePath, why)
		}
	}
	return nil
}

// CheckModify is what the driver of that name checks of a modification, which may give the nodes of its clusters other
// registries. Of a VNF
// that is none of them, the property is whatever its VNFD makes of it.
func CheckModify(ctx context.Context, m driver.Modification, name string) error {
	makes := func(f *vnfpkg.Flavour) bool { return f != nil && slices.Contains(f.Drivers(), name) }
	list, given := m.Registries(m.Instance)
	if !given {
		return nil
	}
	info := m.Instance.Instantiated
	if info == nil {
		if list != nil && slices.ContainsFunc(m.Vnfd.Flavours, func(f vnfpkg.Flavour) bool { return makes(&f) }) {
			return lcm.Errorf(lcm.KindConflict,
				"The VNF instance %s is not instantiated: its registries are named in additionalParams when it is.", m.Instance.ID)
		}
		return nil
	}
	flavour, err := m.Vnfd.Flavour(info.FlavourID)
	if err != nil || !makes(flavour) {
		return err
	}
	if info.VnfState == lcm.VnfStopped || len(info.StoppedServers()) > 0 {
		return lcm.Errorf(lcm.KindConflict,
			"Nodes of the VNF instance %s are stopped: start them before its registries are changed.", m.Instance.ID)
	}
	doc, err := json.Marshal(list)
	if err != nil {
		return lcm.Wrap(lcm.KindBug, err, "The registries cannot be read.")
	}
	registries, problems := k8s.CheckRegistries(doc)
	m.Found.Mistake(problems...)
	return CheckCertificates(ctx, lcm.RegistriesPath, registries, m.Package, m.Found)
}
