package apiserver

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
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

// snapshotRequest is CreateVnfSnapshotInfoRequest and VnfSnapshotInfoModificationRequest (SOL003 v3.3.1 clauses 5.5.2.20 and
// 5.5.2.24), which have the same attributes.
type snapshotRequest struct {
	VnfSnapshotPkgID string          `json:"vnfSnapshotPkgId"`
	VnfSnapshot      *snapshotRecord `json:"vnfSnapshot"`
}

// snapshotRecord is what of VnfSnapshot (clause 5.5.2.23) is looked at. Not all that the clause requires is required: ETSI's
// OpenAPI definition has former names for some of it. The record is kept as it is given.
type snapshotRecord struct {
	ID                 string         `json:"id" sol:"required"`
	VnfInstanceID      string         `json:"vnfInstanceId" sol:"required"`
	CreationStartedAt  string         `json:"creationStartedAt"`
	CreationFinishedAt string         `json:"creationFinishedAt"`
	VnfdID             string         `json:"vnfdId" sol:"required"`
	VnfInstance        map[string]any `json:"vnfInstance"`
	VnfcSnapshots      []vnfcRecord   `json:"vnfcSnapshots" sol:"required"`
	StateSnapshot      map[string]any `json:"vnfStateSnapshotInfo"`
	UserDefinedData    map[string]any `json:"userDefinedData"`
}

// vnfcRecord is VnfcSnapshotInfo (clause 5.5.3.21).
type vnfcRecord struct {
	ID             string         `json:"id" sol:"required"`
	VnfcInstanceID string         `json:"vnfcInstanceId" sol:"required"`
	Compute        map[string]any `json:"computeSnapshotResource"`
	Storages       []struct {
		ID string `json:"storageResourceId" sol:"required"`
	} `json:"storageSnapshotResources"`
	UserDefinedData map[string]any `json:"userDefinedData"`
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
		return unprocessable("$.vnfSnapshot", "is missing: records of VNF snapshots are not fetched from their packages, give the one of %s", req.VnfSnapshotPkgID)
	}
	ctx := c.Request().Context()
	snapshot := lcm.VnfSnapshotInfo{ID: newID[lcm.VnfSnapshotInfoID](), VnfSnapshotPkgID: req.VnfSnapshotPkgID, Version: 1}
	if err := a.keepRecord(ctx, &snapshot, body, a.Store.CreateSnapshot); err != nil {
		return err
	}
	view := a.snapshotView(snapshot)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	showTag(c, snapshotTag(snapshot))
	return writeJSON(c, http.StatusCreated, view)
}

// keepRecord puts the record of a request into the snapshot and its secrets into the vault, and stores both, or neither.
func (s *Server) keepRecord(ctx context.Context, snapshot *lcm.VnfSnapshotInfo, body []byte, store func(context.Context, lcm.VnfSnapshotInfo) error) error {
	record, err := givenRecord(body)
	if err != nil {
		return err
	}
	// Of two requests at once one is refused, and must not leave its secrets in the place of the other's.
	prefix := snapshotSecrets(snapshot.ID) + newID[lcm.SecretRef]()
	snapshot.VnfSnapshot, err = secrets.SealDocument(ctx, s.Vault, prefix, record)
	if err == nil {
		err = store(ctx, *snapshot)
	}
	if err != nil {
		s.forget(ctx, prefix)
	}
	return err
}

// givenRecord is the record in a request that was checked, empty when there is none. What is null in it is not there, and its
// links are not kept: they lead to where it comes from.
func givenRecord(body []byte) (json.RawMessage, error) {
	var req struct {
		VnfSnapshot json.RawMessage `json:"vnfSnapshot"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The request's body does not have the expected form.")
	}
	if len(req.VnfSnapshot) == 0 || isNull(req.VnfSnapshot) {
		return nil, nil
	}
	record, err := jsonpatch.MergePatch([]byte(`{}`), req.VnfSnapshot)
	if err == nil {
		record, err = jsonpatch.MergePatch(record, []byte(`{"_links":null}`))
	}
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The record of the VNF snapshot cannot be read.")
	}
	return record, nil
}

func snapshotSecrets(id lcm.VnfSnapshotInfoID) lcm.SecretRef {
	return lcm.SecretRef("snapshot/" + string(id) + "/")
}

var snapshotListRules = listRules{view: reflect.TypeFor[snapshotView](), excluded: []string{"vnfSnapshot"}, mandatory: []string{"id", "_links"}}

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

// modifySnapshot is SOL003 v3.3.1 clause 5.4.24.3.4: a JSON merge patch of a snapshot that has no record yet.
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
	if hasMember(body, "vnfSnapshotPkgId") {
		snapshot.VnfSnapshotPkgID = req.VnfSnapshotPkgID // none, when it is null
	}
	ctx := c.Request().Context()
	if err := a.keepRecord(ctx, &snapshot, body, a.Store.UpdateSnapshot); err != nil {
		return a.orSnapshotChanged(c, snapshot.ID, err)
	}
	snapshot.Version++
	showTag(c, snapshotTag(snapshot))
	return writeJSON(c, http.StatusOK, snapshotChange{req.VnfSnapshotPkgID, snapshot.VnfSnapshot})
}

// hasMember tells whether a body that is an object has a member, which may be null.
func hasMember(body []byte, name string) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members) // what is not of the form was told
	_, has := members[name]
	return has
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
	ctx := c.Request().Context()
	if err := a.Store.DeleteSnapshot(ctx, snapshot.ID, onlyIf(c, snapshot.Version)...); err != nil {
		return a.orSnapshotChanged(c, snapshot.ID, err)
	}
	a.forget(ctx, snapshotSecrets(snapshot.ID))
	return c.NoContent(http.StatusNoContent)
}

// orSnapshotChanged makes a 412 of a refusal when the snapshot has changed under a conditional request.
func (a *lcmAPI) orSnapshotChanged(c echo.Context, id lcm.VnfSnapshotInfoID, err error) error {
	return orChanged(c, "VNF snapshot", err, func() (string, error) {
		now, err := a.Store.Snapshot(c.Request().Context(), id)
		return snapshotTag(now), err
	})
}

// readStateSnapshot is SOL003 v3.3.1 clause 5.4.25.3.2. The state of a VNF is in a snapshot that was taken of it, or in the
// package that the record is of.
func (a *lcmAPI) readStateSnapshot(c echo.Context) error {
	snapshot, err := a.pathSnapshot(c)
	if err != nil {
		return err
	}
	return lcm.Errorf(lcm.KindConflict, "The VNF snapshot %s holds a record only, and no state of a VNF.", snapshot.ID)
}
