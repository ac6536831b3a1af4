package worker

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// grantedVims are the connections on which the VNFCs of a grant are made, one for each kind of VIM that the VNF is on.
func (o *resolver) grantedVims(ctx context.Context, j *job, g lcm.Grant) (out []lcm.VimConnectionInfo, err error) {
	foreseen, err := o.Foreseen(ctx, j.Operation)
	if err != nil {
		return nil, err
	}
	for i, kind := range j.VimKinds() {
		c, err := o.grantedVim(ctx, j, g, kind.Type, foreseen[i])
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// grantedVim is the one of a kind: the one that the NFVO names, described by it, by the request, or in the registry.
func (o *resolver) grantedVim(
	ctx context.Context, j *job, g lcm.Grant, kind string, present lcm.VimConnectionInfo,
) (lcm.VimConnectionInfo, error) {
	id, err := lifecycle.TargetOn(lifecycle.Facts{Flavour: j.Flavour}, kind, g)
	if err == nil && id == "" && present.ID == "" {
		id, err = onlyVim(g, kind)
	}
	if err != nil {
		return present, err
	}
	if j.Instance.Instantiated != nil {
		if id != "" && id != present.ID && id != string(present.VimID) {
			return present, operations.Unhonourable("$.addResources",
				"the VNF is on the VIM connection "+present.ID+" and cannot grow on "+id)
		}
		return lcm.VimConnectionInfo{ID: present.ID, VimID: present.VimID, VimType: present.VimType}, nil
	}
	i := slices.IndexFunc(g.VimConnections, func(c lcm.VimConnectionInfo) bool { return c.ID == id })
	if i >= 0 && describes(g.VimConnections[i]) {
		return o.reachableVim(ctx, j.described(g.VimConnections[i]), kind)
	}
	if id == "" || id == present.ID {
		return present, nil
	}
	for _, c := range append(slices.Clone(j.Request.VimConnections), j.Instance.VimConnections...) {
		if c.ID == id {
			return o.reachableVim(ctx, c, kind)
		}
	}
	return o.reachableVim(ctx, lcm.VimConnectionInfo{ID: id, VimID: lcm.VimID(id), VimType: kind}, kind)
}

// onlyVim is the connection of a grant that does not say where servers are made, for a request that does not, either.
func onlyVim(g lcm.Grant, kind string) (string, error) {
	var ids []string
	for _, c := range g.VimConnections {
		if c.Kind() == kind {
			ids = append(ids, c.ID)
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", operations.Unhonourable("$.vimConnections",
			"the grant brings no connection to "+lcm.KindOfVim(kind).Name+", the request has none, and no VIM is registered as the "+
				"default one")
	default:
		return "", operations.Unhonourable("$.addResources",
			"the grant does not say on which of its VIM connections servers are made: "+strings.Join(ids, ", "))
	}
}

func describes(c lcm.VimConnectionInfo) bool { return c.VimID != "" || len(c.InterfaceInfo) > 0 }

// reachableVim takes a connection that says all itself as it is, and asks the registry for every other one.
func (o *resolver) reachableVim(
	ctx context.Context, c lcm.VimConnectionInfo, kind string,
) (lcm.VimConnectionInfo, error) {
	if c.Kind() != kind {
		return c, operations.Unhonourable("$.vimConnections",
			"the VIM connection "+c.ID+" is of type "+c.Kind()+", and the VNF needs one of type "+kind)
	}
	if registered := c.Registered(); registered != "" {
		vim, err := o.Store.Vim(ctx, registered)
		if err == nil {
			return lcm.VimConnectionInfo{ID: c.ID, VimID: vim.ID, VimType: vim.Type}, nil
		}
		if !lcm.Is(err, lcm.KindNotFound) {
			return c, err
		}
	}
	if c.Bare() {
		return c, operations.Unhonourable("$.vimConnections",
			"the VIM connection "+c.ID+" is no VIM that is registered here, and comes without endpoint and credentials")
	}
	if err := lcm.InvalidAll(lcm.UnhonouredGrant, c.OwnProblems("$.vimConnections."+c.ID)); err != nil {
		return c, err
	}
	if err := o.vimGuard.CheckHost(c.Endpoint()); err != nil {
		return c, operations.Unhonourable("$.vimConnections."+c.ID+".interfaceInfo.endpoint", lcm.Sentence(err))
	}
	c.VimType = cmp.Or(c.VimType, c.Kind())
	return c, nil
}

// described is what the request, or the instance, says of a connection that a grant names by its id and a vimId only,
// and the registry does not have: an NFVO need not repeat the credentials that the request brought.
func (j *job) described(c lcm.VimConnectionInfo) lcm.VimConnectionInfo {
	for _, own := range slices.Concat(j.Request.VimConnections, j.Instance.VimConnections) {
		if own.ID == c.ID && own.Complete() && c.Bare() && c.VimID == own.VimID {
			return own
		}
	}
	return c
}

// takenVims are the VIMs that the instance takes over from a grant.
func (j *job) takenVims() []lcm.VimConnectionInfo { return j.Targets }
