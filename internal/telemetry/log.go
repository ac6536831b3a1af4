// Package telemetry sets up logs, metrics and traces, with which an operator watches Windlass.
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

	"github.com/windlass-nfv/windlass/internal/secrets"
)

// NewLogger writes lines of JSON, or of text if format is "text". It adds the context's span, and hides texts that look
// like secrets.
func NewLogger(w io.Writer, level slog.Leveler, format string) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level, ReplaceAttr: redact}
	if format == "text" {
		return slog.New(contextHandler{slog.NewTextHandler(w, opts)})
	}
	return slog.New(contextHandler{slog.NewJSONHandler(w, opts)})
}

// contextHandler adds the context's span to a record.
type contextHandler struct{ slog.Handler }

func (h contextHandler) Handle(ctx context.Context, r slog.Record) error {
	if sc := trace.SpanContextFromContext(ctx); sc.IsSampled() {
		r = r.Clone() // other handlers may hold the same record
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

// redact is the last safeguard. No code should log a secret; if some does, redact recognizes it by its key, by a URL's
// userinfo or by a document's member.
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
