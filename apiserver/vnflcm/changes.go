package vnflcm

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// planChange plans a scaling, a healing or an operating, so that an impossible request is refused before anything
// begins. The operation plans again: only then it also knows which nodes are out of order.
func (a *api) planChange(
	ctx context.Context, inst lcm.VnfInstance, r asked,
) (lcm.Plan, lifecycle.Facts, error) {
	if err := a.CheckReady(ctx, inst); err != nil {
		return lcm.Plan{}, lifecycle.Facts{}, err
	}
	o, err := a.operation(ctx, inst, r)
	if err != nil {
		return lcm.Plan{}, lifecycle.Facts{}, err
	}
	if heal, ok := r.Request.(lcm.HealRequest); ok && len(heal.AdditionalParams) > 0 {
		if err := checkHealed(o.Bound()); err != nil {
			return lcm.Plan{}, lifecycle.Facts{}, err
		}
	}
	facts, err := o.Facts(nil)
	if err != nil {
		return lcm.Plan{}, facts, err
	}
	if err := lifecycle.Allowed(facts.Flavour, r.Request); err != nil {
		return lcm.Plan{}, facts, err
	}
	if r.Operation().Scales() && len(facts.Flavour.Aspects) == 0 {
		// SOL003 clauses 5.4.5.3.1 and 5.4.6.3.1: the task resource does not exist.
		return lcm.Plan{}, facts, lcm.Errorf(lcm.KindNotFound,
			"This VNF cannot be scaled: its VNFD has no scaling aspect in the flavour %s.", facts.Flavour.ID)
	}
	p, err := lifecycle.For(facts, r.Request)
	return p, facts, err
}

// operation resolves an operation that a request would begin. It does not ask nodes for their state: that takes longer
// than a request may, and the API server reaches no node.
func (a *api) operation(
	ctx context.Context, inst lcm.VnfInstance, r asked,
) (*operations.Operation, error) {
	return a.Operations.With(ctx, lcm.VnfLcmOpOcc{
		VnfInstanceID: inst.ID, Params: r.body, APIVersion: a.Number,
	}, r.Request)
}
