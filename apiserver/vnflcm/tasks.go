package vnflcm

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// task says how the API takes the request of an operation.
type task struct {
	// v1 and v2 check the form of the request in these versions of /vnflcm.
	v1, v2 func(body []byte) error
	// values checks a request of the right form further; nil where nothing is left to check.
	values func(body []byte) error
	// has refuses VNFs that do not have the task; nil where all have it.
	has func(a *api, ctx context.Context, inst lcm.VnfInstance) error
	// accept refuses a request that cannot be carried out, before anything begins.
	accept func(a *api, ctx context.Context, inst lcm.VnfInstance, r *asked) error
	// plan also says what the operation would change. It is nil for operations that decide nothing (lifecycle.Decides).
	plan planner
}

// planner plans an operation, and refuses an impossible one.
type planner func(a *api, ctx context.Context, inst lcm.VnfInstance, r asked) (lcm.Plan, lifecycle.Facts, error)

// asked is a request of the right form.
type asked struct {
	lcm.Request
	body []byte
	// registersVim is the name under which a driver will register the VNF as a VIM, "" if none does.
	registersVim string
}

// tasks has each supported operation of the table.
var tasks = map[lcm.Operation]task{
	lcm.OpInstantiate: {
		v1: check[instantiateV1], v2: check[instantiateV2], accept: (*api).acceptInstantiation,
	},
	lcm.OpScale:        {v1: check[scaleRequest], v2: check[scaleRequest], plan: (*api).planChange},
	lcm.OpScaleToLevel: {v1: check[scaleToLevelRequest], v2: check[scaleToLevelRequest], plan: (*api).planChange},
	lcm.OpHeal:         {v1: checkHeal, v2: checkHeal, plan: (*api).planChange},
	lcm.OpOperate:      {v1: checkOperate, v2: checkOperate, plan: (*api).planChange},
	lcm.OpChangeExtConn: {
		v1: checkExtConnV1, v2: checkExtConnV2, values: checkAddresses, plan: (*api).planReconnection,
	},
	lcm.OpChangeVnfPkg: {v2: checkChangeVnfPkg, has: (*api).changesPackages, plan: (*api).planPackage},
	lcm.OpModifyInfo:   {v1: checkModifyV1, v2: checkModifyV2, accept: (*api).validateModify},
	lcm.OpTerminate:    {v1: check[terminateV1], v2: check[terminateV2], accept: (*api).acceptTermination},
}

// form checks the form of a request in one version of the API, and reports every mistake at once. It is nil where the
// version does not have the operation.
func (d *dialect) form(op lcm.Operation) func(body []byte) error {
	if d.Number == dialectV1.Number {
		return tasks[op].v1
	}
	return tasks[op].v2
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
			_, _, err = t.plan(a, ctx, inst, r)
		}
		if err != nil {
			return err
		}
		return a.begin(c, inst, r)
	}
}

// read checks the form of a request, and reads it.
func (a *api) read(ctx context.Context, inst lcm.VnfInstance, op lcm.Operation, body []byte) (r asked, err error) {
	if has := tasks[op].has; has != nil {
		if err := has(a, ctx, inst); err != nil {
			return r, err
		}
	}
	if err := a.form(op)(unrepeated(inst, op, body)); err != nil {
		return r, err
	}
	if values := tasks[op].values; values != nil {
		if err := values(body); err != nil {
			return r, err
		}
	}
	r.body = body
	r.Request, err = lcm.ReadRequest(op, body)
	return r, err
}

// unrepeated removes, from a heal, the parameters that only repeat the VNF's instantiation.
func unrepeated(inst lcm.VnfInstance, op lcm.Operation, body []byte) []byte {
	if op != lcm.OpHeal || inst.Instantiated == nil {
		return body
	}
	return lcm.WithoutRepeated(body, inst.Instantiated.AdditionalParams)
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
