package apiserver

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

// rootRoutes answer those who know nothing but where the server is.
func (s *Server) rootRoutes() []rest.Route { return []rest.Route{rest.Get("/", s.readRoot)} }

// rootView says what serves here, and where to go on.
type rootView struct {
	Name        string               `json:"name"`
	Description string               `json:"description"`
	Links       map[string]rest.Link `json:"_links"`
}

func (s *Server) readRoot(c echo.Context) error {
	links := map[string]rest.Link{}
	for name, path := range map[string]string{
		"self": "/", "vnflcm": "/vnflcm/api_versions", "vnfpkgm": "/vnfpkgm/api_versions", "vims": "/v1.0/vims",
		"docs": "/docs", "openapi": "/openapi.json", "health": "/healthz", "readiness": "/readyz",
	} {
		links[name] = rest.Link{Href: s.base + path}
	}
	return rest.WriteJSON(c, http.StatusOK, rootView{
		Name: "Windlass", Description: "A VNF Manager: SOL003, on OpenStack",
		Links: links,
	})
}
