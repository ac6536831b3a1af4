package apiserver

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
)

// Authenticator identifies the sender of a request. An error is an *auth.UnauthenticatedError, or an *lcm.Error if the
// sender cannot be looked up now.
type Authenticator interface {
	Authenticate(r *http.Request) (auth.Identity, error)
}

// authenticate admits clients with good credentials. Later handlers know who the client is, and see only its resources.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		need, open := s.needOf(c.Request().Method, c.Path())
		if open {
			return next(c)
		}
		who := auth.Nobody
		if s.Auth != nil {
			var err error
			if who, err = s.identifyClient(c); err != nil {
				return err
			}
		} else {
			// Without authentication, only the address tells clients apart.
			who.Client += " at " + c.RealIP()
		}
		c.SetRequest(c.Request().WithContext(auth.With(c.Request().Context(), who)))
		if wait, ok := s.clients.take(who.Client); !ok {
			return tooMany(c, wait)
		}
		if c.Path() != "" && !who.May(need) { // a path of no route is a 404
			return s.forbidden(c, who, need)
		}
		return next(c)
	}
}

// identifyClient authenticates the request.
func (s *Server) identifyClient(c echo.Context) (auth.Identity, error) {
	r := c.Request()
	var ends []func()
	limited := auth.LimitLookups(r.Context(), func() error {
		end, err := s.beginLookup(c)
		if err == nil {
			ends = append(ends, end)
		}
		return err
	})
	// Not before a bad answer is counted below: meanwhile another lookup would take the place of this one.
	defer func() {
		for _, end := range ends {
			end()
		}
	}()
	who, err := s.Auth.Authenticate(r.WithContext(limited))
	failure, ok := errors.AsType[*auth.UnauthenticatedError](err)
	if !ok {
		return who, err
	}
	if wait, ok := s.failures.take(c.RealIP()); !ok {
		return who, tooMany(c, wait)
	}
	s.log.WarnContext(c.Request().Context(), "Not authenticated", "requestId", rest.RequestID(c), "remote", c.RealIP(), "error",
		err)
	status := http.StatusUnauthorized
	switch {
	case failure.Unknown:
		return who, rest.HTTPErrorf(http.StatusForbidden, "%s", failure.Detail)
	case failure.Malformed:
		status = http.StatusBadRequest
	}
	for _, challenge := range failure.Challenges {
		c.Response().Header().Add("WWW-Authenticate", challenge)
	}
	return who, rest.HTTPErrorf(status, "%s", failure.Detail)
}

// beginLookup allows a lookup of credentials from an address, unless the address has sent too many bad ones. A lookup
// counts as bad until end is called, which must be after a bad answer is counted.
func (s *Server) beginLookup(c echo.Context) (end func(), err error) {
	address := c.RealIP()
	if !s.lookups.begin(address, s.failures.left) {
		return nil, tooMany(c, time.Second/failuresPerSecond)
	}
	return func() { s.lookups.end(address) }, nil
}

func (s *Server) forbidden(c echo.Context, who auth.Identity, need auth.Need) error {
	scopes := need.Scopes()
	if strings.HasPrefix(who.Client, "oauth2 ") { // RFC 6750 clause 3.1
		c.Response().Header().Set("WWW-Authenticate",
			`Bearer realm="windlass", error="insufficient_scope", scope="`+scopes[0]+`"`)
	}
	return rest.HTTPErrorf(http.StatusForbidden, "This request needs the scope %s; you have %s.",
		strings.Join(scopes, " or "),
		scopesText(who.Scopes))
}

func scopesText(scopes []string) string {
	if len(scopes) == 0 {
		return "none"
	}
	return rest.Clip(strings.Join(scopes, " "), 500)
}
