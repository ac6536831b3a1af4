package apiserver

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/apiserver/rest"
)

// descriptionRoutes serve what the API is and how clients authenticate: for programs, and for people.
func (s *Server) descriptionRoutes() []rest.Route {
	described := sync.OnceValues(func() (openapi.Described, error) { return openapi.Describe(s.Security, s.needs) })
	return []rest.Route{
		rest.Get("/openapi.json", showing(rest.MimeJSON, func() ([]byte, error) { d, err := described(); return d.JSON, err })),
		rest.Get("/docs", showing("text/html; charset=utf-8",
			func() ([]byte, error) { d, err := described(); return d.Page, err })),
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

func showing(contentType string, content func() ([]byte, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		b, err := content()
		if err != nil {
			return err
		}
		// The page has styles of its own and nothing else.
		c.Response().Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		c.Response().Header().Set("X-Content-Type-Options", "nosniff")
		return c.Blob(http.StatusOK, contentType, b)
	}
}
