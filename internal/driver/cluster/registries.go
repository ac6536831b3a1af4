package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// CheckCertificates checks that each registry's certificate is in the package, and that it is one.
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

// CheckModify checks a modification for the driver of that name: the modification may give the nodes of its clusters
// other registries. In a VNF of another driver, the VNFD alone says what the property means.
func CheckModify(ctx context.Context, m driver.Modification, name string) error {
	makes := func(f *descriptor.Flavour) bool { return f != nil && slices.Contains(f.Drivers(), name) }
	list, given := m.Registries(m.Instance)
	if !given {
		return nil
	}
	info := m.Instance.Instantiated
	if info == nil {
		if list != nil && slices.ContainsFunc(m.Vnfd.Flavours, func(f descriptor.Flavour) bool { return makes(&f) }) {
			return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is not instantiated: name its registries in "+
				"additionalParams of the instantiation.", m.Instance.ID)
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
