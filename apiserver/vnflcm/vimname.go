package vnflcm

import (
	"context"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// checkVimName refuses the VIM name of a new cluster if another VIM has the name, or will get it. Else the operation
// would fail in its last step, after the cluster is made.
func (a *api) checkVimName(
	ctx context.Context, inst lcm.VnfInstance, f *vnfpkg.Flavour, req lcm.InstantiateRequest, found *driver.Findings,
) error {
	name := vimNameOf(inst, f, req.AdditionalParams)
	if name == "" {
		return nil
	}
	holder, err := a.Store.VimNameHolder(ctx, inst, name)
	if err != nil {
		return err
	}
	if e, ok := rest.AsError(holder.Problem(name)); ok {
		found.Named(e.Problems...)
	}
	return nil
}

// registersVim is vimNameOf for a request that was checked.
func (a *api) registersVim(ctx context.Context, inst lcm.VnfInstance, req lcm.InstantiateRequest) (string, error) {
	pkg, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return "", err
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return "", err
	}
	flavour, err := vnfd.Flavour(req.FlavourID)
	if err != nil {
		return "", err
	}
	return vimNameOf(inst, flavour, req.AdditionalParams), nil
}
