package vnflcm

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/all"
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

func checkHeal(body []byte) error { return withProblems(check[healRequest](body), healProblems(body)) }

func checkOperate(body []byte) error {
	return withProblems(check[operateRequest](body), operateProblems(body))
}

// healProblems are mistakes in additionalParams of a heal request: in the parameters of the heal itself, and in the
// drivers' parameters.
func healProblems(body []byte) []lcm.Problem {
	problems := lcm.HealProblems(body)
	for _, d := range all.Drivers {
		if of, ok := d.(driver.HealReader); ok {
			problems = append(problems, of.HealProblems(body)...)
		}
	}
	slices.SortFunc(problems, func(a, b lcm.Problem) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(problems) // drivers that share their parameters tell the same
}

// operateProblems are members that must not be there together, or must (SOL003 clause 5.5.2.10).
func operateProblems(body []byte) (problems []lcm.Problem) {
	var req lcm.OperateRequest
	if json.Unmarshal(body, &req) != nil {
		return nil // reported already
	}
	add := func(path, detail string) { problems = append(problems, lcm.Problem{Path: path, Detail: detail}) }
	given := req.GracefulStopTimeout != nil
	switch {
	case req.ChangeStateTo == lcm.VnfStarted:
		if req.StopType != "" {
			add("$.stopType", "must be absent when changeStateTo is STARTED")
		}
		if given {
			add("$.gracefulStopTimeout", "must be absent when changeStateTo is STARTED")
		}
	case req.StopType == lcm.Graceful && !given:
		add("$.gracefulStopTimeout", "is missing: a GRACEFUL stop needs it")
	case req.StopType != lcm.Graceful && given:
		add("$.gracefulStopTimeout", "must be absent unless stopType is GRACEFUL")
	}
	return problems
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
