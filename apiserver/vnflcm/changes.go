package vnflcm

import (
	"context"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// change returns the handler of scale, scale_to_level, heal or operate. Heal and operate are SOL002's if the request
// names VNFCs.
func (a *api) change(op lcm.Operation) echo.HandlerFunc {
	return a.task(op, func(ctx context.Context, inst lcm.VnfInstance, body []byte) error {
		_, _, err := a.planChange(ctx, inst, op, body, a.Number)
		return err
	})
}

// planChange plans a scaling or a healing, so that an impossible request is refused before anything begins. The
// operation plans again: only then it also knows which nodes are out of order.
func (h *Handler) planChange(
	ctx context.Context, inst lcm.VnfInstance, op lcm.Operation, body []byte, apiVersion int,
) (lcm.Plan, lifecycle.Facts, error) {
	if err := checkChange(op, unrepeated(inst, op, body)); err != nil {
		return lcm.Plan{}, lifecycle.Facts{}, err
	}
	if err := h.CheckReady(ctx, inst); err != nil {
		return lcm.Plan{}, lifecycle.Facts{}, err
	}
	o, err := h.operation(ctx, inst, op, body, apiVersion)
	if err != nil {
		return lcm.Plan{}, lifecycle.Facts{}, err
	}
	if op == lcm.OpHeal {
		if err := checkHealed(o.Flavour, inst.Instantiated.AdditionalParams, body); err != nil {
			return lcm.Plan{}, lifecycle.Facts{}, err
		}
	}
	facts, err := o.Facts(nil)
	if err != nil {
		return lcm.Plan{}, facts, err
	}
	if err := lifecycle.Allowed(facts.Flavour, op, body); err != nil {
		return lcm.Plan{}, facts, err
	}
	if (op == lcm.OpScale || op == lcm.OpScaleToLevel) && len(facts.Flavour.Aspects) == 0 {
		// SOL003 clauses 5.4.5.3.1 and 5.4.6.3.1: the task resource does not exist.
		return lcm.Plan{}, facts, lcm.Errorf(lcm.KindNotFound,
			"This VNF cannot be scaled: its VNFD has no scaling aspect in the flavour %s.", facts.Flavour.ID)
	}
	p, err := lifecycle.For(facts, op, body)
	return p, facts, err
}

// checkChange checks the form of a request, and reports every mistake at once.
func checkChange(op lcm.Operation, body []byte) error {
	err := map[lcm.Operation]func([]byte) error{
		lcm.OpScale: check[scaleRequest], lcm.OpScaleToLevel: check[scaleToLevelRequest], lcm.OpHeal: check[healRequest],
		lcm.OpOperate: check[operateRequest],
	}[op](body)
	if op == lcm.OpOperate {
		return withProblems(err, operateProblems(body))
	}
	if op != lcm.OpHeal { // of a scaling's additionalParams no credentials are read
		return err
	}
	return withProblems(err, healProblems(body))
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
	req, err := lcm.ParseOperate(body)
	if err != nil {
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
func (h *Handler) operation(
	ctx context.Context, inst lcm.VnfInstance, op lcm.Operation, body []byte, apiVersion int,
) (*operations.Operation, error) {
	return h.Operations.Of(ctx, lcm.VnfLcmOpOcc{
		VnfInstanceID: inst.ID, Operation: op, Params: body, APIVersion: apiVersion,
	})
}
