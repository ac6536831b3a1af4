package activities

import (
	"context"
	"errors"
	"io"
	"net"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Boundary translates an activity's error for Temporal. The type is the error's kind, the details are the lcm.Error
// without its cause, and Temporal retries only Unavailable. A cancelled context passes unchanged, so that Temporal
// records a cancellation and not a failure. But if the worker stops, or Temporal does not answer, the error is
// Unavailable, so that another attempt takes over.
func Boundary(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	switch {
	case !errors.Is(ctx.Err(), context.Canceled):
	case !Stopping(ctx) && !Unheard(ctx):
		return ctx.Err()
	case lcm.Is(err, lcm.KindBug), errors.Is(err, context.Canceled):
		why := "This worker stops; another one goes on."
		if Unheard(ctx) {
			why = "Temporal did not answer for some seconds; another attempt goes on."
		}
		err = lcm.Wrap(lcm.KindUnavailable, err, "%s", why)
	}
	e := Classify(err)
	if e.Op == "" {
		e.Op = op
	}
	if e.Err != nil { // only for the log: after this place the cause is lost
		if kept, ok := ctx.Value(causeKey{}).(*string); ok {
			*kept = e.Err.Error()
		} else {
			activity.GetLogger(ctx).Warn("Activity failed.", "op", e.Op, "kind", string(e.Kind), "cause", e.Err.Error())
		}
	}
	short := e.Shortened()
	return temporal.NewApplicationErrorWithOptions(short.Headline(), string(e.Kind), temporal.ApplicationErrorOptions{
		NonRetryable: e.Kind != lcm.KindUnavailable,
		Details:      []any{*short},
		// Zero means the delay of the retry policy.
		NextRetryDelay: e.RetryAfter,
	})
}

// Classify finds the lcm.Error in err. An unclassified I/O error is Unavailable, and the retry policy bounds its
// retries. Any other unclassified error is a Bug; its cause stays in the log.
func Classify(err error) *lcm.Error {
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

// KeepCause lets the runner of an activity log its failure. The activity's error has no cause; after the activity the
// text holds the cause, or "" if there is none.
func KeepCause(ctx context.Context) (context.Context, *string) {
	cause := new(string)
	return context.WithValue(ctx, causeKey{}, cause), cause
}

// Stopping tells whether ctx was cancelled because this worker stops.
func Stopping(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), worker.ErrWorkerShutdown)
}
