package extensions

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// forgetHostKey drops the SSH host key that was pinned at first contact with a VNFC's server, because its operator has
// rebuilt the server. The next contact pins the server's new key. Idempotent.
func (h *Handler) forgetHostKey(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	vnfc, found := lifecycle.Vnfc(inst, c.Param("vnfcInstanceId"))
	if !found {
		return lcm.Errorf(lcm.KindNotFound, "The VNF instance %s has no VNFC %q.", inst.ID, c.Param("vnfcInstanceId"))
	}
	ctx := c.Request().Context()
	if err := h.Store.ForgetHostKeys(ctx, inst.ID, vnfc.ComputeResource.ResourceID); err != nil {
		return err
	}
	h.Log.WarnContext(ctx, "Host key forgotten on request", "requestId", rest.RequestID(c), "vnfInstanceId", inst.ID,
		"server", vnfc.ComputeResource.ResourceID)
	return c.NoContent(http.StatusNoContent)
}
