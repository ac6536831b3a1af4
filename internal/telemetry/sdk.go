package telemetry

import (
	"context"
	"log/slog"
	"strings"
)

// ForTemporal is the logger of Temporal's SDK: what Windlass tells itself, and what is to be expected of a process that
// stops, is for debugging only. stopping tells whether it does.
func ForTemporal(log *slog.Logger, stopping func() bool) *slog.Logger {
	return slog.New(sdkHandler{log.Handler(), stopping})
}

type sdkHandler struct {
	slog.Handler
	stopping func() bool
}

func (h sdkHandler) Handle(ctx context.Context, r slog.Record) error {
	if h.repeats(r.Message) {
		r.Level = slog.LevelDebug
		if !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

// repeats tells whether the line says nothing new.
func (h sdkHandler) repeats(message string) bool {
	// The worker logs each failure itself, with step, node and cause.
	if message == "Activity error." {
		return true
	}
	// A task whose answer was cut off by the stop is given to another worker.
	return strings.HasPrefix(message, "Workflow task postprocess error") && h.stopping()
}

func (h sdkHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return sdkHandler{h.Handler.WithAttrs(attrs), h.stopping}
}

func (h sdkHandler) WithGroup(name string) slog.Handler {
	return sdkHandler{h.Handler.WithGroup(name), h.stopping}
}
