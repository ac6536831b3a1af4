package telemetry

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOff_addsNothingToALineOfTheLog(t *testing.T) {
	h, ctx, line := contextHandler{slog.DiscardHandler}, t.Context(), slog.NewRecord(time.Now(), slog.LevelInfo, "here", 0)
	require.Zero(t, testing.AllocsPerRun(200, func() { _ = h.Handle(ctx, line) }))
}
