package vnflcm

import (
	"context"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// planFlavour plans a change of the deployment flavour, so that an impossible request is refused at once (SOL003 clause
// 5.4.7).
func (a *api) planFlavour(
	ctx context.Context, inst lcm.VnfInstance, r asked,
) (p lcm.Plan, facts lifecycle.Facts, err error) {
	if err := a.CheckReady(ctx, inst); err != nil {
		return p, facts, err
	}
	req, err := lcm.RequestAs[lcm.ChangeFlavourRequest](r.Request)
	if err != nil {
		return p, facts, err
	}
	pkg, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return p, facts, err
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return p, facts, err
	}
	found := r.found()
	if _, err := vnfd.Flavour(req.NewFlavourID); err != nil {
		found.Names("$.newFlavourId", "%s", rest.Sentence(err))
	}
	if err := found.Err(); err != nil {
		return p, facts, err
	}
	o, err := a.operation(ctx, inst, r)
	if err != nil {
		return p, facts, err
	}
	if facts, err = o.Facts(nil); err != nil {
		return p, facts, err
	}
	facts.ChangesVim = lcm.ChangesVim(inst, req.VimConnections)
	if p, err = lifecycle.For(facts, req); err != nil {
		return p, facts, err
	}
	return p, facts, a.checkNewFlavour(ctx, inst, pkg, o, req)
}

// checkNewFlavour checks what an instantiation with the new flavour would, and that the VNF can change to it.
func (a *api) checkNewFlavour(
	ctx context.Context, inst lcm.VnfInstance, pkg lcm.VnfPkg, o *operations.Operation, req lcm.ChangeFlavourRequest,
) (err error) {
	var found driver.Findings
	if err := a.checkVimPatches(ctx, inst, req, &found); err != nil {
		return err
	}
	after := o.Request
	if after.AdditionalParams, err = secrets.OpenDocument(ctx, a.Vault, after.AdditionalParams); err != nil {
		return err
	}
	checkManagedLinks(after, &found)
	a.checkUserData(after, pkg, &found)
	if o.SeparateResources() != o.Before.SeparateResources() {
		found.Names("$.additionalParams."+lcm.UserDataClassParam, "only one of this class and the former one makes a resource "+
			"for each VNFC, so that all VNFCs would be made anew")
	}
	kinds := o.VimKinds()
	if err := a.checkParts(ctx, inst, o.Flavour, kinds, after, &found); err != nil {
		return err
	}
	if err := found.Err(); err != nil || o.Flavour.Containers || !kinds[0].TakesTemplates {
		return err
	}
	return a.checkTemplates(ctx, inst, o.Before.Flavour.Part(false), o.Flavour.Part(false))
}

// checkTemplates requires that one stack can have what both flavours have.
func (a *api) checkTemplates(ctx context.Context, inst lcm.VnfInstance, former, next *descriptor.Flavour) error {
	read := func(path string) ([]byte, error) { return a.Store.PackageFile(ctx, inst.VnfPkgID, path) }
	was, err := hot.StackTemplate(former, read)
	if err != nil {
		return err
	}
	is, err := hot.StackTemplate(next, read)
	if err != nil {
		return err
	}
	_, _, err = is.Keeping(next, was, former)
	return err
}
