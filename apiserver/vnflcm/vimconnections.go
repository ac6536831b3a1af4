package vnflcm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// checkVims requires that every connection brings the endpoint and the credentials of a VIM, or names a registered VIM,
// of a kind that the VNF uses. Connections of other kinds are ignored. They are refused only if the request has no
// others: then the request means another VNF. A kind without a connection in the request uses the instance's
// connections, else the default VIM, else the NFVO's grant.
func (a *api) checkVims(
	ctx context.Context, inst lcm.VnfInstance, kinds []lcm.VimKind, req lcm.InstantiateRequest, found *driver.Findings,
) error {
	used, err := a.used(ctx, kinds, req.VimConnections)
	if err != nil {
		return err
	}
	wanted := kinds
	if len(used) > 0 {
		wanted = nil
	}
	var have []string
	for i, conn := range req.VimConnections {
		path := fmt.Sprintf("$.vimConnectionInfo[%d]", i)
		if a.Number == 2 {
			path = lcm.MemberPath("$.vimConnectionInfo", conn.ID)
		}
		kind, err := a.checkVim(ctx, path, wanted, conn, found)
		if err != nil {
			return err
		}
		have = append(have, kind)
		if err := a.checkAddress(ctx, path, conn, found); err != nil {
			return err
		}
		a.checkEndpoint(path, conn, found)
	}
	for _, kind := range kinds {
		alone := len(kinds) == 1 && len(req.VimConnections) > 0 // its mistakes are reported already
		if alone || slices.Contains(have, kind.Type) || hasVim(inst, kind.Type) {
			continue
		}
		if err := a.checkDefaultVim(ctx, kind, len(req.VimConnections) > 0, found); err != nil {
			return err
		}
	}
	return nil
}

// checkDefaultVim checks the VIM that replaces a missing connection to a kind of VIM. others is set if the request has
// connections to other kinds.
func (a *api) checkDefaultVim(ctx context.Context, kind lcm.VimKind, others bool, found *driver.Findings) error {
	missing := "is missing"
	if others {
		missing = "has no connection to a VIM of type " + kind.Type + ", which a part of the VNF needs"
	}
	vim, err := a.Store.DefaultVim(ctx)
	if err == nil && vim.Type != kind.Type && !a.GrantedByNFVO {
		found.Names("$.vimConnectionInfo", "%s, and the default VIM %s is of type %s; this VNF needs a VIM of type %s",
			missing,
			vim.Name, vim.Type, kind.Type)
	}
	if !lcm.Is(err, lcm.KindNotFound) {
		return err
	}
	if !a.GrantedByNFVO { // else the grant must bring a connection
		found.Names("$.vimConnectionInfo", "%s, and no VIM is registered as the default one", missing)
	}
	return nil
}

// used are the connections to VIMs of the kinds that a VNF is on.
func (a *api) used(
	ctx context.Context, kinds []lcm.VimKind, of []lcm.VimConnectionInfo,
) (out []lcm.VimConnectionInfo, err error) {
	for _, conn := range of {
		vimType, err := a.vimTypeOf(ctx, conn)
		if err != nil {
			return nil, err
		}
		if isOf(kinds, vimType) {
			out = append(out, conn)
		}
	}
	return out, nil
}

// vimTypeOf is the type of a connection's VIM: the registry's, if it has the VIM.
func (a *api) vimTypeOf(ctx context.Context, conn lcm.VimConnectionInfo) (string, error) {
	id, err := parseID(conn.VimID)
	if err != nil || conn.Registered() == "" {
		return conn.Kind(), nil //nolint:nilerr // reported by checkVim
	}
	vim, err := a.Store.Vim(ctx, id)
	if err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return "", err
	}
	return cmp.Or(vim.Type, conn.Kind()), nil
}

// vimTypes are the types of connections, and then that of the default VIM. There is nothing to choose, and so nothing to
// look for, if VNFCs can be on one kind of VIMs only.
func (a *api) vimTypes(ctx context.Context, of []lcm.VimConnectionInfo) (types []string, err error) {
	if !lcm.ChoosesVimKind() {
		return nil, nil
	}
	for _, conn := range of {
		vimType, err := a.vimTypeOf(ctx, conn)
		if err != nil {
			return nil, err
		}
		types = append(types, vimType)
	}
	vim, err := a.Store.DefaultVim(ctx)
	if err == nil {
		types = append(types, vim.Type)
	}
	if lcm.Is(err, lcm.KindNotFound) {
		err = nil
	}
	return types, err
}

