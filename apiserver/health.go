package apiserver

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

func (s *Server) probeRoutes() []rest.Route {
	routes := []rest.Route{
		rest.Get("/healthz", func(c echo.Context) error { return c.JSON(http.StatusOK, map[string]string{"status": "ok"}) }),
		rest.Get("/readyz", s.ready),
	}
	if s.Metrics != nil {
		routes = append(routes, rest.Get("/metrics", echo.WrapHandler(s.Metrics)))
	}
	return routes
}

// ready tells whether the server can serve requests: a 503 names the missing part. Causes stay in the log.
func (s *Server) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 3*time.Second)
	defer cancel()
	checks := map[string]func(context.Context) error{"database": s.Store.Ping}
	maps.Copy(checks, s.Options.Ready)
	status, states := http.StatusOK, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		states[name] = "ok"
		if err := checks[name](ctx); err != nil {
			s.log.WarnContext(ctx, "Not ready", "check", name, "error", err)
			status, states[name] = http.StatusServiceUnavailable, "not reachable"
		}
	}
	return c.JSON(status, map[string]any{"status": http.StatusText(status), "checks": states})
}
