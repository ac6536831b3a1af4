// Package grants says which changes of an operation an NFVO has to grant (SOL003 clause 9). It takes the grant, checks
// whether Windlass can honour it, and stores it.
package grants

import (
	"cmp"
	"context"

	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/requests"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// Grants implements activities.GrantFacts.
type Grants struct {
	Operations *operations.Resolver
	// Vault takes the secrets of grants.
	Vault *secrets.Vault
	// Deployments make trial definitions: a grant that allows no definition cannot be honoured.
	Deployments *deployments.Deployments
	// VimGuard says where VIMs may be.
	VimGuard outbound.Guard
	// Endpoint begins links to the API.
	Endpoint string
}

// KeptGrant implements activities.GrantFacts.
func (g *Grants) KeptGrant(ctx context.Context, id lcm.OpOccID) (string, error) {
	opOcc, err := g.Operations.Store.Operation(ctx, id)
	return opOcc.GrantID, err
}

// GrantRequest implements activities.GrantFacts.
func (g *Grants) GrantRequest(ctx context.Context, id lcm.OpOccID) (nfvo.GrantRequest, error) {
	op, err := g.Operations.Load(ctx, id)
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	facts, p, err := op.Planned()
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	asked, err := g.Operations.Asked(ctx, op, facts, p)
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	r := nfvo.GrantRequest{
		VnfInstanceID: op.Instance.ID, OpOccID: id, VnfdID: op.Instance.VnfdID, FlavourID: op.Flavour.ID,
		Operation: op.OpOcc.Operation, IsAutomaticInvocation: op.OpOcc.IsAutomaticInvocation, Resources: asked,
		Placement: lifecycle.Placement(facts, p, asked), OneVim: lifecycle.OneVim(facts, p, asked),
		APIVersion: op.OpOcc.APIVersion, Endpoint: g.Endpoint,
	}
	if _, toLevel := op.Own.(lcm.ScaleToLevelRequest); toLevel || op.OpOcc.Operation.Makes() {
		r.InstantiationLevelID = p.InstantiationLevelID
	}
	return r, nil
}

// acceptable joins a grant with the request for it, applies it to the operation, and checks whether the result works.
func (g *Grants) acceptable(ctx context.Context, op *operations.Operation, given lcm.Grant) (lcm.Grant, error) {
	facts, p, err := op.Planned()
	if err != nil {
		return given, err
	}
	asked, err := g.Operations.Asked(ctx, op, facts, p)
	if err != nil {
		return given, err
	}
	grant, err := lifecycle.Accept(asked, given)
	if err != nil {
		return grant, err
	}
	if grant.VimConnections, err = g.connections(ctx, op, grant); err != nil {
		return grant, err
	}
	for i, r := range grant.AddResources {
		grant.AddResources[i].VimConnectionID = cmp.Or(r.VimConnectionID,
			lifecycle.Connection(op.Flavour, grant.VimConnections, r.VduID).ID)
	}
	if err := g.honour(op, facts, grant); err != nil {
		return grant, err
	}
	if len(grant.AddResources) == 0 && !op.ChangesLinks() && op.Before == nil {
		return grant, nil
	}
	return grant, g.tryDefinition(ctx, op)
}

// honour puts an operation under a grant; it is Invalid when the operation cannot be as the grant says.
func (g *Grants) honour(op *operations.Operation, facts lifecycle.Facts, grant lcm.Grant) error {
	_, problems, err := requests.GrantedLinks(grant.ExtVirtualLinks, grant.AdditionalParams)
	if err != nil {
		return err
	}
	if err := lcm.InvalidAll(lcm.UnhonouredGrant, problems); err != nil {
		return err
	}
	if err := op.ApplyGrant(grant); err != nil {
		return err
	}
	if err := possibleLinks(op.Request.ExtVirtualLinks); err != nil {
		return err
	}
	if err := op.Relink(facts, grant); err != nil {
		return err
	}
	if !op.OpOcc.Operation.Makes() && (op.Before == nil || op.Package != nil) {
		return nil
	}
	return lcm.InvalidAll(lcm.UnhonouredGrant, hot.Unmanaged(op.Flavour, op.Request.ExtManagedVirtualLinks))
}

// possibleLinks checks the links of a request together with its grant's: each may be right, but not both together.
func possibleLinks(links []lcm.ExtVirtualLink) error {
	if cpds := lcm.Contradicting(links); len(cpds) > 0 {
		return operations.Unhonourable("$.extVirtualLinks", "the connection point "+cpds[0]+" would have more than one "+
			"entry with addresses, with those of the request. "+lcm.OneAddressed)
	}
	for _, link := range links {
		for _, cp := range link.ExtCps {
			switch other := lcm.SharedPort(links, cp.CpdID); other {
			case "":
			case cp.CpdID:
				return operations.Unhonourable("$.extVirtualLinks", "two entries of the connection point "+other+
					" would have the same port (linkPortId), and a port is in one server")
			default:
				return operations.Unhonourable("$.extVirtualLinks", "the connection points "+cp.CpdID+" and "+other+
					" would have the same port (linkPortId), and a port is in one server")
			}
		}
	}
	return nil
}

// tryDefinition makes the VIM's definition as a trial.
func (g *Grants) tryDefinition(ctx context.Context, op *operations.Operation) error {
	d, err := g.Deployments.DefinerOf(ctx, op)
	switch {
	case err != nil:
	case op.Package != nil || op.Instance.Instantiated == nil:
		_, _, err = d.Whole(ctx, op)
	case op.Before != nil:
		_, _, err = d.Redefined(ctx, op, vim.SizesGrown)
	default:
		_, _, err = d.Sized(ctx, op, vim.SizesPlanned)
	}
	return err
}
