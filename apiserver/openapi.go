package apiserver

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/openapi"
)

// descriptionRoutes serve what the API is: for programs, and for people.
func descriptionRoutes() []route {
	return []route{
		{http.MethodGet, "/openapi.json", showing(mimeJSON, openapi.JSON)},
		{http.MethodGet, "/docs", showing("text/html; charset=utf-8", openapi.Page)},
	}
}

func showing(contentType string, content func() ([]byte, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		b, err := content()
		if err != nil {
			return err
		}
		// The page has styles of its own and nothing else.
		c.Response().Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		c.Response().Header().Set("X-Content-Type-Options", "nosniff")
		return c.Blob(http.StatusOK, contentType, b)
	}
}
