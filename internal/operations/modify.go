package operations

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/onboard"
)

// Modified implements activities.Facts. It checks here that the VIMs exist; later only the store would report a missing
// VIM.
func (r *Resolver) Modified(ctx context.Context, id lcm.OpOccID) (lcm.VnfInstance, lcm.VnfInfoModifications, error) {
	o, err := r.Load(ctx, id)
	if err != nil {
		return lcm.VnfInstance{}, lcm.VnfInfoModifications{}, err
	}
	for _, c := range o.Modified.VimConnections {
		if c.Registered() == "" {
			continue
		}
		if _, err := r.Store.Vim(ctx, c.VimID); lcm.Is(err, lcm.KindNotFound) {
			return o.Instance, o.Modified, lcm.Errorf(lcm.KindConflict, "The VIM %s of the connection %s is not registered any "+
				"more. Roll the modification back, and name another one.", c.VimID, c.ID)
		} else if err != nil {
			return o.Instance, o.Modified, err
		}
	}
	return o.Instance, o.Modified, nil
}

// modify applies the operation's modifications to the present instance.
func (r *Resolver) modify(
	ctx context.Context, inst lcm.VnfInstance, opOcc lcm.VnfLcmOpOcc, request lcm.ModifyRequest,
) (lcm.VnfInstance, lcm.VnfInfoModifications, error) {
	if opOcc.State.Terminal() { // already applied, or never will be
		return inst, lcm.VnfInfoModifications{}, nil
	}
	if err := lcm.KeepSecrets(request.VimConnections, inst); err != nil {
		return inst, lcm.VnfInfoModifications{}, err
	}
	var pkg *lcm.VnfPkg
	if request.VnfdID != "" || request.VnfPkgID != "" {
		found, err := r.packageOf(ctx, request)
		if err != nil {
			return inst, lcm.VnfInfoModifications{}, err
		}
		if found.OperationalState != lcm.PkgEnabled {
			return inst, lcm.VnfInfoModifications{}, lcm.Errorf(lcm.KindConflict, "The VNF package %s has been %s meanwhile.",
				found.ID, found.OperationalState)
		}
		pkg = &found
	}
	next, err := onboard.Successor(ctx, r.Store, inst, pkg)
	if err != nil {
		return inst, lcm.VnfInfoModifications{}, err
	}
	after, done, err := request.Apply(inst, next)
	if err == nil {
		after, err = k8s.Modified(request, inst, after)
	}
	if err != nil {
		return inst, lcm.VnfInfoModifications{}, err
	}
	return after, done, nil
}

// takeConnections merges the vimConnectionInfo of a request that patches VIM connections into the instance. The
// operation uses the changed connection; other operations use it after this one is complete.
func (o *Operation) takeConnections() (err error) {
	request, ok := o.Own.(lcm.PatchingVims)
	if !ok || o.OpOcc.State.Terminal() || len(request.VimPatches()) == 0 || o.OpOcc.ID == "" {
		return nil // without an id it is not accepted yet: the API server checks the connections
	}
	if err := lcm.KeepSecrets(request.VimPatches(), o.Instance); err != nil {
		return err
	}
	former := o.Instance.VimConnections
	if o.Instance, o.Modified, err = lcm.PatchVims(o.Instance, request.VimPatches()); err != nil {
		return err
	}
	o.FormerVims = append([]lcm.VimConnectionInfo{}, former...)
	return nil
}

func (r *Resolver) packageOf(ctx context.Context, request lcm.ModifyRequest) (lcm.VnfPkg, error) {
	if request.VnfdID != "" {
		return r.Store.PackageByVnfd(ctx, request.VnfdID)
	}
	return r.Store.Package(ctx, request.VnfPkgID)
}

// ChangedConnections returns the VIM connections that a modification or a CHANGE_EXT_CONN changes, if the VNF uses
// their VIM type. For an instantiated VNF they are only the connections of its resources.
func (o *Operation) ChangedConnections() (out []lcm.VimConnectionInfo) {
	for _, c := range o.Instance.VimConnections {
		changes := slices.ContainsFunc(o.Modified.VimConnections, func(m lcm.VimConnectionInfo) bool { return m.ID == c.ID })
		if changes && o.IsOn(c.Kind()) && (o.Instance.Instantiated == nil || o.Instance.Uses(c.ID)) {
			out = append(out, c)
		}
	}
	return out
}
