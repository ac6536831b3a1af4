package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
)

// Headers carry spans through Temporal. Temporal's own interceptors of every language use the same key and form.
type Headers = map[string]*commonpb.Payload

const headerKey = "_tracer-data"

// titleKey is the name of a span that its beginning alone knows.
const titleKey = "windlass-title"

// WriteHeader puts a span into headers, as the parent of the work that begins with them; title is the name for that
// work, "" for its own name.
func WriteHeader(to Headers, sc trace.SpanContext, title string) {
	data := map[string]string{traceparent: TraceParent(trace.ContextWithSpanContext(context.Background(), sc))}
	if title != "" {
		data[titleKey] = title
	}
	if payload, err := converter.GetDefaultDataConverter().ToPayload(data); err == nil && sc.IsValid() {
		to[headerKey] = payload
	}
}

// ReadHeader reads the span that WriteHeader has written; without it the span is not valid.
func ReadHeader(from Headers) (parent trace.SpanContext, title string) {
	var data map[string]string
	payload, ok := from[headerKey]
	if !ok || converter.GetDefaultDataConverter().FromPayload(payload, &data) != nil {
		return trace.SpanContext{}, ""
	}
	return trace.SpanContextFromContext(WithTraceParent(context.Background(), data[traceparent])), data[titleKey]
}

// ClientInterceptor lets workflows and updates that are begun in a span be part of its trace.
type ClientInterceptor struct {
	interceptor.ClientInterceptorBase
}

// InterceptClient implements interceptor.ClientInterceptor.
func (*ClientInterceptor) InterceptClient(
	next interceptor.ClientOutboundInterceptor,
) interceptor.ClientOutboundInterceptor {
	return &clientOutbound{interceptor.ClientOutboundInterceptorBase{Next: next}}
}

type clientOutbound struct {
	interceptor.ClientOutboundInterceptorBase
}

// ExecuteWorkflow implements interceptor.ClientOutboundInterceptor.
func (o *clientOutbound) ExecuteWorkflow(
	ctx context.Context, in *interceptor.ClientExecuteWorkflowInput,
) (run client.WorkflowRun, err error) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return o.Next.ExecuteWorkflow(ctx, in)
	}
	// The workflow belongs to the request that asked for it, not to the call that starts it.
	WriteHeader(interceptor.Header(ctx), trace.SpanContextFromContext(ctx), "")
	ctx, span := Begin(ctx, "Temporal start "+in.WorkflowType, trace.WithSpanKind(trace.SpanKindClient))
	defer func() { End(span, err) }()
	return o.Next.ExecuteWorkflow(ctx, in)
}

// UpdateWorkflow implements interceptor.ClientOutboundInterceptor.
func (o *clientOutbound) UpdateWorkflow(
	ctx context.Context, in *interceptor.ClientUpdateWorkflowInput,
) (handle client.WorkflowUpdateHandle, err error) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return o.Next.UpdateWorkflow(ctx, in)
	}
	WriteHeader(interceptor.Header(ctx), trace.SpanContextFromContext(ctx), "")
	ctx, span := Begin(ctx, "Temporal update "+in.UpdateName, trace.WithSpanKind(trace.SpanKindClient))
	defer func() { End(span, err) }()
	return o.Next.UpdateWorkflow(ctx, in)
}
