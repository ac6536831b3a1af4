package vnflcm

import (
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// snapshotRoutes are the VNF snapshots of SOL003 v3.3.1: records that an NFVO keeps here. No VNF supports the tasks
// that take a snapshot of a VNF, or revert a VNF to one (ADR 21).
func (a *api) snapshotRoutes() []rest.Route {
	const list, one = "/vnf_snapshots", "/vnf_snapshots/:vnfSnapshotInfoId"
	return []rest.Route{
		rest.Post(list, a.createSnapshot),
		rest.Get(list, a.listSnapshots),
		rest.Get(one, a.readSnapshot),
		rest.Patch(one, a.modifySnapshot),
		rest.Delete(one, a.deleteSnapshot),
		rest.Get(one+"/vnf_state_snapshot", a.readStateSnapshot),
	}
}

// snapshotView is VnfSnapshotInfo (clause 5.5.2.22).
type snapshotView struct {
	ID               lcm.VnfSnapshotInfoID `json:"id"`
	VnfSnapshotPkgID string                `json:"vnfSnapshotPkgId,omitempty"`
	VnfSnapshot      json.RawMessage       `json:"vnfSnapshot,omitempty"`
	Links            map[string]rest.Link  `json:"_links"`
}

func (a *api) snapshotView(s lcm.VnfSnapshotInfo) snapshotView {
	return snapshotView{
		ID: s.ID, VnfSnapshotPkgID: s.VnfSnapshotPkgID, VnfSnapshot: s.VnfSnapshot,
		Links: map[string]rest.Link{"self": {Href: a.Base + a.Prefix + "/vnf_snapshots/" + string(s.ID)}},
	}
}

func snapshotTag(s lcm.VnfSnapshotInfo) string { return rest.NumberTag(s.Version) }

// createSnapshot is SOL003 v3.3.1 clause 5.4.23.3.1.
func (a *api) createSnapshot(c echo.Context) error {
	body, err := rest.ReadJSON(c)
	if err != nil {
		return err
	}
	req, err := rest.Decode[snapshotRequest](body)
	if err != nil {
		return err
	}
	if req.VnfSnapshotPkgID != "" && req.VnfSnapshot == nil {
		return rest.Unprocessable("$.vnfSnapshot",
			"is missing: Windlass does not fetch records from VNF snapshot packages; give the record of %s",
			req.VnfSnapshotPkgID)
	}
	snapshot := lcm.VnfSnapshotInfo{ID: rest.NewID[lcm.VnfSnapshotInfoID](), Version: 1}
	if _, err := req.take(body, &snapshot); err != nil {
		return err
	}
	if err := a.Store.CreateSnapshot(c.Request().Context(), snapshot); err != nil {
		return err
	}
	view := a.snapshotView(snapshot)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	rest.ShowTag(c, snapshotTag(snapshot))
	return rest.WriteJSON(c, http.StatusCreated, view)
}

var snapshotListRules = rest.ListRules{
	View: reflect.TypeFor[snapshotView](), Excluded: []string{"vnfSnapshot"}, Mandatory: []string{"id", "_links"},
}

// listSnapshots is SOL003 v3.3.1 clause 5.4.23.3.2.
func (a *api) listSnapshots(c echo.Context) error {
	return rest.ServeList(c, a.Backend, rest.Listing[lcm.VnfSnapshotInfo]{
		Rules: snapshotListRules,
		Page:  a.Store.SnapshotPage,
		View:  func(s lcm.VnfSnapshotInfo) (any, error) { return a.snapshotView(s), nil },
		ID:    func(s lcm.VnfSnapshotInfo) string { return string(s.ID) },
	})
}

func (a *api) pathSnapshot(c echo.Context) (lcm.VnfSnapshotInfo, error) {
	id, err := rest.IDParam[lcm.VnfSnapshotInfoID](c, "vnfSnapshotInfoId", "VNF snapshot")
	if err != nil {
		return lcm.VnfSnapshotInfo{}, err
	}
	snapshot, err := a.Store.Snapshot(c.Request().Context(), id)
	if err == nil {
		rest.InProjectOf(c, snapshot.ProjectID)
	}
	return snapshot, err
}

// readSnapshot is SOL003 v3.3.1 clause 5.4.24.3.2.
func (a *api) readSnapshot(c echo.Context) error {
	if err := rest.NoQuery(c); err != nil {
		return err
	}
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	rest.ShowTag(c, snapshotTag(snapshot))
	if rest.Unchanged(c, snapshotTag(snapshot)) {
		return c.NoContent(http.StatusNotModified)
	}
	return rest.WriteJSON(c, http.StatusOK, a.snapshotView(snapshot))
}

// snapshotChange is VnfSnapshotInfoModifications (clause 5.5.2.25): the attributes that a patch has changed.
type snapshotChange struct {
	VnfSnapshotPkgID string          `json:"vnfSnapshotPkgId,omitempty"`
	VnfSnapshot      json.RawMessage `json:"vnfSnapshot,omitempty"`
}

// modifySnapshot is SOL003 v3.3.1 clause 5.4.24.3.4: a JSON merge patch of a snapshot that has no record yet. It may
// name the package alone; only a creation from a package would make Windlass fetch the record.
func (a *api) modifySnapshot(c echo.Context) error {
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	body, err := rest.ReadJSON(c, mimeMergePatch)
	if err != nil {
		return err
	}
	req, err := requests.Decode[snapshotRequest](body)
	if err := requests.WithProblems(err, req.fixed()); err != nil {
		return err
	}
	if err := rest.CheckMatch(c, snapshotTag(snapshot), "VNF snapshot"); err != nil {
		return err
	}
	if len(snapshot.VnfSnapshot) > 0 {
		return lcm.Errorf(lcm.KindConflict, "The VNF snapshot %s has a record, and cannot be modified any more.", snapshot.ID)
	}
	changes, err := req.take(body, &snapshot)
	if err != nil {
		return err
	}
	if !changes {
		return lcm.Errorf(lcm.KindInvalid, "The request changes nothing: give vnfSnapshotPkgId or vnfSnapshot.")
	}
	if err := a.Store.UpdateSnapshot(c.Request().Context(), snapshot); err != nil {
		return a.orSnapshotChanged(c, snapshot.ID, err)
	}
	snapshot.Version++
	rest.ShowTag(c, snapshotTag(snapshot))
	return rest.WriteJSON(c, http.StatusOK, snapshotChange{req.VnfSnapshotPkgID, snapshot.VnfSnapshot})
}

// deleteSnapshot is SOL003 v3.3.1 clause 5.4.24.3.5.
func (a *api) deleteSnapshot(c echo.Context) error {
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, snapshotTag(snapshot), "VNF snapshot"); err != nil {
		return err
	}
	if err := a.Store.DeleteSnapshot(c.Request().Context(), snapshot.ID, rest.OnlyIf(c, snapshot.Version)...); err != nil {
		return a.orSnapshotChanged(c, snapshot.ID, err)
	}
	return c.NoContent(http.StatusNoContent)
}

// orSnapshotChanged makes a 412 of a refusal when the snapshot has changed under a conditional request.
func (a *api) orSnapshotChanged(c echo.Context, id lcm.VnfSnapshotInfoID, err error) error {
	return rest.OrChanged(c, "VNF snapshot", err, func() (string, error) {
		now, err := a.Store.Snapshot(c.Request().Context(), id)
		return snapshotTag(now), err
	})
}

// readStateSnapshot is SOL003 v3.3.1 clause 5.4.25.3.2. The state of a VNF is in a snapshot that a VNFM took of it, or
// in the package of the record.
func (a *api) readStateSnapshot(c echo.Context) error {
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "The VNF snapshot %s holds no state of a VNF: Windlass keeps records of "+
		"snapshots, but does not take snapshots.", snapshot.ID)
}
