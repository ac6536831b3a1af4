package apiserver

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// trace makes a span of each request, below the client's own span if the request names it (W3C Trace Context). It
// records the route; it never records the path, the query, headers or the body. Probes are not traced.
func (s *Server) trace(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if probe(c.Path()) {
			return next(c)
		}
		r := c.Request()
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := s.Tracing.Start(ctx, strings.TrimSpace(r.Method+" "+c.Path()), trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		if span.IsRecording() {
			span.SetAttributes(attribute.String("http.request.method", r.Method), attribute.String("http.route", c.Path()))
			for _, id := range []struct {
				param string
				key   attribute.Key
			}{{"vnfLcmOpOccId", telemetry.AttrOpOcc}, {"vnfInstanceId", telemetry.AttrInstance}} {
				if v := c.Param(id.param); v != "" {
					span.SetAttributes(id.key.String(v))
				}
			}
		}
		c.SetRequest(r.WithContext(ctx))
		err := next(c)
		status := c.Response().Status
		span.SetAttributes(attribute.Int("http.response.status_code", status),
			attribute.String("windlass.request_id", rest.RequestID(c)))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(status))
		}
		return err
	}
}

func probe(path string) bool { return path == "/healthz" || path == "/readyz" || path == "/metrics" }
