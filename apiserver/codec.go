package apiserver

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"go.temporal.io/sdk/converter"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// codecPath is where payloads are opened, below the root of Windlass's own API.
const codecPath = "/windlass/v1/codec/"

// Temporal's payloads are encrypted. Its command and its Web UI do not have Windlass's keys, so this server decrypts
// payloads for them, by Temporal's remote codec protocol. Payloads hold no secrets, but names and addresses of a cloud.
// So the operator has to enable this service.
func (s *Server) codecRoutes() []rest.Route {
	var routes []rest.Route
	for _, path := range []string{"/codec/encode", "/codec/decode"} {
		routes = append(routes, rest.Post(path, s.codec()), rest.Route{Method: http.MethodOptions, Path: path, Handle: s.codec()})
	}
	return routes
}

func (s *Server) codec() echo.HandlerFunc {
	if s.Codec == nil {
		return func(echo.Context) error {
			return lcm.Errorf(lcm.KindNotFound, "This API server decrypts no payloads: its operator has not set api.codec.")
		}
	}
	return echo.WrapHandler(converter.NewPayloadCodecHTTPHandler(s.Codec))
}

// codecWall admits the pages of the configured Web UIs, and no other page. The temporal command is no page.
func (s *Server) codecWall() []echo.MiddlewareFunc {
	if s.Codec == nil || len(s.API.CodecOrigins) == 0 {
		return nil // an empty list would let every page in
	}
	return []echo.MiddlewareFunc{middleware.CORSWithConfig(middleware.CORSConfig{
		AllowOrigins: s.API.CodecOrigins, AllowMethods: []string{http.MethodPost}, MaxAge: 600,
	})}
}
