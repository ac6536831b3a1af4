// Command windlass-temporal is a single-node Temporal cluster with its Web UI, kept in PostgreSQL. It is
// the Temporal of `windlass dev`, which starts and watches it as a child process; production uses a
// cluster of its own.
//
// It has no clients of some clouds' services, and no SQLite: see without/README.md. It is a module of its own because the
// server does not compile beside the newest OpenTelemetry, and because no production image should carry it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

const usage = `windlass-temporal runs a single-node Temporal cluster with its Web UI on PostgreSQL.

Usage:
  windlass-temporal serve [flags]     bring the schema up to date, then serve until SIGTERM
  windlass-temporal migrate [flags]   bring the schema up to date and exit

The database's URL is read from WINDLASS_TEMPORAL_DATABASE_URL, never from the command line, which other
users of the machine can see. Its role must be able to create databases, or they must exist.

Example:
  WINDLASS_TEMPORAL_DATABASE_URL=postgres://windlass:secret@127.0.0.1:5432/postgres \
    windlass-temporal serve --listen 127.0.0.1:7233 --ui 127.0.0.1:8233 --search-attributes OperationState

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	err := run(ctx, os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "windlass-temporal: "+err.Error())
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	command, opts, err := parse(args, os.Getenv)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: opts.level}))
	if err := migrate(ctx, opts.database, log); err != nil {
		return err
	}
	if command == "migrate" {
		return nil
	}
	return serve(ctx, opts, log)
}
