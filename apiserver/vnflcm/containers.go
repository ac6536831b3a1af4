package vnflcm

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// vimKindOf is the kind of VIM that a VNF of the request's flavour is on.
func vimKindOf(vnfd *vnfpkg.Vnfd, req lcm.InstantiateRequest) string {
	f, _ := vnfd.Flavour(req.FlavourID) // one that the VNFD does not have is told elsewhere
	return operations.VimKind(f)
}

// checkManifests reads the manifests of a containerised VNF as the worker will, and throws them away.
func (a *api) checkManifests(
	ctx context.Context, f *vnfpkg.Flavour, req lcm.InstantiateRequest, id lcm.VnfPkgID, found *driver.Findings,
) error {
	p, problems := cnf.ReadParams(req.AdditionalParams)
	found.Mistake(problems...)
	manifests, err := cnf.Read(p, func(path string) ([]byte, error) { return a.Store.PackageFile(ctx, id, path) })
	if err != nil {
		return err
	}
	found.Named(manifests.Missing...)
	found.Mistake(manifests.Broken...)
	if len(problems)+len(manifests.Missing)+len(manifests.Broken) > 0 {
		return nil // what the VDUs are follows from the rest
	}
	_, problems = cnf.Workloads(f, p, manifests.Objects)
	found.Mistake(problems...)
	if a.Number == 2 {
		found.Mistake(cnf.Agreed(p, manifests.Objects)...)
	}
	return nil
}
