package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/telemetry"
)

func TestForTemporal_repeatsNoFailureAndNoStop(t *testing.T) {
	const cut = "Workflow task postprocess error: context canceled"
	stopping := false
	logged := func(level slog.Level, message string) bool {
		var out bytes.Buffer
		log := telemetry.ForTemporal(telemetry.NewLogger(&out, level, "json"), func() bool { return stopping })
		log.With("Namespace", "windlass").Warn(message)
		return strings.Contains(out.String(), message)
	}
	assert.False(t, logged(slog.LevelInfo, "Activity error."))
	assert.True(t, logged(slog.LevelDebug, "Activity error."))
	assert.True(t, logged(slog.LevelInfo, cut), "it is news while the worker runs")
	stopping = true
	assert.False(t, logged(slog.LevelInfo, cut))
	assert.True(t, logged(slog.LevelInfo, "Failed to poll for task."))
}
