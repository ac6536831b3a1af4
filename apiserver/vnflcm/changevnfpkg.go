package vnflcm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// planPackage plans a change of the VNF package, so that an impossible request is refused at once (SOL003 v3.3.1 clause
// 5.4.11a, for VNFs of containers).
func (a *api) planPackage(
	ctx context.Context, inst lcm.VnfInstance, r asked,
) (p lcm.Plan, facts lifecycle.Facts, err error) {
	if err := a.CheckReady(ctx, inst); err != nil {
		return p, facts, err
	}
	req, err := lcm.RequestAs[lcm.ChangeVnfPkgRequest](r.Request)
	if err != nil {
		return p, facts, err
	}
	pkg, err := a.usablePackage(ctx, req.VnfdID)
	if err != nil {
		return p, facts, err
	}
	if err := a.checkSuccessor(ctx, inst, pkg, req); err != nil {
		return p, facts, err
	}
	o, err := a.operation(ctx, inst, r)
	if err != nil {
		return p, facts, err
	}
	if facts, err = o.Facts(nil); err != nil {
		return p, facts, err
	}
	p, err = lifecycle.For(facts, req)
	return p, facts, err
}

// changesPackages refuses the task for VNFs on VIMs that do not support another package for a running VNF: they do not
// have the task.
func (a *api) changesPackages(ctx context.Context, inst lcm.VnfInstance) error {
	pkg, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return err
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return err
	}
	for _, f := range vnfd.Flavours {
		able := slices.ContainsFunc(lifecycle.VimKinds(&f), func(k lcm.VimKind) bool { return k.ChangesPackages })
		if able && (inst.Instantiated == nil || inst.Instantiated.FlavourID == f.ID) {
			return nil
		}
	}
	return lcm.Errorf(lcm.KindNotFound, "The VNF instance %s does not support another VNF package: terminate it, and modify "+
		"vnfdId while it is not instantiated.", inst.ID)
}

// checkSuccessor looks at the package that the VNF is to get, as an instantiation of it would.
func (a *api) checkSuccessor(
	ctx context.Context, inst lcm.VnfInstance, pkg lcm.VnfPkg, req lcm.ChangeVnfPkgRequest,
) error {
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return err
	}
	flavour, err := vnfd.Flavour(inst.Instantiated.FlavourID)
	pods := (*descriptor.Flavour)(nil)
	if err == nil {
		pods = flavour.Part(true)
	}
	if pods == nil {
		return rest.Unprocessable("$.vnfdId", "the VNF has the deployment flavour %s of containers, but the VNFD %q "+
			"has no such flavour", inst.Instantiated.FlavourID, req.VnfdID)
	}
	var found driver.Findings
	change, problems := cnf.ReadChange(req.AdditionalParams)
	found.Mistake(problems...)
	found.Mistake(change.Problems(pods)...)
	if err := a.checkServersStay(ctx, inst, pkg, flavour); err != nil {
		return err
	}
	former := *inst.Instantiated
	if former.AdditionalParams, err = secrets.OpenDocument(ctx, a.Vault, former.AdditionalParams); err != nil {
		return err
	}
	inst.Instantiated = &former
	params, err := operations.Repackaged(req, inst.Instantiated.AdditionalParams)
	if err != nil {
		return err
	}
	inst.VnfPkgID = pkg.ID
	if _, err := a.checkContainers(ctx, inst, pods, params, &found); err != nil {
		return err
	}
	return found.Err()
}

// checkServersStay requires that the VMs of a hybrid VNF are the same in the new package: only containers are rolled
// over to a new package.
func (a *api) checkServersStay(
	ctx context.Context, inst lcm.VnfInstance, pkg lcm.VnfPkg, next *descriptor.Flavour,
) error {
	present, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return err
	}
	vnfd, err := rest.VnfdOf(present)
	if err != nil {
		return err
	}
	now, err := vnfd.Flavour(inst.Instantiated.FlavourID)
	if err != nil {
		return err
	}
	if !now.Hybrid && !next.Hybrid {
		return nil
	}
	differences := now.ServersDiffer(next)
	if servers := now.Part(false); len(differences) == 0 && servers != nil {
		file := func(id lcm.VnfPkgID) func(string) ([]byte, error) {
			return func(path string) ([]byte, error) { return a.Store.PackageFile(ctx, id, path) }
		}
		if differences, err = servers.DifferingFiles(next.Part(false), file(present.ID), file(pkg.ID)); err != nil {
			return err
		}
	}
	if len(differences) == 0 {
		return nil
	}
	const most = 10
	if more := len(differences) - most; more > 0 {
		differences = append(differences[:most], fmt.Sprintf("%d more", more))
	}
	return lcm.Errorf(lcm.KindConflict, "The VNF instance %s can get another package for its containers only, but the "+
		"VMs of the package %s differ in: %s. Terminate the VNF, and modify vnfdId while it is not instantiated.",
		inst.ID, pkg.ID, strings.Join(differences, ", "))
}
