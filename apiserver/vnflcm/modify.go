package vnflcm

import (
	"context"
	"fmt"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/onboard"
)

const mimeMergePatch = "application/merge-patch+json"

// modifyInstance is SOL003 clause 5.4.3.3.4. Tacker's clients send plain JSON.
func (a *api) modifyInstance(c echo.Context) error {
	inst, err := a.PathInstance(c)
	if err != nil {
		return err
	}
	body, err := rest.ReadJSON(c, mimeMergePatch)
	if err != nil {
		return err
	}
	if a.Number == 1 {
		body = inCamelCase(body)
	}
	r, err := a.read(c.Request().Context(), inst, lcm.OpModifyInfo, body)
	if err != nil {
		return err
	}
	if err := matches(c, inst); err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := a.Store.CheckIdle(ctx, inst.ID); err != nil {
		return err
	}
	if err := a.validateModify(ctx, inst, &r); err != nil {
		return err
	}
	if err := a.begin(c, inst, r); err != nil {
		return a.orChanged(c, inst.ID, err)
	}
	return nil
}

// validateModify refuses a change that the instance's state does not allow, and names of resources that do not exist.
func (a *api) validateModify(ctx context.Context, inst lcm.VnfInstance, r *asked) error {
	req, err := lcm.RequestAs[lcm.ModifyRequest](r.Request)
	if err != nil {
		return err
	}
	var found driver.Findings
	pkg, err := a.packageFor(ctx, req, &found)
	if err != nil {
		return err
	}
	next, err := onboard.Successor(ctx, a.Store, inst, pkg)
	if err != nil {
		return err
	}
	after, _, err := req.Apply(inst, next)
	if err != nil {
		return err
	}
	if req.Metadata.Given {
		found.Mistake(lcm.VnfcMappingProblems(after.Metadata)...)
	}
	if err := a.checkModification(ctx, inst, req, &found); err != nil {
		return err
	}
	if err := a.checkConnections(ctx, req.VimConnections, inst, after, &found); err != nil {
		return err
	}
	return found.Err()
}

// checkConnections checks the connections that a merge patch adds or changes, in their final state. Existing secrets
// stay with the address that they were given for.
func (a *api) checkConnections(
	ctx context.Context, patch []lcm.VimConnectionPatch, before, after lcm.VnfInstance, found *driver.Findings,
) error {
	if len(patch) == 0 {
		return nil
	}
	kinds, err := a.modifiedKinds(ctx, after)
	if err != nil {
		return err
	}
	for i, p := range patch {
		at := slices.IndexFunc(after.VimConnections, func(v lcm.VimConnectionInfo) bool { return v.ID == p.ID })
		if p.Removes() || at < 0 {
			continue
		}
		path := fmt.Sprintf("$.vimConnectionInfo[%d]", i)
		if a.Number == 2 {
			path = lcm.MemberPath("$.vimConnectionInfo", p.ID)
		}
		if _, err := a.checkVim(ctx, path, kinds, after.VimConnections[at], found); err != nil {
			return err
		}
		if err := a.checkAddress(ctx, path, after.VimConnections[at], found); err != nil {
			return err
		}
		a.checkEndpoint(path, after.VimConnections[at], found)
		if had := slices.IndexFunc(before.VimConnections,
			func(v lcm.VimConnectionInfo) bool { return v.ID == p.ID }); had >= 0 {
			found.Mistake(p.MovedSecrets(path, before.VimConnections[had])...)
		}
	}
	return nil
}

// modifiedKinds are the kinds of VIMs that the VNF uses: by its flavour, or by the first flavour of its VNFD while the
// VNF has none.
func (a *api) modifiedKinds(ctx context.Context, inst lcm.VnfInstance) ([]lcm.VimKind, error) {
	pkg, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return nil, err
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return nil, err
	}
	var of lcm.InstantiateRequest
	switch {
	case inst.Instantiated != nil:
		of.FlavourID = inst.Instantiated.FlavourID
	case len(vnfd.Flavours) > 0:
		of.FlavourID = vnfd.Flavours[0].ID
	}
	return vimKindsOf(&vnfd, of), nil
}

// packageFor is the package that the request names by the package's id or by its VNFD's id; nil if the request names
// none.
func (a *api) packageFor(ctx context.Context, req lcm.ModifyRequest, found *driver.Findings) (*lcm.VnfPkg, error) {
	if req.VnfdID == "" && req.VnfPkgID == "" {
		return nil, nil
	}
	path := "$.vnfdId"
	pkg, err := a.Store.PackageByVnfd(ctx, req.VnfdID)
	if req.VnfdID == "" {
		path = "$.vnfPkgId"
		pkg, err = a.Store.Package(ctx, req.VnfPkgID)
	}
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		found.Names(path, "there is no such VNF package")
		return nil, nil
	case err != nil:
		return nil, err
	case req.VnfPkgID != "" && req.VnfPkgID != pkg.ID:
		found.Mistake(lcm.Problem{
			Path:   "$.vnfPkgId",
			Detail: fmt.Sprintf("is not the VNF package of the VNFD %s: that package is %s", req.VnfdID, pkg.ID),
		})
	case pkg.OnboardingState != lcm.PkgOnboarded || pkg.OperationalState != lcm.PkgEnabled:
		found.Names(path, "the VNF package %s is %s and %s", pkg.ID, pkg.OnboardingState, pkg.OperationalState)
	}
	return &pkg, nil
}
