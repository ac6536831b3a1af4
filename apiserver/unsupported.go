package apiserver

import (
	"context"
	"net/http"
	"reflect"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// unsupportedRoutes are tasks of the standard that no VNF supports here. A VNF has no task resource for what it does not
// support, so each is a 404 in every state (SOL003 clause 5.4.7.3.1 and those of the others), and other methods a 405. Snapshots are
// a list that stays empty: see ADR 21.
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
	list = append(list, route{http.MethodGet, snapshots, a.listSnapshots}, route{http.MethodPost, snapshots, a.createSnapshot})
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

// snapshotView is VnfSnapshotInfo (SOL003 v3.3.1 clause 5.5.2.22). Nothing is ever shown by it.
type snapshotView struct {
	ID               string          `json:"id"`
	VnfSnapshotPkgID string          `json:"vnfSnapshotPkgId,omitempty"`
	VnfSnapshot      map[string]any  `json:"vnfSnapshot,omitempty"`
	Links            map[string]link `json:"_links"`
}

var snapshotListRules = listRules{view: reflect.TypeFor[snapshotView](), excluded: []string{"vnfSnapshot"}, mandatory: []string{"id", "_links"}}

// listSnapshots is SOL003 v3.3.1 clause 5.4.22.3.2: a list without items is one all the same, and its query is checked.
func (a *lcmAPI) listSnapshots(c echo.Context) error {
	return serveList(c, a.Server, listing[struct{}]{
		rules: snapshotListRules,
		page:  func(context.Context, store.Page) ([]struct{}, error) { return nil, nil },
	})
}

// createSnapshotRequest is CreateVnfSnapshotInfoRequest (SOL003 v3.3.1 clause 5.5.2.20).
type createSnapshotRequest struct {
	VnfSnapshotPkgID string         `json:"vnfSnapshotPkgId"`
	VnfSnapshot      map[string]any `json:"vnfSnapshot"`
	UserDefinedData  map[string]any `json:"userDefinedData"`
}

// createSnapshot is SOL003 v3.3.1 clause 5.4.23.3.1. The resource would be one that nothing can ever fill.
func (a *lcmAPI) createSnapshot(c echo.Context) error {
	if _, err := bind[createSnapshotRequest](c); err != nil {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "No VNF here supports snapshots, so none can be taken of one or laid over one: nothing is created.")
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
