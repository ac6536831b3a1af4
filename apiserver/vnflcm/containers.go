package vnflcm

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// vimKindsOf are the kinds of VIMs that a VNF of the request's flavour is on.
func (a *api) vimKindsOf(
	ctx context.Context, inst lcm.VnfInstance, vnfd *descriptor.Vnfd, req lcm.InstantiateRequest,
) ([]lcm.VimKind, error) {
	f, _ := vnfd.Flavour(req.FlavourID) // another check reports an unknown flavour
	types, err := a.vimTypes(ctx, slices.Concat(req.VimConnections, inst.VimConnections))
	return lifecycle.VimKinds(f, types...), err
}

// checkContainers reads the manifests and charts of a containerised VNF as the worker will. It returns nothing if they
// cannot be used.
func (a *api) checkContainers(
	ctx context.Context, inst lcm.VnfInstance, f *descriptor.Flavour, additionalParams json.RawMessage,
	found *driver.Findings,
) (*cnf.VNF, error) {
	away, err := a.fetchFiles(ctx, inst, additionalParams)
	if err != nil {
		return nil, err
	}
	found.Named(away...)
	v, err := cnf.Resolve(ctx, f, additionalParams, cnf.FilesOf(ctx, a.Store, inst.VnfPkgID, inst.ID), inst.ID)
	if err != nil {
		return nil, err
	}
	for _, missing := range v.Manifests.Missing {
		if !slices.ContainsFunc(away, func(p lcm.Problem) bool { return p.Path == missing.Path }) {
			found.Named(missing)
		}
	}
	found.Mistake(v.Wrong...)
	if len(v.Problems()) > 0 {
		return nil, nil
	}
	if a.Number == 2 {
		found.Mistake(cnf.Agreed(v.Params, v.Manifests.Objects)...)
	}
	return v, nil
}

// checkReplicas puts the numbers of Pods that the VNF begins with into the values of its charts.
func (a *api) checkReplicas(
	ctx context.Context, f *descriptor.Flavour, req lcm.InstantiateRequest, v *cnf.VNF, found *driver.Findings,
) error {
	if v == nil || a.Number == 1 && req.InstantiationLevelID == "" {
		return nil // in v1 it begins as its charts are
	}
	capacity, err := f.Capacity(req.InstantiationLevelID)
	if err != nil {
		return nil //nolint:nilerr // reported already
	}
	_, err = v.Releases(ctx, capacity)
	if e, ok := rest.AsError(err); ok && e.Kind == lcm.KindInvalid {
		if len(e.Problems) == 0 {
			found.Names("$.additionalParams", "%s", e.Sentence())
		}
		found.Mistake(e.Problems...)
		return nil
	}
	return err
}
