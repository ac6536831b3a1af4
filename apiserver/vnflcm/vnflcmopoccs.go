package vnflcm

import (
	"net/http"
	"reflect"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (d *dialect) operationListRules() rest.ListRules {
	return rest.ListRules{
		View: reflect.TypeFor[opOccView](), Unused: d.unusedOperationParts, Excluded: d.excludedOperationParts,
		Mandatory: []string{
			"id", "operationState", "stateEnteredTime", "startTime", "vnfInstanceId", "operation", "isAutomaticInvocation",
			"isCancelPending", "_links",
		},
	}
}

func (a *api) listOpOccs(c echo.Context) error {
	return rest.ServeList(c, a.Backend, rest.Listing[lcm.VnfLcmOpOcc]{
		Rules: a.operationListRules(),
		Page:  a.Store.OperationPage,
		View:  func(o lcm.VnfLcmOpOcc) (any, error) { return a.opOcc(a.Base, o) },
		ID:    func(o lcm.VnfLcmOpOcc) string { return string(o.ID) },
	})
}

func (a *api) readOpOcc(c echo.Context) error {
	if err := rest.NoQuery(c); err != nil {
		return err
	}
	o, err := a.PathOpOcc(c)
	if err != nil {
		return err
	}
	return a.showOpOcc(c, o)
}

func (a *api) showOpOcc(c echo.Context, o lcm.VnfLcmOpOcc) error {
	v, err := a.opOcc(a.Base, o)
	if err != nil {
		return err
	}
	rest.ShowTag(c, opOccTag(o))
	return rest.WriteJSON(c, http.StatusOK, v)
}

// retry is SOL003 clause 5.4.14.
func (a *api) retry(c echo.Context) error { return a.act(c, lcm.Retry, lcm.CancelRequest{}) }

// rollback is SOL003 clause 5.4.15.
func (a *api) rollback(c echo.Context) error { return a.act(c, lcm.Rollback, lcm.CancelRequest{}) }

// cancel is SOL003 clause 5.4.17.
func (a *api) cancel(c echo.Context) error {
	if _, err := a.PathOpOcc(c); err != nil { // an unknown operation comes before a bad body
		return err
	}
	req, err := rest.Bind[cancelRequest](c)
	if err != nil {
		return err
	}
	return a.act(c, lcm.Cancel, lcm.CancelRequest{Mode: lcm.CancelMode(req.CancelMode)})
}

// fail is SOL003 clause 5.4.16; unlike the others it has happened when it is answered.
func (a *api) fail(c echo.Context) error {
	o, err := a.actOn(c, lcm.Fail, lcm.CancelRequest{})
	if err != nil {
		return err
	}
	if o, err = a.Store.Operation(c.Request().Context(), o.ID); err != nil {
		return err
	}
	return a.showOpOcc(c, o)
}

func (a *api) act(c echo.Context, action lcm.Action, cancel lcm.CancelRequest) error {
	if _, err := a.actOn(c, action, cancel); err != nil {
		return err
	}
	return c.NoContent(http.StatusAccepted)
}

// actOn passes an action on to the workflow, whose validator decides. If the row already refuses the action, Temporal
// is not asked: the row has the state that the client has seen.
func (a *api) actOn(c echo.Context, action lcm.Action, cancel lcm.CancelRequest) (lcm.VnfLcmOpOcc, error) {
	o, err := a.PathOpOcc(c)
	if err != nil {
		return o, err
	}
	if !hasTask(o, action) {
		return o, lcm.Errorf(lcm.KindNotFound, "A %s cannot be rolled back, it goes forward only: retry it, or fail it.",
			o.Operation)
	}
	// If no worker was there to answer a cancel in time, the client repeats it: its own cancel must cause no conflict.
	// Once the operation has stopped, SOL003 clause 5.4.17 has a 409.
	if action == lcm.Cancel && o.State.Accepts(action) && o.IsCancelPending && o.CancelMode == cancel.Mode {
		return o, nil
	}
	if !o.State.Accepts(action) {
		return o, lcm.Errorf(lcm.KindConflict, "The operation is %s: %s is not possible.", o.State, action)
	}
	if action == lcm.Rollback && o.ForwardOnly {
		return o, lcm.Errorf(lcm.KindConflict,
			"Nodes or servers may be deleted already, so the %s goes forward only: retry it, or fail it.", o.Operation)
	}
	err = a.Starter.Act(c.Request().Context(), o.ID, action, cancel)
	if lcm.Is(err, lcm.KindConflict) {
		// If a worker ends between the write of the row and its own state, the row is ahead. The next worker first answers,
		// then continues with the state.
		err = a.Starter.Act(c.Request().Context(), o.ID, action, cancel)
	}
	return o, err
}

// hasTask tells whether an operation has the task resource at all. A missing task resource is a 404 in every state, as
// SOL003 clause 5.4.15 says of a rollback that the operation does not support; a 409 would promise another state.
func hasTask(o lcm.VnfLcmOpOcc, a lcm.Action) bool {
	return a != lcm.Rollback || o.Operation.CanRollBack()
}
