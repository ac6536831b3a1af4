package vnflcm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// usablePackage finds the package of a VNFD that may be instantiated; SOL003 wants 422 for every other.
func (h *Handler) usablePackage(ctx context.Context, id lcm.VnfdID) (lcm.VnfPkg, error) {
	pkg, err := h.Store.PackageByVnfd(ctx, id)
	if lcm.Is(err, lcm.KindNotFound) && h.NFVOPackages != nil {
		pkg, err = h.packageOfNFVO(ctx, id)
	}
	if lcm.Is(err, lcm.KindNotFound) {
		return pkg, rest.Unprocessable("$.vnfdId", "no on-boarded VNF package has the VNFD %q", id)
	}
	if err == nil && pkg.OperationalState != lcm.PkgEnabled {
		return pkg, rest.Unprocessable("$.vnfdId", "the VNF package %s of the VNFD %q is %s: enable it first", pkg.ID,
			id, pkg.OperationalState)
	}
	return pkg, err
}

// validateInstantiate finds everything that can be known to fail before anything is created.
func (a *api) validateInstantiate(ctx context.Context, inst lcm.VnfInstance, r *asked) error {
	req, err := lcm.RequestAs[lcm.InstantiateRequest](r.Request)
	if err != nil {
		return err
	}
	pkg, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return err
	}
	if pkg.OperationalState != lcm.PkgEnabled {
		return rest.Unprocessable("$.vnfdId", "the VNF package %s of this VNF instance is %s: enable it first", pkg.ID,
			pkg.OperationalState)
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return err
	}
	found := r.found()
	kinds, err := a.vimKindsOf(ctx, inst, &vnfd, req)
	if err != nil {
		return err
	}
	if err := a.checkVims(ctx, inst, kinds, req, &found); err != nil {
		return err
	}
	checkManagedLinks(req, &found)
	a.checkUserData(req, pkg, &found)
	if flavour, err := vnfd.Flavour(req.FlavourID); err != nil {
		found.Names("$.flavourId", "%s", rest.Sentence(err))
	} else {
		drivers := all.Drivers.Bind(flavour, req.AdditionalParams)
		if err := a.checkDrivers(ctx, flavour, kinds[0], req, drivers, pkg, &found); err != nil {
			return err
		}
		r.registersVim = driver.VimName(inst.ID, driver.Drivers(drivers))
		if err := a.checkVimName(ctx, inst, r.registersVim, &found); err != nil {
			return err
		}
		if err := a.checkParts(ctx, inst, flavour, kinds, req, &found); err != nil {
			return err
		}
	}
	return found.Err()
}

// checkParts checks the parameters for each kind of VIM that the VNF uses.
func (a *api) checkParts(
	ctx context.Context, inst lcm.VnfInstance, f *descriptor.Flavour, kinds []lcm.VimKind, req lcm.InstantiateRequest,
	found *driver.Findings,
) error {
	whole := operations.Operation{Flavour: f, Request: req}
	if servers := whole.Part(false); !servers.Flavour.Containers && kinds[0].TakesTemplates {
		if err := a.checkStack(ctx, servers.Flavour, servers.Request, inst.VnfPkgID, found); err != nil {
			return err
		}
	}
	pods := whole.Part(true)
	if !pods.Flavour.Containers {
		found.Mistake(cnf.Unasked(req.AdditionalParams, f)...)
		return nil
	}
	v, err := a.checkContainers(ctx, inst, pods.Flavour, req.AdditionalParams, found)
	if err != nil {
		return err
	}
	a.checkNetworks(pods.Flavour, pods.Request, v, found)
	return a.checkReplicas(ctx, pods.Flavour, req, v, found)
}

