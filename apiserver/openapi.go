package apiserver

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/apiserver/rest"
)

// descriptionRoutes serve the description of the API and of its ways to authenticate, for programs and for people.
func (s *Server) descriptionRoutes() []rest.Route {
	described := sync.OnceValues(func() ([]byte, error) { return openapi.Describe(s.Security, s.needs) })
	return []rest.Route{
		rest.Get("/openapi.json", func(c echo.Context) error {
			doc, err := described()
			if err != nil {
				return err
			}
			return c.Blob(http.StatusOK, rest.MimeJSON, doc)
		}),
	}
}

// needs tells which scopes an operation of the document needs.
func (s *Server) needs(method, path string) (scopes []string, open bool) {
	need, open := s.needOf(method, path)
	if open {
		return nil, true
	}
	return need.Scopes(), false
}

// pagePolicy lets the page of the API have scripts and styles of this server, and send requests there. Swagger UI sets
// styles of its own, and has pictures in its styles.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// showPage answers with a file of the page: Swagger UI, which shows the description of the API.
func showPage(c echo.Context, name string) error {
	content, kind, err := openapi.PageFile(name)
	if err != nil {
		return echo.ErrNotFound
	}
	c.Response().Header().Set("Content-Security-Policy", pagePolicy)
	return c.Blob(http.StatusOK, kind, content)
}
