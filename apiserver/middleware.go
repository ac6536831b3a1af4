package apiserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// A client's own request id is kept when it cannot hurt a log.
var plainID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// tolerateDoubleSlashes lets clients join an endpoint that ends in a slash with a path that begins with one.
func tolerateDoubleSlashes(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		u := c.Request().URL
		for strings.Contains(u.Path, "//") {
			u.Path = strings.ReplaceAll(u.Path, "//", "/")
		}
		for strings.Contains(u.RawPath, "//") {
			u.RawPath = strings.ReplaceAll(u.RawPath, "//", "/")
		}
		return next(c)
	}
}

func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(rest.HeaderRequestID)
		if !plainID.MatchString(id) {
			id = uuid.NewString()
		}
		c.Response().Header().Set(rest.HeaderRequestID, id)
		// Files of packages are answers, too: a browser must not take one for a script.
		c.Response().Header().Set("X-Content-Type-Options", "nosniff")
		return next(c)
	}
}

// measure is outside of logAccess, which writes the answers to errors: only then the status is known.
func (s *Server) measure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		done := s.HTTPMetrics.Begin()
		err := next(c)
		done(c.Request().Method, c.Path(), c.Response().Status) // the path is a pattern, or "" when no route fits
		return err
	}
}

// logAccess writes one line a request; bodies and queries stay out, they may hold secrets.
func (s *Server) logAccess(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		if err := next(c); err != nil {
			c.Error(err) // the status is known only once the answer is written
		}
		level := slog.LevelInfo
		if c.Path() == "/healthz" || c.Path() == "/readyz" || c.Path() == "/metrics" {
			level = slog.LevelDebug
		}
		who, _ := auth.From(c.Request().Context())
		s.log.Log(c.Request().Context(), level, "Request", "requestId", rest.RequestID(c), "method", c.Request().Method,
			"path", c.Request().URL.Path, "route", c.Path(), "status", c.Response().Status, "bytes", c.Response().Size,
			"milliseconds", time.Since(start).Milliseconds(), "remote", c.RealIP(), "client", who.Client, "project", who.Project)
		return nil
	}
}

func (s *Server) recoverPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if r := recover(); r != nil {
				s.log.ErrorContext(c.Request().Context(), "Panic", "requestId", rest.RequestID(c), "panic", fmt.Sprint(r),
					"stack", string(debug.Stack()))
				err = lcm.Errorf(lcm.KindBug, "panic: %v", r)
			}
		}()
		return next(c)
	}
}

// unbounded tells whether the route's bodies or answers have no limit of time.
func unbounded(c echo.Context) bool {
	p := c.Path()
	return strings.HasSuffix(p, "/package_content") || strings.HasSuffix(p, "/artifacts/*") ||
		strings.HasSuffix(p, "/events") || strings.HasSuffix(p, "/logs") ||
		strings.HasSuffix(p, "/output")
}

// bound limits the size of a request's body and the time that the request may take.
func (s *Server) bound(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		limit := int64(s.Limits.BodyKiB) << 10
		if unbounded(c) {
			limit = int64(s.API.MaxUploadMiB) << 20
		} else {
			ctx, cancel := context.WithTimeout(r.Context(), s.RequestTimeout)
			defer cancel()
			r = r.WithContext(ctx)
		}
		if r.ContentLength > limit {
			return &http.MaxBytesError{Limit: limit}
		}
		r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
		c.SetRequest(r)
		return next(c)
	}
}

// acceptsJSON refuses clients that take no JSON; routes with other answers check the header themselves.
func acceptsJSON(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		another := unbounded(c) || strings.HasSuffix(c.Path(), "/vnfd") || strings.HasSuffix(c.Path(), "/vnf_state_snapshot")
		if !another && !rest.Accepts(c, rest.MimeJSON) {
			return rest.HTTPErrorf(http.StatusNotAcceptable, "This resource is %s, which the Accept header excludes.", rest.MimeJSON)
		}
		return next(c)
	}
}
