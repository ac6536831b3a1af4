package vnflcm

import (
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// unsupportedRoutes are tasks of the standard that no VNF supports here, or only VNFs of containers. A VNF has no task
// resource for an unsupported task. So each is a 404 in every state (SOL003 clause 5.4.7.3.1 and the like clauses of
// the other tasks), and other methods are a 405.
func (a *api) unsupportedRoutes() []rest.Route {
	const instance = "/vnf_instances/:vnfInstanceId"
	list := []rest.Route{rest.Post(instance+"/change_flavour",
		a.unsupported("another deployment flavour: terminate it, and instantiate it with that flavour"))}
	if a.Number == 1 {
		return list
	}
	return append(list,
		rest.Post(instance+"/change_vnfpkg", a.task(lcm.OpChangeVnfPkg, plannable(a.planPackage))),
		rest.Post(instance+"/create_snapshot", a.unsupported("snapshots")),
		rest.Post(instance+"/revert_to_snapshot", a.unsupported("snapshots")),
	)
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
