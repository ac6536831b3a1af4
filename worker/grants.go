package worker

import (
	"cmp"
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// KeptGrant implements activities.GrantFacts.
func (o *resolver) KeptGrant(ctx context.Context, id lcm.OpOccID) (string, error) {
	opOcc, err := o.Store.Operation(ctx, id)
	return opOcc.GrantID, err
}

// GrantRequest implements activities.GrantFacts.
func (o *resolver) GrantRequest(ctx context.Context, id lcm.OpOccID) (nfvo.GrantRequest, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	facts, p, err := j.Planned()
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	asked, err := o.asked(ctx, j, facts, p)
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	r := nfvo.GrantRequest{
		VnfInstanceID: j.Instance.ID, OpOccID: id, VnfdID: j.Instance.VnfdID, FlavourID: j.Flavour.ID,
		Operation:             j.OpOcc.Operation,
		IsAutomaticInvocation: j.OpOcc.IsAutomaticInvocation, Resources: asked,
		Placement:  lifecycle.Placement(facts, p, asked),
		OneVim:     lifecycle.OneVim(facts, p, asked),
		APIVersion: j.OpOcc.APIVersion, Endpoint: o.endpoint,
	}
	if j.OpOcc.Operation == lcm.OpInstantiate || j.OpOcc.Operation == lcm.OpScaleToLevel {
		r.InstantiationLevelID = p.InstantiationLevelID
	}
	return r, nil
}

// asked are the resources of an operation, as its grant names them.
func (o *resolver) asked(ctx context.Context, j *job, facts lifecycle.Facts, p lcm.Plan) (lcm.Grant, error) {
	vims, err := o.Foreseen(ctx, j.Operation)
	if err != nil {
		return lcm.Grant{}, err
	}
	asked := lifecycle.Granted(facts, p, vims...)
	asked.VnfInstanceID, asked.OpOccID = j.Instance.ID, j.OpOcc.ID
	return asked, nil
}

// acceptable joins a grant with what was asked for, puts j under it, and looks whether that works.
func (o *resolver) acceptable(ctx context.Context, j *job, given lcm.Grant) (lcm.Grant, error) {
	facts, p, err := j.Planned()
	if err != nil {
		return given, err
	}
	asked, err := o.asked(ctx, j, facts, p)
	if err != nil {
		return given, err
	}
	grant, err := lifecycle.Accept(asked, given)
	if err != nil {
		return grant, err
	}
	if grant.VimConnections, err = o.grantedVims(ctx, j, grant); err != nil {
		return grant, err
	}
	for i, r := range grant.AddResources {
		grant.AddResources[i].VimConnectionID = cmp.Or(r.VimConnectionID,
			lifecycle.Connection(j.Flavour, grant.VimConnections, r.VduID).ID)
	}
	if err := lcm.InvalidAll(lcm.UnhonouredGrant,
		slices.Concat(lcm.CheckLinkConfigs(grant.ExtVirtualLinks, grant.AdditionalParams))); err != nil {
		return grant, err
	}
	if err := j.ApplyGrant(grant); err != nil {
		return grant, err
	}
	if err := j.possibleLinks(); err != nil {
		return grant, err
	}
	if err := j.Relink(facts, grant); err != nil {
		return grant, err
	}
	if j.OpOcc.Operation == lcm.OpInstantiate {
		if err := lcm.InvalidAll(lcm.UnhonouredGrant,
			vnfpkg.Unmanaged(j.Flavour, j.Request.ExtManagedVirtualLinks)); err != nil {
			return grant, err
		}
	}
	if len(grant.AddResources) == 0 && j.OpOcc.Operation != lcm.OpChangeExtConn {
		return grant, nil
	}
	return grant, o.tryDefinition(ctx, j)
}

// possibleLinks looks at links that come from a request and from its grant: each may be right, and both together may
// not.
func (j *job) possibleLinks() error {
	links := j.Request.ExtVirtualLinks
	if cpds := lcm.Contradicting(links); len(cpds) > 0 {
		return operations.Unhonourable("$.extVirtualLinks", "the connection point "+cpds[0]+" would have more than one "+
			"entry with addresses, with those of the request. "+lcm.OneAddressed)
	}
	for _, link := range links {
		for _, cp := range link.ExtCps {
			switch other := lcm.SharedPort(links, cp.CpdID); other {
			case "":
			case cp.CpdID:
				return operations.Unhonourable("$.extVirtualLinks",
					"two entries of the connection point "+other+" would have the same port (linkPortId), and a port is in one server")
			default:
				return operations.Unhonourable("$.extVirtualLinks",
					"the connection points "+cp.CpdID+" and "+other+" would have the same port (linkPortId), and a port is in one "+
						"server")
			}
		}
	}
	return nil
}

// tryDefinition makes what the VIM would be told for once.
func (o *resolver) tryDefinition(ctx context.Context, j *job) error {
	d, err := o.definerOf(ctx, j)
	switch {
	case err != nil:
	case j.Instance.Instantiated == nil:
		_, _, err = d.Whole(ctx, j.Operation)
	default:
		_, _, err = d.Sized(ctx, j.Operation, vim.SizesPlanned)
	}
	return err
}