// checkVim checks one connection and returns its VIM's type, as far as it is known. Empty kinds allow any type.
func (a *api) checkVim(
	ctx context.Context, path string, kinds []lcm.VimKind, conn lcm.VimConnectionInfo, found *driver.Findings,
) (string, error) {
	if conn.Registered() == "" {
		found.Mistake(conn.OwnProblems(path)...)
		if kinds != nil && !isOf(kinds, conn.Kind()) && !conn.Bare() {
			found.Mistake(lcm.Problem{Path: path + ".vimType", Detail: fmt.Sprintf("is %s; this VNF needs a VIM of type %s",
				conn.Kind(), typesOf(kinds))})
		}
		return conn.Kind(), nil
	}
	id, err := parseID(conn.VimID)
	var vim lcm.Vim
	if err == nil {
		vim, err = a.Store.Vim(ctx, id)
	}
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		unregistered(path, conn, found)
		return conn.Kind(), nil
	case err != nil:
		return "", err
	case conn.VimType != "" && lcm.VimTypeOf(conn.VimType) != vim.Type:
		found.Mistake(lcm.Problem{
			Path:   path + ".vimType",
			Detail: fmt.Sprintf("the VIM %s is of type %s, not %s", vim.Name, vim.Type, conn.VimType),
		})
	case kinds != nil && !isOf(kinds, vim.Type):
		found.Names(path+".vimId", "the VIM %s is of type %s; this VNF needs a VIM of type %s", vim.Name, vim.Type,
			typesOf(kinds))
	}
	return vim.Type, nil
}

func isOf(kinds []lcm.VimKind, vimType string) bool {
	return slices.ContainsFunc(kinds, func(k lcm.VimKind) bool { return k.Type == vimType })
}

// typesOf names, for people, the types of all kinds that could take the place of these.
func typesOf(kinds []lcm.VimKind) string {
	var out []string
	for _, k := range kinds {
		for _, other := range lcm.VimKinds(k.RunsContainers) {
			out = append(out, other.Type)
		}
	}
	return strings.Join(out, " or ")
}

// resolveVims fixes the VIMs of an instantiate request for the operation's whole life. It takes the VIMs that the
// request names. For other kinds it takes the instance's VIMs, where an earlier attempt may have left resources, else
// the present default VIM. Without any, the NFVO's grant fixes them.
func (a *api) resolveVims(
	ctx context.Context, inst lcm.VnfInstance, req lcm.InstantiateRequest,
) ([]lcm.VimConnectionInfo, error) {
	kinds, err := a.vimKinds(ctx, inst, req)
	if err != nil {
		return nil, err
	}
	out, err := a.used(ctx, kinds, req.VimConnections)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err := a.resolveVim(ctx, &out[i], kinds); err != nil {
			return nil, err
		}
	}
	for _, kind := range kinds {
		if len(kinds) == 1 && len(out) > 0 || hasKind(out, kind.Type) || hasVim(inst, kind.Type) {
			continue
		}
		vim, err := a.Store.DefaultVim(ctx)
		switch {
		case a.GrantedByNFVO && (lcm.Is(err, lcm.KindNotFound) || err == nil && vim.Type != kind.Type && len(kinds) > 1):
			continue
		case err != nil:
			return nil, err
		}
		out = append(out, lcm.VimConnectionInfo{ID: string(vim.ID), VimID: vim.ID, VimType: vim.Type})
	}
	return out, nil
}

// resolveVim fixes one connection: Tacker's clients of v1 leave out its type.
func (a *api) resolveVim(ctx context.Context, conn *lcm.VimConnectionInfo, kinds []lcm.VimKind) (err error) {
	if conn.Registered() == "" { // it brings its own endpoint and credentials
		if conn.VimType == "" && len(kinds) == 1 {
			conn.VimType = kinds[0].Type
		}
		return nil
	}
	if conn.VimID, err = parseID(conn.VimID); err != nil || conn.VimType != "" {
		return err
	}
	if conn.VimType = kinds[0].Type; len(kinds) > 1 {
		vim, err := a.Store.Vim(ctx, conn.VimID)
		conn.VimType = vim.Type
		return err
	}
	return nil
}

// vimKinds are the kinds of VIMs that the VNF of a request is on.
func (a *api) vimKinds(ctx context.Context, inst lcm.VnfInstance, req lcm.InstantiateRequest) ([]lcm.VimKind, error) {
	pkg, err := a.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return nil, err
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return nil, err
	}
	return a.vimKindsOf(ctx, inst, &vnfd, req)
}

// hasVim tells whether the instance knows a VIM of that kind.
func hasVim(inst lcm.VnfInstance, kind string) bool { return hasKind(inst.VimConnections, kind) }

func hasKind(of []lcm.VimConnectionInfo, kind string) bool {
	return slices.ContainsFunc(of, func(c lcm.VimConnectionInfo) bool { return c.Kind() == kind })
}
