package vnflcm

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// grantView is a Grant with the links that SOL003 clause 9.5.2.3 wants.
type grantView struct {
	lcm.Grant
	Href  string               `json:"href,omitempty"` // never set: it is a link here
	Links map[string]rest.Link `json:"_links"`
}

// viewOfGrant shows a grant without the secrets that an NFVO may have sent with it.
func viewOfGrant(g lcm.Grant) grantView {
	v := grantView{Grant: g, Links: map[string]rest.Link{}}
	v.VimConnections = slices.Clone(g.VimConnections)
	for i := range v.VimConnections {
		v.VimConnections[i].AccessInfo = nil
	}
	v.AdditionalParams = secrets.MaskDocument(g.AdditionalParams)
	if g.Href != "" {
		v.Links["self"] = rest.Link{Href: g.Href}
	}
	return v
}

// operationGrant is the grant under which an operation works. It is there from the moment the operation leaves
// STARTING.
func (h *Handler) operationGrant(c echo.Context) error {
	o, err := h.PathOpOcc(c)
	if err != nil {
		return err
	}
	g, err := h.Store.Grant(c.Request().Context(), o.ID)
	if err != nil {
		return err
	}
	root := h.Base + dialectV1.Prefix
	if o.APIVersion == dialectV2.Number {
		root = h.Base + dialectV2.Prefix
	}
	view := viewOfGrant(g)
	view.Links["vnfLcmOpOcc"] = rest.Link{Href: root + "/vnf_lcm_op_occs/" + string(o.ID)}
	view.Links["vnfInstance"] = rest.Link{Href: root + "/vnf_instances/" + string(o.VnfInstanceID)}
	return rest.WriteJSON(c, http.StatusOK, view)
}
