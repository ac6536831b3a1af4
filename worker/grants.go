package worker

import (
	"cmp"
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// KeptGrant implements activities.GrantFacts.
func (o *operations) KeptGrant(ctx context.Context, id lcm.OpOccID) (string, error) {
	opOcc, err := o.store.Operation(ctx, id)
	return opOcc.GrantID, err
}

// GrantRequest implements activities.GrantFacts.
func (o *operations) GrantRequest(ctx context.Context, id lcm.OpOccID) (nfvo.GrantRequest, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	facts, p, err := j.planned()
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	asked, err := o.asked(ctx, j, facts, p)
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	r := nfvo.GrantRequest{
		VnfInstanceID: j.inst.ID, OpOccID: id, VnfdID: j.inst.VnfdID, FlavourID: j.flavour.ID, Operation: j.opOcc.Operation,
		IsAutomaticInvocation: j.opOcc.IsAutomaticInvocation, Resources: asked, Placement: lifecycle.Placement(facts, p, asked),
		OneVim:     lifecycle.OneVim(facts, p, asked),
		APIVersion: j.opOcc.APIVersion, Endpoint: o.endpoint,
	}
	if j.opOcc.Operation == lcm.OpInstantiate || j.opOcc.Operation == lcm.OpScaleToLevel {
		r.InstantiationLevelID = p.InstantiationLevelID
	}
	return r, nil
}

// planned is what an operation does, as far as an NFVO is asked for it.
func (j *job) planned() (lifecycle.Facts, lcm.Plan, error) {
	facts, err := j.facts(nil)
	if err != nil {
		return facts, lcm.Plan{}, err
	}
	switch {
	case changes(j.opOcc.Operation), j.opOcc.Operation == lcm.OpOperate, j.opOcc.Operation == lcm.OpChangeExtConn:
		p, err := j.plan(nil)
		return facts, p, err
	case j.opOcc.Operation == lcm.OpInstantiate:
		p, err := lifecycle.Instantiation(facts, j.request.InstantiationLevelID)
		return facts, p, err
	case j.opOcc.Operation == lcm.OpTerminate && j.inst.Instantiated != nil:
		p, err := lifecycle.Termination(facts)
		return facts, p, err
	default: // neither makes, changes nor removes anything
		return facts, lcm.Plan{Operation: j.opOcc.Operation}, nil
	}
}

// asked are the resources of an operation, as its grant names them.
func (o *operations) asked(ctx context.Context, j *job, facts lifecycle.Facts, p lcm.Plan) (lcm.Grant, error) {
	vim, err := o.foreseen(ctx, j)
	if err != nil {
		return lcm.Grant{}, err
	}
	asked := lifecycle.Granted(facts, p, vim)
	asked.VnfInstanceID, asked.OpOccID = j.inst.ID, j.opOcc.ID
	return asked, nil
}

// acceptable joins a grant with what was asked for, puts j under it, and looks whether that works.
func (o *operations) acceptable(ctx context.Context, j *job, given lcm.Grant) (lcm.Grant, error) {
	facts, p, err := j.planned()
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
	vim, err := o.grantedVim(ctx, j, grant)
	if err != nil {
		return grant, err
	}
	grant.VimConnections = []lcm.VimConnectionInfo{vim}
	for i := range grant.AddResources {
		grant.AddResources[i].VimConnectionID = cmp.Or(grant.AddResources[i].VimConnectionID, vim.ID)
	}
	if err := lcm.InvalidAll(nfvo.Unhonoured, slices.Concat(lcm.CheckLinkConfigs(grant.ExtVirtualLinks, grant.AdditionalParams))); err != nil {
		return grant, err
	}
	if err := j.under(grant); err != nil {
		return grant, err
	}
	if err := j.possibleLinks(); err != nil {
		return grant, err
	}
	if err := j.relink(facts, grant); err != nil {
		return grant, err
	}
	if j.opOcc.Operation == lcm.OpInstantiate {
		if err := lcm.InvalidAll(nfvo.Unhonoured, vnfpkg.Unmanaged(j.flavour, j.request.ExtManagedVirtualLinks)); err != nil {
			return grant, err
		}
	}
	if len(grant.AddResources) == 0 && j.opOcc.Operation != lcm.OpChangeExtConn {
		return grant, nil
	}
	return grant, o.tryHeat(ctx, j)
}

// possibleLinks looks at links that come from a request and from its grant: each may be right, and both together may
// not.
func (j *job) possibleLinks() error {
	links := j.request.ExtVirtualLinks
	if cpds := lcm.Contradicting(links); len(cpds) > 0 {
		return unhonourable("$.extVirtualLinks", "the connection point "+cpds[0]+" would have more than one entry with addresses, with those of the request. "+lcm.OneAddressed)
	}
	for _, link := range links {
		for _, cp := range link.ExtCps {
			switch other := lcm.SharedPort(links, cp.CpdID); other {
			case "":
			case cp.CpdID:
				return unhonourable("$.extVirtualLinks", "two entries of the connection point "+other+" would have the same port (linkPortId), and a port is in one server")
			default:
				return unhonourable("$.extVirtualLinks", "the connection points "+cp.CpdID+" and "+other+" would have the same port (linkPortId), and a port is in one server")
			}
		}
	}
	return nil
}

// tryHeat makes the parameters of the stack for once.
func (o *operations) tryHeat(ctx context.Context, j *job) error {
	wanted, err := j.whole()
	if err == nil && j.inst.Instantiated != nil {
		wanted, err = j.sized(activities.SizesPlanned)
	}
	if err == nil {
		_, _, _, err = o.heat(ctx, j, wanted)
	}
	return err
}

func unhonourable(path, detail string) error {
	return lcm.InvalidAll(nfvo.Unhonoured, []lcm.Problem{{Path: path, Detail: detail}})
}
