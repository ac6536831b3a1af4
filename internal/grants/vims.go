package grants

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// connections are the connections for the VNFCs of a grant, one for each kind of VIM that the VNF uses.
func (g *Grants) connections(
	ctx context.Context, op *operations.Operation, grant lcm.Grant,
) (out []lcm.VimConnectionInfo, err error) {
	foreseen, err := g.Operations.Foreseen(ctx, op)
	if err != nil {
		return nil, err
	}
	for i, kind := range op.VimKinds() {
		c, err := g.connection(ctx, op, grant, kind.Type, foreseen[i])
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// connection is the connection that the NFVO names for a kind of VIM. Its description comes from the NFVO, from the
// request, or from the registry.
func (g *Grants) connection(
	ctx context.Context, op *operations.Operation, grant lcm.Grant, kind string, present lcm.VimConnectionInfo,
) (lcm.VimConnectionInfo, error) {
	id, err := lifecycle.TargetOn(lifecycle.Facts{Flavour: op.Flavour, VimTypes: op.VimTypes()}, kind, grant)
	if err == nil && id == "" && present.ID == "" {
		id, err = onlyVim(grant, kind)
	}
	if err != nil {
		return present, err
	}
	if op.Instance.Instantiated != nil {
		if id != "" && id != present.ID && id != string(present.VimID) {
			return present, operations.Unhonourable("$.addResources",
				"the VNF is on the VIM connection "+present.ID+" and cannot grow on "+id)
		}
		return lcm.VimConnectionInfo{ID: present.ID, VimID: present.VimID, VimType: present.VimType}, nil
	}
	i := slices.IndexFunc(grant.VimConnections, func(c lcm.VimConnectionInfo) bool { return c.ID == id })
	if i >= 0 && describes(grant.VimConnections[i]) {
		return g.reachable(ctx, described(op, grant.VimConnections[i]), kind)
	}
	if id == "" || id == present.ID {
		return present, nil
	}
	for _, c := range append(slices.Clone(op.Request.VimConnections), op.Instance.VimConnections...) {
		if c.ID == id {
			return g.reachable(ctx, c, kind)
		}
	}
	return g.reachable(ctx, lcm.VimConnectionInfo{ID: id, VimID: lcm.VimID(id), VimType: kind}, kind)
}

// onlyVim is the only connection of a kind in a grant, if neither the grant nor the request says where servers are
// made.
func onlyVim(grant lcm.Grant, kind string) (string, error) {
	var ids []string
	for _, c := range grant.VimConnections {
		if c.Kind() == kind {
			ids = append(ids, c.ID)
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", operations.Unhonourable("$.vimConnections",
			"the grant brings no connection to "+lcm.KindOfVim(kind).Name+", the request has none, and no VIM is "+
				"registered as the default one")
	default:
		return "", operations.Unhonourable("$.addResources",
			"the grant does not say on which of its VIM connections servers are made: "+strings.Join(ids, ", "))
	}
}

func describes(c lcm.VimConnectionInfo) bool { return c.VimID != "" || len(c.InterfaceInfo) > 0 }

// reachable returns a complete connection unchanged, and completes every other connection from the registry.
func (g *Grants) reachable(
	ctx context.Context, c lcm.VimConnectionInfo, kind string,
) (lcm.VimConnectionInfo, error) {
	if c.Kind() != kind {
		return c, operations.Unhonourable("$.vimConnections",
			"the VIM connection "+c.ID+" is of type "+c.Kind()+", and the VNF needs one of type "+kind)
	}
	if registered := c.Registered(); registered != "" {
		vim, err := g.Operations.Store.Vim(ctx, registered)
		if err == nil {
			return lcm.VimConnectionInfo{ID: c.ID, VimID: vim.ID, VimType: vim.Type}, nil
		}
		if !lcm.Is(err, lcm.KindNotFound) {
			return c, err
		}
	}
	if c.Bare() {
		return c, operations.Unhonourable("$.vimConnections",
			"the VIM connection "+c.ID+" is not a registered VIM, and has no endpoint and credentials")
	}
	if err := lcm.InvalidAll(lcm.UnhonouredGrant, c.OwnProblems("$.vimConnections."+c.ID)); err != nil {
		return c, err
	}
	if err := g.VimGuard.CheckHost(c.Endpoint()); err != nil {
		return c, operations.Unhonourable("$.vimConnections."+c.ID+".interfaceInfo.endpoint", lcm.Sentence(err))
	}
	c.VimType = cmp.Or(c.VimType, c.Kind())
	return c, nil
}

// described completes a connection that a grant names only by its id and a vimId that the registry does not have. The
// request, or the instance, describes it: an NFVO need not repeat the request's credentials.
func described(op *operations.Operation, c lcm.VimConnectionInfo) lcm.VimConnectionInfo {
	for _, own := range slices.Concat(op.Request.VimConnections, op.Instance.VimConnections) {
		if own.ID == c.ID && own.Complete() && c.Bare() && c.VimID == own.VimID {
			return own
		}
	}
	return c
}
