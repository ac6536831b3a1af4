package main

import (
	"context"
	"log/slog"
	"os"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// slogAdapter lets the server log through slog.
type slogAdapter struct{ logger *slog.Logger }

var _ log.Logger = (*slogAdapter)(nil)

func (a *slogAdapter) Debug(msg string, tags ...tag.Tag)  { a.log(slog.LevelDebug, msg, tags) }
func (a *slogAdapter) Info(msg string, tags ...tag.Tag)   { a.log(slog.LevelInfo, msg, tags) }
func (a *slogAdapter) Warn(msg string, tags ...tag.Tag)   { a.log(slog.LevelWarn, msg, tags) }
func (a *slogAdapter) Error(msg string, tags ...tag.Tag)  { a.log(slog.LevelError, msg, tags) }
func (a *slogAdapter) DPanic(msg string, tags ...tag.Tag) { a.log(slog.LevelError, msg, tags) }

func (a *slogAdapter) Panic(msg string, tags ...tag.Tag) {
	a.log(slog.LevelError, msg, tags)
	panic(msg)
}

func (a *slogAdapter) Fatal(msg string, tags ...tag.Tag) {
	a.log(slog.LevelError, msg, tags)
	os.Exit(1)
}

func (a *slogAdapter) log(level slog.Level, msg string, tags []tag.Tag) {
	ctx := context.Background()
	if !a.logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, len(tags))
	for _, t := range tags {
		attrs = append(attrs, slog.Any(t.Key(), t.Value()))
	}
	a.logger.LogAttrs(ctx, level, msg, attrs...)
}
