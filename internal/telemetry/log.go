// Package telemetry sets up logs and metrics: what an operator watches Windlass by.
package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// The keys under which logs say what they are about.
const (
	keyOpOccID = "opOccId"
	keyStep    = "step"
	keyNode    = "node"
)

// OpOcc says which operation a line is about.
func OpOcc(id lcm.OpOccID) slog.Attr { return slog.String(keyOpOccID, string(id)) }

// Step says which step a line is about, by its title.
func Step(title string) slog.Attr { return slog.String(keyStep, title) }

// Node says which node a line is about, by its name.
func Node(name string) slog.Attr { return slog.String(keyNode, name) }

// NewLogger writes lines of JSON, or of text when format is "text". Attributes of the context (see With)
// are added, and what looks like a secret is not written.
func NewLogger(w io.Writer, level slog.Leveler, format string) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level, ReplaceAttr: redact}
	if format == "text" {
		return slog.New(contextHandler{slog.NewTextHandler(w, opts)})
	}
	return slog.New(contextHandler{slog.NewJSONHandler(w, opts)})
}

type attrsKey struct{}

// With adds attributes to every line that is logged with the context or one made from it.
func With(ctx context.Context, attrs ...slog.Attr) context.Context {
	return context.WithValue(ctx, attrsKey{}, slices.Concat(attrsOf(ctx), attrs))
}

func attrsOf(ctx context.Context) []slog.Attr {
	attrs, _ := ctx.Value(attrsKey{}).([]slog.Attr)
	return attrs
}

// contextHandler adds the attributes that With put into the context, and which span that is in.
type contextHandler struct{ slog.Handler }

func (h contextHandler) Handle(ctx context.Context, r slog.Record) error {
	attrs, sc := attrsOf(ctx), trace.SpanContextFromContext(ctx)
	if len(attrs) > 0 || sc.IsSampled() {
		r = r.Clone() // other handlers may hold the same record
		r.AddAttrs(attrs...)
	}
	if sc.IsSampled() {
		r.AddAttrs(slog.String("traceId", sc.TraceID().String()), slog.String("spanId", sc.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextHandler{h.Handler.WithAttrs(attrs)}
}

func (h contextHandler) WithGroup(name string) slog.Handler {
	return contextHandler{h.Handler.WithGroup(name)}
}

const hidden = "***"

// redact is the last safeguard: no code logs a secret, and if some does, its key, a URL's userinfo or a
// document's member gives it away.
func redact(groups []string, a slog.Attr) slog.Attr {
	if secrets.IsSecretKey(a.Key) || slices.ContainsFunc(groups, secrets.IsSecretKey) {
		return slog.String(a.Key, hidden)
	}
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(secrets.MaskText(a.Value.String()))
	}
	if a.Value.Kind() == slog.KindDuration { // JSON would have nanoseconds
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	if a.Value.Kind() == slog.KindAny {
		a.Value = redactAny(a.Value.Any())
	}
	return a
}

func redactAny(v any) slog.Value {
	switch v := v.(type) {
	case nil, slog.Level, time.Time, *slog.Source:
		return slog.AnyValue(v)
	case error:
		return slog.StringValue(secrets.MaskText(v.Error()))
	case fmt.Stringer:
		return slog.StringValue(secrets.MaskText(v.String()))
	}
	doc, err := json.Marshal(v)
	if err != nil {
		return slog.StringValue(fmt.Sprintf("(%T)", v))
	}
	return slog.AnyValue(json.RawMessage(secrets.MaskDocument(doc)))
}
