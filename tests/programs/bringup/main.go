// Command bringup makes what the demo needs, all at once: Debian packages, Windlass's programs and, for real machines,
// their image. It tells at least every ten seconds what is done and what is left. It is a program of its own, made of few
// packages, so that the first line comes soon:
//
//	bringup demo                                    for the demo with these arguments
//	bringup demo --machines fake
//	bringup programs windlass windlass-temporal     these programs only
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/windlass-nfv/windlass/internal/jobs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	w, err := read(os.Args[1:])
	if err == nil {
		err = run(ctx, w)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nThe build has not succeeded: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w wanted) error {
	root, err := root()
	if err != nil {
		return err
	}
	list, err := w.jobs(root)
	if err != nil {
		return err
	}
	fmt.Println(w.opening())
	err = jobs.Run(ctx, os.Stdout, list)
	if ctx.Err() != nil {
		return errors.New("interrupted; what is built is kept, and the next run goes on there")
	}
	return err
}
