package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// readEvery bounds how often the steps are read while events pour in.
	readEvery = 150 * time.Millisecond
	// readAnyway is the interval of reads while the stream is broken.
	readAnyway = 5 * time.Second
	// redrawEvery moves the clocks on a terminal.
	redrawEvery = 500 * time.Millisecond
)

func newOpWatch(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "watch ID",
		Short: "Follow an operation live, step by step and node by node",
		Long: `Follow an operation until it ends or needs a decision. On a terminal the command draws the list of
steps again in place; otherwise it prints a line for every change. Exit codes: 0 completed, 3 in FAILED_TEMP and
waiting for retry, rollback or fail, 1 anything else.`,
		Example: "  windlass op watch edge-1",
		Args:    exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.watch(cmd.Context(), args[0], &watcher{want: lcm.Completed})
		},
	}
}

// snapshot is an operation with its steps at one moment.
type snapshot struct {
	op    opOcc
	steps []step
}

// view shows snapshots as they come.
type view interface {
	show(snapshot)
	// tick advances the clocks on the screen.
	tick()
	// note tells something beside the operation.
	note(text string)
}

// watcher says which state a watch waits for.
type watcher struct {
	// after is the operation before a decision: it may be some moments until the decision shows.
	after opOcc
	// past are the steps before the decision: what they tell is known.
	past []step
	// want is the state that the caller expects; every other final state is an error.
	want lcm.OperationState
	// silent shows nothing meanwhile.
	silent bool
}

func (w *watcher) over(o opOcc) bool {
	decided := o.State != w.after.State || !o.StateEntered.Equal(w.after.StateEntered)
	return o.over() && decided
}

// watch shows the operation until it is over.
func (c *cli) watch(ctx context.Context, id string, w *watcher) error {
	var v view = newPlainView(c.out, c.now, w)
	if width, _ := c.size(); width > 0 {
		v = &liveView{out: c.out, now: c.now, size: c.size, colourless: os.Getenv("NO_COLOR") != ""}
	}
	if c.structured() || w.silent {
		v = silentView{}
	}
	following, stop := context.WithCancel(ctx)
	defer stop()
	last, err := c.follow(ctx, id, v, w, followEvents(following, c.client, id))
	if err != nil {
		return err
	}
	if c.structured() {
		if err := c.printOp(ctx, id); err != nil {
			return err
		}
	}
	return verdict(last, w.want)
}

// past reads the steps before a decision whose effect somebody watches. Without them the watch begins at the beginning.
func (c *cli) past(ctx context.Context, id string, how manner) []step {
	if !how.watch {
		return nil
	}
	_, steps, err := c.steps(ctx, id)
	if err != nil {
		return nil
	}
	return steps
}

func (c *cli) follow(ctx context.Context, id string, v view, w *watcher, events *eventStream) (opOcc, error) {
	redraw := time.NewTicker(redrawEvery)
	defer redraw.Stop()
	anyway := time.NewTicker(readAnyway)
	defer anyway.Stop()
	for {
		snap, err := c.snapshot(ctx, id)
		switch {
		case err == nil:
			v.show(snap)
			if w.over(snap.op) {
				return snap.op, nil
			}
		case ctx.Err() != nil:
			return opOcc{}, interrupted(ctx)
		case isAnswer(err):
			return opOcc{}, err
		default: // the API server is being restarted, perhaps
			v.note(describe(err))
		}
		if err := c.awaitChange(ctx, v, events, redraw, anyway); err != nil {
			return opOcc{}, err
		}
	}
}

// interrupted tells why the wait has ended: somebody stopped it, or the time is up.
func interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return errors.New("interrupted; the operation goes on")
}

// awaitChange returns when the steps should be read again.
func (c *cli) awaitChange(ctx context.Context, v view, events *eventStream, redraw, anyway *time.Ticker) error {
	pause := time.NewTimer(readEvery)
	defer pause.Stop()
	<-pause.C
	for {
		select {
		case <-ctx.Done():
			return interrupted(ctx)
		case <-redraw.C:
			v.tick()
		case <-events.Changed:
			return nil
		case <-anyway.C:
			return nil
		}
	}
}

func (c *cli) snapshot(ctx context.Context, id string) (snapshot, error) {
	var s snapshot
	if err := c.client.get(ctx, c.opPath(id), &s.op); err != nil {
		return s, err
	}
	var err error
	_, s.steps, err = c.steps(ctx, id)
	return s, err
}

// isAnswer tells whether err is the API's final word: not found, say, rather than away for a moment.
func isAnswer(err error) bool {
	e, ok := errors.AsType[*apiError](err)
	return ok && e.Status < 500
}

// verdict makes an error of an end that was not hoped for.
func verdict(o opOcc, want lcm.OperationState) error {
	cause := ""
	if o.Error != nil {
		cause = "\n  " + strings.Join(o.Error.told(), "\n  ")
	}
	switch o.State {
	case want:
		return nil
	case lcm.FailedTemp:
		return &codedError{
			exitWaiting, fmt.Errorf("the operation has failed and waits for a decision:%s\n%s", cause, whatNext(o)),
		}
	default:
		return fmt.Errorf("the operation has ended in %s:%s", o.State, cause)
	}
}

// whatNext are the commands for the decisions that an operation waits for, one a line, and the page about its error.
func whatNext(o opOcc) string {
	var lines [][2]string
	if page := o.remedies(); page != "" {
		lines = append(lines, [2]string{"Read what such errors mean:", page})
	}
	for _, d := range lcm.DecisionsAfter(o.Error.cause(), o.canRollBack()) {
		lines = append(lines, [2]string{d.Purpose + ":", fmt.Sprintf("windlass op %s %s", d.Action, o.ID)})
	}
	width := 0
	for _, l := range lines {
		width = max(width, len(l[0]))
	}
	var text []string
	for _, l := range lines {
		text = append(text, fmt.Sprintf("%-*s  %s", width, l[0], l[1]))
	}
	return strings.Join(text, "\n")
}

// silentView shows nothing, for programs.
type silentView struct{}

func (silentView) show(snapshot) {}
func (silentView) tick()         {}
func (silentView) note(string)   {}
