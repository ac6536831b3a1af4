package telemetry

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// scope is the name of the instrumentation, in every span and metric.
const scope = "github.com/windlass-nfv/windlass"

// The attributes that say what a span is about. Bodies, parameters and command lines are never among them.
const (
	AttrOpOcc     = attribute.Key("windlass.op_occ_id")
	AttrInstance  = attribute.Key("windlass.vnf_instance_id")
	AttrOperation = attribute.Key("windlass.operation")
	AttrStep      = attribute.Key("windlass.step")
	AttrPhase     = attribute.Key("windlass.phase")
	AttrNode      = attribute.Key("windlass.node")
	AttrActivity  = attribute.Key("windlass.activity")
	AttrAttempt   = attribute.Key("windlass.attempt")
	AttrState     = attribute.Key("windlass.state")
)

// Tracing makes the first spans of a request, an operation or an activity. Drivers make their spans below the span in
// their context (see Begin), and none without it. A nil Tracing makes none.
type Tracing struct {
	tracer  trace.Tracer
	sampler sdktrace.Sampler
}

// newTracing makes spans with that provider; sampler is the provider's own.
func newTracing(p trace.TracerProvider, sampler sdktrace.Sampler) *Tracing {
	return &Tracing{tracer: p.Tracer(scope), sampler: sampler}
}

// On tells whether there are spans at all.
func (t *Tracing) On() bool { return t != nil }

// Start begins a span below the span in the context, which may be of another process, or a span without a parent.
func (t *Tracing) Start(ctx context.Context, name string, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	return t.tracer.Start(ctx, name, opts...)
}

// Done is a span that is made after its end.
type Done struct {
	Name         string
	Parent       trace.SpanContext // not valid: the span is the root of the trace Trace
	Trace        trace.TraceID
	ID           trace.SpanID
	Started      time.Time
	Ended        time.Time
	Links        []trace.SpanContext
	Attributes   []attribute.KeyValue
	Failed       bool
	ErrorMessage string
}

// Emit makes a span that has ended. It waits for nothing, so workflows may be traced with it.
func (t *Tracing) Emit(d Done) {
	ctx := withIDs(context.Background(), d.Trace, d.ID)
	if d.Parent.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, d.Parent)
	}
	opts := []trace.SpanStartOption{trace.WithTimestamp(d.Started), trace.WithAttributes(d.Attributes...)}
	for _, l := range d.Links {
		opts = append(opts, trace.WithLinks(trace.Link{SpanContext: l}))
	}
	_, span := t.tracer.Start(ctx, d.Name, opts...)
	if d.Failed {
		span.SetStatus(codes.Error, d.ErrorMessage)
	}
	span.End(trace.WithTimestamp(d.Ended))
}

// Sampled tells whether a trace is kept that begins here.
func (t *Tracing) Sampled(id trace.TraceID) bool {
	return t.sampler.ShouldSample(sdktrace.SamplingParameters{
		ParentContext: context.Background(),
		TraceID:       id,
	}).Decision == sdktrace.RecordAndSample
}

// TraceIDOf and SpanIDOf derive ids from words: the same words give the same ids. So the spans of a workflow keep their
// ids when it continues in another worker.
func TraceIDOf(words ...string) (id trace.TraceID) {
	copy(id[:], digest(words))
	return id
}

// SpanIDOf is described with TraceIDOf.
func SpanIDOf(words ...string) (id trace.SpanID) {
	copy(id[:], digest(words))
	return id
}

func digest(words []string) []byte {
	h := sha256.New()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return h.Sum(nil)
}

// Begin begins a span of a call to another system, below the span in the context. Without a recorded span there it
// makes none, costs nothing and returns ctx.
func Begin(ctx context.Context, name string, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return ctx, nil
	}
	return span.TracerProvider().Tracer(scope).Start(ctx, name, opts...)
}

// End ends a span of Begin; nil means no span. It records only the operator's sentence of an error, and nothing of
// foreign errors.
func End(span trace.Span, err error) {
	if span == nil {
		return
	}
	if err != nil {
		span.SetStatus(codes.Error, ErrorText(err))
	}
	span.End()
}

// About adds attributes to the context's span, if the span is recorded.
func About(ctx context.Context, what ...attribute.KeyValue) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(what...)
	}
}

// ErrorText is the text about an error in a span.
func ErrorText(err error) string {
	if lcm.KindOf(err) == lcm.KindBug {
		return "unexpected error"
	}
	return secrets.MaskText(lcm.Sentence(err))
}

// TraceID is the id of the trace that the context's span is in, "" when there is none or it is not kept.
func TraceID(ctx context.Context) string {
	if sc := trace.SpanContextFromContext(ctx); sc.IsSampled() && sc.IsValid() {
		return sc.TraceID().String()
	}
	return ""
}

const traceparent = "traceparent"

// TraceParent is the context's span in the form of W3C Trace Context, "" when there is none.
func TraceParent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[traceparent]
}

// WithTraceParent puts a result of TraceParent back into a context; it ignores an invalid one.
func WithTraceParent(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparent: parent})
}

type idsKey struct{}

type ids struct {
	trace trace.TraceID
	span  trace.SpanID
}

func withIDs(ctx context.Context, t trace.TraceID, s trace.SpanID) context.Context {
	return context.WithValue(ctx, idsKey{}, ids{t, s})
}

// idGenerator takes the ids that Emit decides, else random ones.
type idGenerator struct{}

// NewIDs implements sdktrace.IDGenerator.
func (g idGenerator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if given, ok := ctx.Value(idsKey{}).(ids); ok && given.trace.IsValid() {
		return given.trace, given.span
	}
	var id trace.TraceID
	for !id.IsValid() {
		fill(id[:])
	}
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID implements sdktrace.IDGenerator.
func (idGenerator) NewSpanID(ctx context.Context, _ trace.TraceID) (id trace.SpanID) {
	if given, ok := ctx.Value(idsKey{}).(ids); ok {
		return given.span
	}
	for !id.IsValid() {
		fill(id[:])
	}
	return id
}

func fill(b []byte) {
	for i := range b {
		b[i] = byte(rand.Uint32()) //nolint:gosec // an id, no secret
	}
}
