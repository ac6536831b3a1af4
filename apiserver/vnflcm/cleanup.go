package vnflcm

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// cleanUpRequest is empty: all leftovers are removed at once.
type cleanUpRequest struct{}

// forcefully is the TERMINATE that cleans up: the leftovers serve nobody, so they need no time to end.
var forcefully = asked{
	Reading: requests.Reading{Request: lcm.TerminateRequest{TerminationType: string(lcm.Forceful)}},
	body:    []byte(`{"terminationType":"FORCEFUL"}`),
}

// cleanUp removes the leftovers of an INSTANTIATE that was declared FAILED. SOL003 lets only instantiated VNFs be
// terminated (clause 5.4.8), and has no task for the leftovers of other VNFs: so this is an extension. The operation is
// a TERMINATE like any other; it terminates the VNF that the INSTANTIATE was to make.
func (h *Handler) cleanUp(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	if _, err := rest.BindOptional[cleanUpRequest](c); err != nil {
		return err
	}
	version, err := plannedVersion(c)
	if err != nil {
		return err
	}
	if err := h.checkLeftovers(c.Request().Context(), inst); err != nil {
		return err
	}
	a := &api{h, &dialectV1}
	if version == dialectV2.Number {
		a.dialect = &dialectV2
	}
	// Only of the instance as it was seen: it may be instantiated meanwhile.
	return a.beginOf(c, inst, inst.Version, forcefully)
}

// checkLeftovers refuses to clean up a running VNF, or a VNF without leftovers.
func (h *Handler) checkLeftovers(ctx context.Context, inst lcm.VnfInstance) error {
	if inst.InstantiationState == lcm.Instantiated {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is instantiated: terminate it.", inst.ID)
	}
	if err := h.Store.CheckIdle(ctx, inst.ID); err != nil {
		return err
	}
	_, left, err := h.Store.LeftBehind(ctx, inst.ID, time.Time{})
	if err != nil {
		return err
	}
	if !left {
		return lcm.Errorf(lcm.KindConflict, "Nothing is left of the VNF instance %s: since its last successful "+
			"operation or rollback, no INSTANTIATE was declared FAILED that has left anything. "+
			"You can delete the instance.", inst.ID)
	}
	return nil
}
