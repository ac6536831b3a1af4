package telemetry

import (
	"context"
	"log/slog"
	"strings"
)

// ForTemporal is the logger of Temporal's SDK. It lowers to the debug level the messages that Windlass logs itself, and
// the messages that are normal for a stopping process. stopping tells whether the process stops.
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
	// If the stop cut off a task's answer, another worker gets the task.
	return strings.HasPrefix(message, "Workflow task postprocess error") && h.stopping()
}

func (h sdkHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return sdkHandler{h.Handler.WithAttrs(attrs), h.stopping}
}

func (h sdkHandler) WithGroup(name string) slog.Handler {
	return sdkHandler{h.Handler.WithGroup(name), h.stopping}
}
