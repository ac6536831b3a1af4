package operations

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// takePackage gives the instance of a CHANGE_VNFPKG its new package and the attributes of the request. Before keeps the
// VNF as it was.
func (r *Resolver) takePackage(ctx context.Context, o *Operation) error {
	request, ok := o.Own.(lcm.ChangeVnfPkgRequest)
	if !ok || o.OpOcc.State.Terminal() || o.Instance.Instantiated == nil {
		return nil
	}
	pkg, err := r.nextPackage(ctx, o.OpOcc, request)
	if err != nil {
		return err
	}
	if o.Before, err = r.asItIs(ctx, o.OpOcc); err != nil {
		return err
	}
	o.Instance, o.Modified, err = request.Apply(o.Instance, pkg)
	o.Package = &pkg
	return err
}

// asItIs resolves the VNF of an operation as it is before the operation.
func (r *Resolver) asItIs(ctx context.Context, opOcc lcm.VnfLcmOpOcc) (*Operation, error) {
	opOcc.Params, opOcc.Plan, opOcc.GrantID = nil, nil, ""
	return r.With(ctx, opOcc, lcm.TerminateRequest{}) // no other request says less about a VNF
}

// nextPackage returns the package that a CHANGE_VNFPKG gives the VNF. Once chosen it stays the same, even if another
// package with the same VNFD arrives.
func (r *Resolver) nextPackage(
	ctx context.Context, opOcc lcm.VnfLcmOpOcc, request lcm.ChangeVnfPkgRequest,
) (pkg lcm.VnfPkg, err error) {
	if opOcc.Plan != nil && opOcc.Plan.VnfPkgID != "" {
		pkg, err = r.Store.Package(ctx, opOcc.Plan.VnfPkgID)
	} else {
		pkg, err = r.Store.PackageByVnfd(ctx, request.VnfdID)
	}
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return pkg, lcm.Errorf(lcm.KindConflict, "The VNF package of the VNFD %s is not on board any more. Roll the change "+
			"back, or on-board the package again and retry.", request.VnfdID)
	case err == nil && opOcc.ID != "" && pkg.OperationalState != lcm.PkgEnabled:
		return pkg, lcm.Errorf(lcm.KindConflict, "The VNF package %s has been %s meanwhile.", pkg.ID, pkg.OperationalState)
	}
	return pkg, err
}

// Repackaged merges the parameters of a change_vnfpkg into the VNF's parameters. If the request names its VDUs
// (vdu_params), the manifests of all other VDUs stay, and the request's files come after them.
func Repackaged(request lcm.ChangeVnfPkgRequest, stored json.RawMessage) (json.RawMessage, error) {
	if len(request.AdditionalParams) == 0 {
		return stored, nil
	}
	params, err := merged(orObject(stored), request.AdditionalParams)
	if err != nil {
		return stored, err
	}
	var all map[string]any
	if err := json.Unmarshal(params, &all); err != nil {
		return stored, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	change, _ := cnf.ReadChange(request.AdditionalParams) // its errors are reported elsewhere
	if change.Partial() {
		before, _ := cnf.ReadParams(stored)
		after, _ := cnf.ReadParams(params)
		files := before.Files
		for _, file := range after.Files {
			files = append(slices.DeleteFunc(files, func(f string) bool { return f == file }), file)
		}
		all[cnf.FilesMember] = files
	}
	for _, member := range cnf.ChangeMembers { // they concern only the change, not the VNF
		delete(all, member)
	}
	return json.Marshal(all)
}

// keptSizes returns the number of VNFCs of each VDU, also for VDUs that the VNF did not have before.
func (o *Operation) keptSizes() (map[string]int, error) {
	out := o.Recorded()
	if o.Before == nil {
		return out, nil
	}
	plan, err := o.Plan(nil)
	if err != nil {
		return nil, err
	}
	for _, g := range plan.Groups {
		out[g.VduID] = g.To
	}
	return out, nil
}

// changing adds the VNF before an operation that gives it another definition to facts, and the id of its package
// afterwards.
func (o *Operation) changing(facts *lifecycle.Facts) {
	if o.Before == nil {
		return
	}
	facts.VnfPkgID, facts.FormerFlavour = o.Instance.VnfPkgID, o.Before.Flavour
	facts.FormerDrivers = driver.Drivers(o.Before.Bound()) // also those whose parameters cannot be read any more
}
