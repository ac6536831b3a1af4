package apiserver

import (
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// snapshotRoutes are the VNF snapshots of SOL003 v3.3.1: records that an NFVO keeps here. The tasks that would take a
// snapshot of a VNF, or lay one over it, no VNF supports (ADR 21).
func (a *lcmAPI) snapshotRoutes() []route {
	const list, one = "/vnf_snapshots", "/vnf_snapshots/:vnfSnapshotInfoId"
	return []route{
		{http.MethodPost, list, a.createSnapshot},
		{http.MethodGet, list, a.listSnapshots},
		{http.MethodGet, one, a.readSnapshot},
		{http.MethodPatch, one, a.modifySnapshot},
		{http.MethodDelete, one, a.deleteSnapshot},
		{http.MethodGet, one + "/vnf_state_snapshot", a.readStateSnapshot},
	}
}

// snapshotView is VnfSnapshotInfo (clause 5.5.2.22).
type snapshotView struct {
	ID               lcm.VnfSnapshotInfoID `json:"id"`
	VnfSnapshotPkgID string                `json:"vnfSnapshotPkgId,omitempty"`
	VnfSnapshot      json.RawMessage       `json:"vnfSnapshot,omitempty"`
	Links            map[string]link       `json:"_links"`
}

func (a *lcmAPI) snapshotView(s lcm.VnfSnapshotInfo) snapshotView {
	return snapshotView{
		ID: s.ID, VnfSnapshotPkgID: s.VnfSnapshotPkgID, VnfSnapshot: s.VnfSnapshot,
		Links: map[string]link{"self": {a.base + a.prefix + "/vnf_snapshots/" + string(s.ID)}},
	}
}

func snapshotTag(s lcm.VnfSnapshotInfo) string { return numberTag(s.Version) }

// createSnapshot is SOL003 v3.3.1 clause 5.4.23.3.1.
func (a *lcmAPI) createSnapshot(c echo.Context) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	req, err := decode[snapshotRequest](body)
	if err != nil {
		return err
	}
	if req.VnfSnapshotPkgID != "" && req.VnfSnapshot == nil {
		return unprocessable("$.vnfSnapshot",
			"is missing: records of VNF snapshots are not fetched from their packages, give the one of %s", req.VnfSnapshotPkgID)
	}
	snapshot := lcm.VnfSnapshotInfo{ID: newID[lcm.VnfSnapshotInfoID](), Version: 1}
	if _, err := req.take(body, &snapshot); err != nil {
		return err
	}
	if err := a.Store.CreateSnapshot(c.Request().Context(), snapshot); err != nil {
		return err
	}
	view := a.snapshotView(snapshot)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	showTag(c, snapshotTag(snapshot))
	return writeJSON(c, http.StatusCreated, view)
}

var snapshotListRules = listRules{
	view: reflect.TypeFor[snapshotView](), excluded: []string{"vnfSnapshot"},
	mandatory: []string{"id", "_links"},
}

// listSnapshots is SOL003 v3.3.1 clause 5.4.23.3.2.
func (a *lcmAPI) listSnapshots(c echo.Context) error {
	return serveList(c, a.Server, listing[lcm.VnfSnapshotInfo]{
		rules: snapshotListRules,
		page:  a.Store.SnapshotPage,
		view:  func(s lcm.VnfSnapshotInfo) (any, error) { return a.snapshotView(s), nil },
		id:    func(s lcm.VnfSnapshotInfo) string { return string(s.ID) },
	})
}

func (a *lcmAPI) pathSnapshot(c echo.Context) (lcm.VnfSnapshotInfo, error) {
	id, err := idParam[lcm.VnfSnapshotInfoID](c, "vnfSnapshotInfoId", "VNF snapshot")
	if err != nil {
		return lcm.VnfSnapshotInfo{}, err
	}
	snapshot, err := a.Store.Snapshot(c.Request().Context(), id)
	if err == nil {
		inProjectOf(c, snapshot.ProjectID)
	}
	return snapshot, err
}

// readSnapshot is SOL003 v3.3.1 clause 5.4.24.3.2.
func (a *lcmAPI) readSnapshot(c echo.Context) error {
	if err := noQuery(c); err != nil {
		return err
	}
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	showTag(c, snapshotTag(snapshot))
	return writeJSON(c, http.StatusOK, a.snapshotView(snapshot))
}

// snapshotChange is VnfSnapshotInfoModifications (clause 5.5.2.25): the attributes that a patch has changed.
type snapshotChange struct {
	VnfSnapshotPkgID string          `json:"vnfSnapshotPkgId,omitempty"`
	VnfSnapshot      json.RawMessage `json:"vnfSnapshot,omitempty"`
}

// modifySnapshot is SOL003 v3.3.1 clause 5.4.24.3.4: a JSON merge patch of a snapshot that has no record yet. It may
// name the package alone; only the creation from one would have us fetch the record.
func (a *lcmAPI) modifySnapshot(c echo.Context) error {
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	body, err := readJSON(c, mimeMergePatch)
	if err != nil {
		return err
	}
	req, err := decode[snapshotRequest](body)
	if err := withProblems(err, patchProblems(body, []string{"id", "_links"})); err != nil {
		return err
	}
	if err := checkMatch(c, snapshotTag(snapshot), "VNF snapshot"); err != nil {
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
	showTag(c, snapshotTag(snapshot))
	return writeJSON(c, http.StatusOK, snapshotChange{req.VnfSnapshotPkgID, snapshot.VnfSnapshot})
}

// deleteSnapshot is SOL003 v3.3.1 clause 5.4.24.3.5.
func (a *lcmAPI) deleteSnapshot(c echo.Context) error {
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	if err := checkMatch(c, snapshotTag(snapshot), "VNF snapshot"); err != nil {
		return err
	}
	if err := a.Store.DeleteSnapshot(c.Request().Context(), snapshot.ID, onlyIf(c, snapshot.Version)...); err != nil {
		return a.orSnapshotChanged(c, snapshot.ID, err)
	}
	return c.NoContent(http.StatusNoContent)
}

// orSnapshotChanged makes a 412 of a refusal when the snapshot has changed under a conditional request.
func (a *lcmAPI) orSnapshotChanged(c echo.Context, id lcm.VnfSnapshotInfoID, err error) error {
	return orChanged(c, "VNF snapshot", err, func() (string, error) {
		now, err := a.Store.Snapshot(c.Request().Context(), id)
		return snapshotTag(now), err
	})
}

// readStateSnapshot is SOL003 v3.3.1 clause 5.4.25.3.2. The state of a VNF is in a snapshot that was taken of it, or in
// the package that the record is of.
func (a *lcmAPI) readStateSnapshot(c echo.Context) error {
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	return lcm.Errorf(lcm.KindConflict,
		"The VNF snapshot %s holds no state of a VNF: records of snapshots are kept here, and none is taken.", snapshot.ID)
}
