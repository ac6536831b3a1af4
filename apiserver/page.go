package apiserver

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/ui"
)

// page is the web page at /ui.
func (s *Server) page() *ui.Handler {
	settings := s.Page
	settings.Asked, settings.Version = s.Auth != nil, s.Version
	return &ui.Handler{Settings: settings, Keystone: s.Passwords, Issuer: s.Codes, Guesses: s.guess}
}

// guess lets an address try to log in as often as it may show wrong credentials.
func (s *Server) guess(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		end, err := s.beginLookup(c)
		if err != nil {
			return err
		}
		defer end()
		err = next(c)
		if err != nil && rest.ProblemOf(err, "").Status == http.StatusUnauthorized {
			if wait, ok := s.failures.take(c.RealIP()); !ok {
				return tooMany(c, wait)
			}
		}
		return err
	}
}
