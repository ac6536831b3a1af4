package activities

import (
	"context"
	"errors"
	"io"
	"net"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// boundary translates an activity's error for Temporal: the type is the error's kind, the details are
// the lcm.Error without its cause, and only Unavailable is retried. A cancelled context passes as it is,
// so that Temporal records a cancellation and not a failure; but what this worker's stop or a Temporal that does not
// answer has cut short is Unavailable, so that another attempt takes over.
func boundary(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	switch {
	case !errors.Is(ctx.Err(), context.Canceled):
	case !stopping(ctx) && !unheard(ctx):
		return ctx.Err()
	case lcm.Is(err, lcm.KindBug), errors.Is(err, context.Canceled):
		why := "This worker stops; another one goes on."
		if unheard(ctx) {
			why = "Temporal did not answer for some seconds; another attempt goes on."
		}
		err = lcm.Wrap(lcm.KindUnavailable, err, "%s", why)
	}
	e := classify(err)
	if e.Op == "" {
		e.Op = op
	}
	if e.Err != nil { // the cause is for the log only, and this is the last place that knows it
		if kept, ok := ctx.Value(causeKey{}).(*string); ok {
			*kept = e.Err.Error()
		} else {
			activity.GetLogger(ctx).Warn("Activity failed.", "op", e.Op, "kind", string(e.Kind), "cause", e.Err.Error())
		}
	}
	return temporal.NewApplicationErrorWithOptions(e.Sentence(), string(e.Kind), temporal.ApplicationErrorOptions{
		NonRetryable: e.Kind != lcm.KindUnavailable,
		Details:      []any{*e},
		// Zero leaves it to the retry policy.
		NextRetryDelay: e.RetryAfter,
	})
}

// classify finds the lcm.Error in err. What nobody classified is Unavailable when it is I/O, which the
// retry policy bounds, and else a Bug, whose cause stays in the log.
func classify(err error) *lcm.Error {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		c := *e
		return &c
	}
	if _, ok := errors.AsType[net.Error](err); ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.DeadlineExceeded) {
		return lcm.Wrap(lcm.KindUnavailable, err, "The other side did not answer.")
	}
	return lcm.Wrap(lcm.KindBug, err, "Windlass met an error that it does not know; its log has the cause.")
}

type causeKey struct{}

// KeepCause lets whoever runs an activity log its failure: the cause, which the activity's error does not have, is in
// the text when the activity has ended; "" without one.
func KeepCause(ctx context.Context) (context.Context, *string) {
	cause := new(string)
	return context.WithValue(ctx, causeKey{}, cause), cause
}
