package apiserver

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// grantView is a Grant with the links that SOL003 clause 9.5.2.3 wants.
type grantView struct {
	lcm.Grant
	Links map[string]link `json:"_links"`
}

// operationGrant is the grant under which an operation works. It is there from the moment the operation leaves STARTING.
func (s *Server) operationGrant(c echo.Context) error {
	o, err := s.pathOpOcc(c)
	if err != nil {
		return err
	}
	g, err := s.Store.Grant(c.Request().Context(), o.ID)
	if err != nil {
		return err
	}
	root := s.base + dialectV1.prefix
	if o.APIVersion == dialectV2.number {
		root = s.base + dialectV2.prefix
	}
	return writeJSON(c, http.StatusOK, grantView{g, map[string]link{
		"vnfLcmOpOcc": {root + "/vnf_lcm_op_occs/" + string(o.ID)},
		"vnfInstance": {root + "/vnf_instances/" + string(o.VnfInstanceID)},
	}})
}
