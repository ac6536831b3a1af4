package vnflcm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// packageOfNFVO takes a package over from the NFVO: a worker fetches it, and it is on board here from then on. It is
// NotFound if the NFVO has no such package. It is a 503 if the fetch takes longer than a request may: the client then
// asks again.
func (h *Handler) packageOfNFVO(ctx context.Context, id lcm.VnfdID) (lcm.VnfPkg, error) {
	has, err := h.NFVOPackages.HasPackage(ctx, id)
	if err != nil {
		return lcm.VnfPkg{}, lcm.Wrap(lcm.KindUnavailable, err,
			"The VNFD %s is not on-boarded here, and Windlass could not ask the NFVO: %s", id, rest.Sentence(err))
	}
	if !has {
		return lcm.VnfPkg{}, lcm.Errorf(lcm.KindNotFound, "Neither Windlass nor the NFVO has the VNFD %s.", id)
	}
	source, err := json.Marshal(map[string]lcm.VnfdID{"nfvoVnfdId": id}) // an lcm.PkgSource
	if err != nil {
		return lcm.VnfPkg{}, err
	}
	pkg, err := h.Store.AdoptPackage(ctx, lcm.VnfPkg{
		ID: rest.NewID[lcm.VnfPkgID](), OnboardingState: lcm.PkgUploading, OperationalState: lcm.PkgDisabled,
		UsageState: lcm.PkgNotInUse, Source: source,
	}, id)
	if err != nil {
		return pkg, err
	}
	if err := h.Store.Nudge(ctx); err != nil {
		return pkg, err
	}
	return h.awaitPackage(ctx, pkg.ID, id)
}

// awaitPackage waits until a package that is fetched from the NFVO is on board, or cannot be.
func (h *Handler) awaitPackage(ctx context.Context, pkgID lcm.VnfPkgID, id lcm.VnfdID) (lcm.VnfPkg, error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(h.FetchPatience)
	defer end.Stop()
	later := lcm.Errorf(lcm.KindUnavailable, "Windlass is fetching the VNF package of the VNFD %s from the NFVO; try "+
		"again.", id)
	later.RetryAfter = 5 * time.Second
	for {
		pkg, err := h.Store.Package(ctx, pkgID)
		switch {
		case lcm.Is(err, lcm.KindNotFound): // another request has cleared it away
			return pkg, later
		case err != nil || pkg.OnboardingState == lcm.PkgOnboarded:
			return pkg, err
		case pkg.OnboardingState == lcm.PkgCreated && pkg.Error != nil:
			return pkg, h.failedAdoption(ctx, pkg, id)
		}
		select {
		case <-tick.C:
		case <-end.C:
			return pkg, later
		case <-ctx.Done():
			return pkg, ctx.Err()
		}
	}
}

// failedAdoption deletes a package that could not be fetched, so that another request tries anew.
func (h *Handler) failedAdoption(ctx context.Context, pkg lcm.VnfPkg, id lcm.VnfdID) error {
	if err := h.Store.DeletePackage(ctx, pkg.ID); err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return err
	}
	if pkg.Error.Kind == lcm.KindUnavailable {
		return lcm.Errorf(lcm.KindUnavailable, "The VNF package of the VNFD %s cannot be fetched from the NFVO: %s", id,
			pkg.Error.Sentence())
	}
	return rest.Unprocessable("$.vnfdId", "the NFVO's package of the VNFD %q cannot be used: %s", id, pkg.Error.Sentence())
}
