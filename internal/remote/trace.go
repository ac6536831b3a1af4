package remote

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// beginSpan begins a span of what is done on a machine, below the one in the context; without a span that is recorded
// there it makes none and costs nothing. A span names the machine, and the command by its id or the file; never a
// command line, a script or what it prints.
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

// endSpan ends a span; of an error it tells the kind: its sentence may quote what a machine has printed.
func endSpan(span trace.Span, err error) {
	if span == nil {
		return
	}
	if err != nil {
		span.SetStatus(codes.Error, string(lcm.KindOf(err)))
	}
	span.End()
}
