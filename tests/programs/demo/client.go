package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func (d *demo) title(text string) { d.say("\n== %s", text) }

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.Out, format+"\n", args...) }

// line returns a command as a user types it.
func (d *demo) line(args ...string) string {
	line := "bin/windlass " + strings.Join(args, " ")
	if info, err := d.env.Info(); err == nil && info.API != "http://127.0.0.1:9890" {
		line += " --api " + info.API
	}
	return line
}

func (d *demo) command(args ...string) { d.say("\n$ %s", d.line(args...)) }

// show runs a command of the client and shows its output.
func (d *demo) show(ctx context.Context, args ...string) error {
	d.command(args...)
	cmd := d.env.Windlass(ctx, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("windlass %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// query runs a command of the client and decodes its JSON.
func query[T any](ctx context.Context, d *demo, args ...string) (T, error) {
	var v T
	out, err := d.env.Windlass(ctx, append(args, "--json")...).Output()
	if err != nil {
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			return v, errors.New(strings.TrimSpace(string(e.Stderr)))
		}
		return v, err
	}
	return v, json.Unmarshal(out, &v)
}
