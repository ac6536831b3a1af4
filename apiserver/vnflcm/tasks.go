package vnflcm

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// task says how the API takes the request of an operation.
type task struct {
	// has refuses VNFs that do not have the task; nil where all have it.
	has func(a *api, ctx context.Context, inst lcm.VnfInstance) error
	// accept refuses a request that cannot be carried out, before anything begins.
	accept func(a *api, ctx context.Context, inst lcm.VnfInstance, r *asked) error
	// plan also says what the operation would change. It is nil for operations that decide nothing (lifecycle.Decides).
	plan planner
}

// planner plans an operation, and refuses an impossible one.
type planner func(a *api, ctx context.Context, inst lcm.VnfInstance, r asked) (lcm.Plan, lifecycle.Facts, error)

// asked is a request of the right form, with the body that was sent.
type asked struct {
	requests.Reading
	body []byte
	// registersVim is the name under which a driver will register the VNF as a VIM, if one does.
	registersVim lcm.VimName
}

// tasks has each supported operation of the table.
var tasks = map[lcm.Operation]task{
	lcm.OpInstantiate:   {accept: (*api).acceptInstantiation},
	lcm.OpScale:         {plan: (*api).planChange},
	lcm.OpScaleToLevel:  {plan: (*api).planChange},
	lcm.OpHeal:          {plan: (*api).planChange},
	lcm.OpOperate:       {plan: (*api).planChange},
	lcm.OpChangeExtConn: {plan: (*api).planReconnection},
	lcm.OpChangeVnfPkg:  {has: (*api).changesPackages, plan: (*api).planPackage},
	lcm.OpChangeFlavour: {plan: (*api).planFlavour},
	lcm.OpModifyInfo:    {accept: (*api).validateModify},
	lcm.OpTerminate:     {accept: (*api).acceptTermination},
}

// taskRoutes are the task resources of this version. A task of the standard that no VNF supports is a 404 in every
// state (SOL003 clause 5.4.7.3.1 and the like clauses of the other tasks), and other methods are a 405.
func (a *api) taskRoutes() (routes []rest.Route) {
	for _, t := range lcm.Operations {
		path := "/vnf_instances/:vnfInstanceId/" + t.Task
		switch {
		case t.Task == "" || t.Since > a.Number:
		case t.Supported():
			routes = append(routes, rest.Post(path, a.take(t.Name)))
		default:
			routes = append(routes, rest.Post(path, a.unsupported(t.Lacks)))
		}
	}
	return routes
}

// take returns the handler of a task that begins an operation (SOL003 clauses 5.4.4 to 5.4.11a). The operation plans
// again. Heal and operate are SOL002's if the request names VNFCs.
func (a *api) take(op lcm.Operation) echo.HandlerFunc {
	return func(c echo.Context) error {
		inst, err := a.PathInstance(c)
		if err != nil {
			return err
		}
		body, err := rest.ReadJSON(c)
		if err != nil {
			return err
		}
		ctx, t := c.Request().Context(), tasks[op]
		r, err := a.read(ctx, inst, op, body)
		switch {
		case err != nil:
		case t.plan == nil:
			err = t.accept(a, ctx, inst, &r)
		default:
			var facts lifecycle.Facts
			_, facts, err = t.plan(a, ctx, inst, r)
			if _, heals := r.Request.(lcm.HealRequest); heals { // a cluster that is made anew keeps its name
				r.registersVim = driver.VimName(inst.ID, facts.Drivers)
			}
		}
		if err != nil {
			return err
		}
		return a.begin(c, inst, r)
	}
}

// read reads a request, and reports every mistake in its form at once.
func (a *api) read(ctx context.Context, inst lcm.VnfInstance, op lcm.Operation, body []byte) (r asked, err error) {
	if has := tasks[op].has; has != nil {
		if err := has(a, ctx, inst); err != nil {
			return r, err
		}
	}
	r.body = body
	r.Reading, err = requests.Read(op, a.Number, body, driversRead(inst))
	return r, err
}

// driversRead tells the mistakes that drivers find in a heal's parameters.
func driversRead(inst lcm.VnfInstance) requests.Others {
	var had json.RawMessage
	if inst.Instantiated != nil {
		had = inst.Instantiated.AdditionalParams
	}
	return func(asked json.RawMessage) (problems []lcm.Problem) {
		for _, d := range all.Drivers {
			if of, ok := d.(driver.HealReader); ok {
				problems = append(problems, of.HealProblems(asked, had)...)
			}
		}
		slices.SortFunc(problems, func(a, b lcm.Problem) int { return strings.Compare(a.Path, b.Path) })
		return slices.Compact(problems) // drivers that share their parameters tell the same
	}
}

// unsupported answers for a task that the VNF does not have; an unknown VNF comes first.
func (a *api) unsupported(what string) echo.HandlerFunc {
	return func(c echo.Context) error {
		inst, err := a.PathInstance(c)
		if err != nil {
			return err
		}
		return lcm.Errorf(lcm.KindNotFound, "The VNF instance %s does not support %s.", inst.ID, what)
	}
}

// planOf plans an operation that has not begun.
func (a *api) planOf(
	ctx context.Context, inst lcm.VnfInstance, r asked,
) (p lcm.Plan, f lifecycle.Facts, err error) {
	t := tasks[r.Operation()]
	if t.plan != nil {
		return t.plan(a, ctx, inst, r)
	}
	if err := t.accept(a, ctx, inst, &r); err != nil {
		return p, f, err
	}
	if err := a.Store.CheckIdle(ctx, inst.ID); err != nil {
		return p, f, err
	}
	return a.planned(ctx, inst, r)
}

// planned shows an accepted operation.
func (a *api) planned(
	ctx context.Context, inst lcm.VnfInstance, r asked,
) (p lcm.Plan, f lifecycle.Facts, err error) {
	o, err := a.operation(ctx, inst, r)
	if err == nil {
		f, p, err = o.Planned()
	}
	return p, f, err
}