// checkStack makes the stack's parameters as the worker will, and throws them away. So the client hears now of
// parameters that the templates want and the request lacks.
func (a *api) checkStack(
	ctx context.Context, f *descriptor.Flavour, req lcm.InstantiateRequest, id lcm.VnfPkgID, found *driver.Findings,
) error {
	if _, err := f.Level(req.InstantiationLevelID); err != nil {
		return nil // reported already
	}
	template, err := hot.StackTemplate(f, func(path string) ([]byte, error) {
		return a.Store.PackageFile(ctx, id, path)
	})
	var additional map[string]any
	if err == nil && len(req.AdditionalParams) > 0 {
		err = json.Unmarshal(req.AdditionalParams, &additional)
	}
	given := hot.Request{
		LevelID: req.InstantiationLevelID, ExtVirtualLinks: req.ExtVirtualLinks,
		ExtManagedVirtualLinks: req.ExtManagedVirtualLinks, AdditionalParams: additional,
	}
	if err == nil {
		template, err = template.Managed(f, req.ExtManagedVirtualLinks)
	}
	builtIn := lcm.ParseUserData(req.AdditionalParams).BuiltIn(a.Python)
	if err == nil && builtIn { // else a worker runs the class
		err = checkPorts(f, template, req, found)
	}
	if err == nil && lcm.ParseUserData(req.AdditionalParams).SeparateResources() {
		template, given.Members, err = separate(f, template, req)
	}
	if err == nil && builtIn {
		_, err = hot.Parameters(f, template, given)
	}
	if !a.GrantedByNFVO {
		found.Mistake(hot.Unmanaged(f, req.ExtManagedVirtualLinks)...)
	}
	e, ok := rest.AsError(err)
	switch {
	case !ok || e.Kind != lcm.KindInvalid:
		return err
	case len(e.Problems) == 0:
		found.Names("$.flavourId", "%s", e.Sentence())
	default:
		found.Mistake(a.withoutNetworks(e.Problems)...)
	}
	return nil
}

// checkPorts wants the templates to take the ports that the request gives.
func checkPorts(
	f *descriptor.Flavour, template hot.Template, req lcm.InstantiateRequest, found *driver.Findings,
) error {
	capacity, err := f.Capacity(req.InstantiationLevelID)
	if err != nil {
		return err
	}
	var members descriptor.Members
	if lcm.ParseUserData(req.AdditionalParams).SeparateResources() {
		members = descriptor.FirstMembers(capacity)
	}
	problems, err := template.PortsProblems(f, req.ExtVirtualLinks, capacity, members)
	for _, p := range problems {
		found.Names(p.Path, "%s", p.Detail)
	}
	return err
}

// withoutNetworks removes the problems of missing networks if an NFVO may grant them: the check is repeated with the
// grant.
func (a *api) withoutNetworks(problems []lcm.Problem) []lcm.Problem {
	return slices.DeleteFunc(slices.Clone(problems),
		func(p lcm.Problem) bool { return a.GrantedByNFVO && p.Path == hot.LinksPath })
}

// separate makes each VNFC of the level a separate resource, as the request's user data class wants.
func separate(
	f *descriptor.Flavour, t hot.Template, req lcm.InstantiateRequest,
) (hot.Template, descriptor.Members, error) {
	capacity, err := f.Capacity(req.InstantiationLevelID)
	if err != nil {
		return t, nil, err
	}
	members := descriptor.FirstMembers(capacity)
	t, err = t.Separate(f, members)
	return t, members, err
}

// unregistered reports a VIM that the registry does not have. A connection that brings its own complete data needs no
// registered VIM.
func unregistered(path string, conn lcm.VimConnectionInfo, found *driver.Findings) {
	if conn.Bare() {
		found.Names(path+".vimId", "there is no VIM %q in the registry", conn.VimID)
		return
	}
	found.Names(path+".vimId", "there is no VIM %q in the registry, and the connection's own interfaceInfo and "+
		"accessInfo are not complete", conn.VimID)
	for _, p := range conn.OwnProblems(path) {
		found.Names(p.Path, "%s", p.Detail)
	}
}

// checkManagedLinks checks that networks in the place of internal ones are on VIMs that the request has connections to.
// The VNF is on one VIM; the rest is checked with the templates.
func checkManagedLinks(req lcm.InstantiateRequest, found *driver.Findings) {
	for i, l := range req.ExtManagedVirtualLinks {
		known := func(c lcm.VimConnectionInfo) bool {
			return l.VimConnectionID == c.ID || l.VimConnectionID == string(c.VimID)
		}
		if l.VimConnectionID != "" && len(req.VimConnections) > 0 && !slices.ContainsFunc(req.VimConnections, known) {
			found.Names(fmt.Sprintf("$.extManagedVirtualLinks[%d].vimConnectionId", i), "the request has no VIM connection %q",
				l.VimConnectionID)
		}
	}
}

// parseID brings a UUID into its usual form.
func parseID[T ~string](id T) (T, error) {
	u, err := uuid.Parse(string(id))
	if err != nil {
		return "", lcm.Wrap(lcm.KindNotFound, err, "There is no %q.", string(id))
	}
	return T(u.String()), nil
}
