package apiserver

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/ui"
)

// rootRoutes serve clients that know only the server's address.
func (s *Server) rootRoutes() []rest.Route {
	return []rest.Route{rest.Get("/", leadBrowsers(acceptsJSON(s.readRoot)))}
}

// leadBrowsers sends browsers that ask for a page to the web page.
func leadBrowsers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Vary", "Accept")
		if wantsPage(c) {
			return ui.Lead(c)
		}
		return next(c)
	}
}

// rootView says which server this is, and where its APIs are.
type rootView struct {
	Name        string               `json:"name"`
	Description string               `json:"description"`
	Links       map[string]rest.Link `json:"_links"`
}

func (s *Server) readRoot(c echo.Context) error {
	links := map[string]rest.Link{}
	for name, path := range map[string]string{
		"self": "/", "vnflcm": "/vnflcm/api_versions", "vnfpkgm": "/vnfpkgm/api_versions", "vims": "/v1.0/vims",
		"docs": "/docs/README.md", "ui": "/ui/", "openapi": "/openapi.json", "health": "/healthz", "readiness": "/readyz",
	} {
		links[name] = rest.Link{Href: s.base + path}
	}
	return rest.WriteJSON(c, http.StatusOK, rootView{
		Name: "Windlass", Description: "A VNF Manager: SOL003, for VNFs of servers and of containers", Links: links,
	})
}

// wantsPage tells whether a browser asks, to show the answer to a person. Most programs accept any type, and do not
// name HTML.
func wantsPage(c echo.Context) bool {
	header := strings.Join(c.Request().Header.Values("Accept"), ",")
	return strings.Contains(header, "text/html") && !strings.Contains(header, rest.MimeJSON) && rest.Accepts(c, "text/html")
}
