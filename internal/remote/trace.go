package remote

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// beginSpan begins a span for work on a machine, below the span in the context. If the context has no recorded span, it
// makes none and costs nothing. A span names the machine, and the command's id or the file. It never contains a command
// line, a script or its output.
func beginSpan(ctx context.Context, what string, target Target, object string) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, nil
	}
	attributes := []attribute.KeyValue{
		attribute.String("windlass.node", target.Node),
		attribute.String("server.address", target.Address),
	}
	if object != "" {
		attributes = append(attributes, attribute.String("windlass.ssh.object", object))
	}
	return parent.TracerProvider().Tracer("github.com/windlass-nfv/windlass/internal/remote").
		Start(ctx, "SSH "+what, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
}

// endSpan ends a span. It records only the kind of an error, because the message may quote a machine's output.
func endSpan(span trace.Span, err error) {
	if span == nil {
		return
	}
	if err != nil {
		span.SetStatus(codes.Error, string(lcm.KindOf(err)))
	}
	span.End()
}
