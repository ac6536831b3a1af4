package vims

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Extensions are the routes below /windlass/v1: Tacker's registry has no such resource.
func (h *Handler) Extensions() []rest.Route {
	return []rest.Route{rest.Get("/vims/:vimId/quotas", h.listQuotas)}
}

// quotaView is a limit of a VIM.
type quotaView struct {
	Resource string `json:"resource"`
	Limit    string `json:"limit,omitempty"`
	Used     string `json:"used,omitempty"`
}

// listQuotas answers GET .../quotas. It asks the VIM, with the stored credentials.
func (h *Handler) listQuotas(c echo.Context) error {
	vim, err := h.pathVim(c)
	if err != nil {
		return err
	}
	views := []quotaView{}
	if h.Checker == nil {
		return rest.WriteJSON(c, http.StatusOK, views)
	}
	ctx := c.Request().Context()
	credentials, err := h.OpenMap(ctx, vim.AuthCred)
	if err != nil {
		return err
	}
	quotas, err := h.Checker.Quotas(ctx, vim, credentials)
	if err != nil { // it is the VIM that has refused, not Windlass
		return lcm.Wrap(lcm.KindUnavailable, err, "The VIM does not tell its quotas: %s", lcm.Sentence(err))
	}
	for _, q := range quotas {
		views = append(views, quotaView(q))
	}
	return rest.WriteJSON(c, http.StatusOK, views)
}
