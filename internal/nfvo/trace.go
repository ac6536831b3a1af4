package nfvo

import (
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// beginSpan begins a span of a request to another side, below the span in the context. Without a recorded span there it
// makes none and costs nothing. Of the URI it records only the host: the rest may be private.
func (c *caller) beginSpan(ctx context.Context, req *http.Request) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, nil
	}
	ctx, span := parent.TracerProvider().Tracer("github.com/windlass-nfv/windlass/internal/nfvo").
		Start(ctx, req.Method+" "+strings.TrimPrefix(c.who, "The "), trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(
				attribute.String("http.request.method", req.Method), attribute.String("server.address", req.URL.Hostname())))
	// The other side may make its part of the trace.
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header))
	return ctx, span
}

// endSpan ends a span of beginSpan.
func endSpan(span trace.Span, resp *http.Response, err error) {
	switch {
	case span == nil:
		return
	case err != nil:
		span.SetStatus(codes.Error, "no answer")
	case resp.StatusCode >= http.StatusBadRequest:
		span.SetStatus(codes.Error, http.StatusText(resp.StatusCode))
		fallthrough
	default:
		span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
	}
	span.End()
}
