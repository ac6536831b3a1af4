package apiserver

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// unsupportedRoutes are tasks of the standard that no VNF supports here. A VNF has no task resource for what it does not
// support, so each is a 404 in every state (SOL003 clause 5.4.7.3.1 and those of the others), and other methods a 405. Snapshots are
// a list that stays empty: a POST to it is a 405.
func (a *lcmAPI) unsupportedRoutes() []route {
	const instance = "/vnf_instances/:vnfInstanceId"
	list := []route{{http.MethodPost, instance + "/change_flavour", a.unsupported("another deployment flavour: terminate it, and instantiate it with that flavour")}}
	if a.number == 1 {
		return list
	}
	list = append(list,
		route{http.MethodPost, instance + "/change_vnfpkg", a.unsupported("another VNF package: terminate it, and modify vnfdId while it is not instantiated")},
		route{http.MethodPost, instance + "/create_snapshot", a.unsupported("snapshots")},
		route{http.MethodPost, instance + "/revert_to_snapshot", a.unsupported("snapshots")},
	)
	const snapshots, snapshot = "/vnf_snapshots", "/vnf_snapshots/:vnfSnapshotInfoId"
	list = append(list, route{http.MethodGet, snapshots, a.listSnapshots})
	for _, r := range []struct{ method, path string }{
		{http.MethodGet, snapshot},
		{http.MethodPatch, snapshot},
		{http.MethodDelete, snapshot},
		{http.MethodGet, snapshot + "/vnf_state_snapshot"},
	} {
		list = append(list, route{r.method, r.path, func(c echo.Context) error {
			return lcm.Errorf(lcm.KindNotFound, "There is no VNF snapshot %q: Windlass takes none.", c.Param("vnfSnapshotInfoId"))
		}})
	}
	return list
}

// listSnapshots is SOL003 v3.3.1 clause 5.4.22.3.2: a list without items is one all the same, and its query is checked.
func (a *lcmAPI) listSnapshots(c echo.Context) error {
	return serveList(c, a.Server, listing[struct{}]{
		rules: listRules{excluded: []string{"vnfSnapshot"}, mandatory: []string{"id", "_links"}},
		page:  func(context.Context, store.Page) ([]struct{}, error) { return nil, nil },
	})
}

// unsupported answers for a task that the VNF does not have; an unknown VNF comes first.
func (a *lcmAPI) unsupported(what string) echo.HandlerFunc {
	return func(c echo.Context) error {
		inst, err := a.pathInstance(c)
		if err != nil {
			return err
		}
		return lcm.Errorf(lcm.KindNotFound, "The VNF instance %s does not support %s.", inst.ID, what)
	}
}
