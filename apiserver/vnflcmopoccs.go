package apiserver

import (
	"net/http"
	"reflect"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (d *dialect) operationListRules() listRules {
	return listRules{
		view: reflect.TypeFor[opOccView](), unused: d.unusedOperationParts, excluded: d.excludedOperationParts,
		mandatory: []string{
			"id", "operationState", "stateEnteredTime", "startTime", "vnfInstanceId", "operation", "isAutomaticInvocation",
			"isCancelPending", "_links",
		},
	}
}

func (a *lcmAPI) listOpOccs(c echo.Context) error {
	return serveList(c, a.Server, listing[lcm.VnfLcmOpOcc]{
		rules: a.operationListRules(),
		page:  a.Store.OperationPage,
		view:  func(o lcm.VnfLcmOpOcc) (any, error) { return a.opOcc(a.base, o) },
		id:    func(o lcm.VnfLcmOpOcc) string { return string(o.ID) },
	})
}

// pathOpOcc reads the operation that the path names.
func (s *Server) pathOpOcc(c echo.Context) (lcm.VnfLcmOpOcc, error) {
	id, err := idParam[lcm.OpOccID](c, "vnfLcmOpOccId", "VNF lifecycle operation occurrence")
	if err != nil {
		return lcm.VnfLcmOpOcc{}, err
	}
	o, err := s.Store.Operation(c.Request().Context(), id)
	if err == nil {
		inProjectOf(c, o.ProjectID)
	}
	return o, err
}

func (a *lcmAPI) readOpOcc(c echo.Context) error {
	if err := noQuery(c); err != nil {
		return err
	}
	o, err := a.pathOpOcc(c)
	if err != nil {
		return err
	}
	return a.showOpOcc(c, o)
}

func (a *lcmAPI) showOpOcc(c echo.Context, o lcm.VnfLcmOpOcc) error {
	v, err := a.opOcc(a.base, o)
	if err != nil {
		return err
	}
	showTag(c, opOccTag(o))
	return writeJSON(c, http.StatusOK, v)
}

// retry is SOL003 clause 5.4.14.
func (a *lcmAPI) retry(c echo.Context) error { return a.act(c, lcm.Retry, lcm.CancelRequest{}) }

// rollback is SOL003 clause 5.4.15.
func (a *lcmAPI) rollback(c echo.Context) error { return a.act(c, lcm.Rollback, lcm.CancelRequest{}) }

// cancel is SOL003 clause 5.4.17.
func (a *lcmAPI) cancel(c echo.Context) error {
	if _, err := a.pathOpOcc(c); err != nil { // an unknown operation comes before a bad body
		return err
	}
	req, err := bind[cancelRequest](c)
	if err != nil {
		return err
	}
	return a.act(c, lcm.Cancel, lcm.CancelRequest{Mode: lcm.CancelMode(req.CancelMode)})
}

// fail is SOL003 clause 5.4.16; unlike the others it has happened when it is answered.
func (a *lcmAPI) fail(c echo.Context) error {
	o, err := a.actOn(c, lcm.Fail, lcm.CancelRequest{})
	if err != nil {
		return err
	}
	if o, err = a.Store.Operation(c.Request().Context(), o.ID); err != nil {
		return err
	}
	return a.showOpOcc(c, o)
}

func (a *lcmAPI) act(c echo.Context, action lcm.Action, cancel lcm.CancelRequest) error {
	if _, err := a.actOn(c, action, cancel); err != nil {
		return err
	}
	return c.NoContent(http.StatusAccepted)
}

// actOn passes an action on to the workflow, whose validator has the last word. What the row refuses
// already needs no Temporal: it is the state that the client has seen.
func (a *lcmAPI) actOn(c echo.Context, action lcm.Action, cancel lcm.CancelRequest) (lcm.VnfLcmOpOcc, error) {
	o, err := a.pathOpOcc(c)
	if err != nil {
		return o, err
	}
	if !hasTask(o, action) {
		return o, lcm.Errorf(lcm.KindNotFound, "A %s cannot be rolled back, it goes forward only: retry it, or fail it.",
			o.Operation)
	}
	if !o.State.Accepts(action) {
		return o, lcm.Errorf(lcm.KindConflict, "The operation is %s: %s is not possible.", o.State, action)
	}
	if action == lcm.Rollback && o.ForwardOnly {
		return o, lcm.Errorf(lcm.KindConflict,
			"Nodes or servers may be deleted already, so the %s goes forward only: retry it, or fail it.", o.Operation)
	}
	return o, a.Starter.Act(c.Request().Context(), o.ID, action, cancel)
}

// hasTask tells whether an operation has the task resource at all. One that is missing is a 404 in every state, as
// SOL003 clause 5.4.15 says of a rollback that the operation does not support; a 409 would promise another state.
func hasTask(o lcm.VnfLcmOpOcc, a lcm.Action) bool {
	return a != lcm.Rollback || o.Operation.CanRollBack()
}
