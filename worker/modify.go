package worker

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/onboard"
)

// Modified implements activities.Facts. The VIMs are looked for here: later only the store would say that one is gone.
func (o *operations) Modified(ctx context.Context, id lcm.OpOccID) (lcm.VnfInstance, lcm.VnfInfoModifications, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return lcm.VnfInstance{}, lcm.VnfInfoModifications{}, err
	}
	for _, c := range j.modified.VimConnections {
		if c.Registered() == "" {
			continue
		}
		if _, err := o.store.Vim(ctx, c.VimID); lcm.Is(err, lcm.KindNotFound) {
			return j.inst, j.modified, lcm.Errorf(lcm.KindConflict, "The VIM %s of the connection %s is not registered any more. Roll the modification back, and name another one.", c.VimID, c.ID)
		} else if err != nil {
			return j.inst, j.modified, err
		}
	}
	return j.inst, j.modified, nil
}

// modify makes the modifications of the operation on the instance, as it is now.
func (o *operations) modify(ctx context.Context, inst lcm.VnfInstance, opOcc lcm.VnfLcmOpOcc) (lcm.VnfInstance, lcm.VnfInfoModifications, error) {
	if opOcc.State.Terminal() { // it is made already, or never will be
		return inst, lcm.VnfInfoModifications{}, nil
	}
	request, err := lcm.ParseModify(opOcc.Params)
	if err != nil {
		return inst, lcm.VnfInfoModifications{}, err
	}
	if err := request.VimConnections.KeepSecrets(inst); err != nil {
		return inst, lcm.VnfInfoModifications{}, err
	}
	var pkg *lcm.VnfPkg
	if request.VnfdID != "" || request.VnfPkgID != "" {
		found, err := o.packageOf(ctx, request)
		if err != nil {
			return inst, lcm.VnfInfoModifications{}, err
		}
		if found.OperationalState != lcm.PkgEnabled {
			return inst, lcm.VnfInfoModifications{}, lcm.Errorf(lcm.KindConflict, "The VNF package %s has been %s meanwhile.", found.ID, found.OperationalState)
		}
		pkg = &found
	}
	next, err := onboard.Successor(ctx, o.store, inst, pkg)
	if err != nil {
		return inst, lcm.VnfInfoModifications{}, err
	}
	return request.Apply(inst, next)
}

// takeConnections lays the vimConnectionInfo of a CHANGE_EXT_CONN over that of the instance: the operation works on the changed
// connection, which counts for others when it is complete.
func (j *job) takeConnections() error {
	if j.opOcc.Operation != lcm.OpChangeExtConn || j.opOcc.State.Terminal() {
		return nil
	}
	request, err := lcm.ParseChangeExtConn(j.opOcc.Params)
	if err != nil || len(request.VimConnections) == 0 {
		return err
	}
	if err := request.VimConnections.KeepSecrets(j.inst); err != nil {
		return err
	}
	former := j.inst.VimConnections
	if j.inst, j.modified, err = request.Apply(j.inst); err != nil {
		return err
	}
	j.formerVims = append([]lcm.VimConnectionInfo{}, former...)
	return nil
}

func (o *operations) packageOf(ctx context.Context, request lcm.ModifyRequest) (lcm.VnfPkg, error) {
	if request.VnfdID != "" {
		return o.store.PackageByVnfd(ctx, request.VnfdID)
	}
	return o.store.Package(ctx, request.VnfPkgID)
}

// changedConnections are the connections to an OpenStack that a modification or a CHANGE_EXT_CONN changes: of an instantiated VNF, those that
// its resources are on.
func (j *job) changedConnections() (out []lcm.VimConnectionInfo) {
	for _, c := range j.inst.VimConnections {
		changes := slices.ContainsFunc(j.modified.VimConnections, func(m lcm.VimConnectionInfo) bool { return m.ID == c.ID })
		if changes && c.IsOpenStack() && (j.inst.Instantiated == nil || j.inst.Uses(c.ID)) {
			out = append(out, c)
		}
	}
	return out
}
