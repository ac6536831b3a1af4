package remote

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// Command is a script to run on a machine.
type Command struct {
	// ID is the caller's choice, made beforehand: the same id is the same command. It becomes a directory name: letters,
	// digits, dot, dash and underscore.
	ID string
	// Script is a whole bash script that is safe to run twice. It never appears in argv.
	Script string
	// Stdin is the script's standard input; secrets go here.
	Stdin []byte
	// Sudo runs the script as root.
	Sudo bool
	// Deadline is enforced by the machine itself, even without a connection; 0 is none.
	Deadline time.Duration
	// Output gets each line of stdout and stderr, masked, as it comes.
	Output func(line string)
	// Mask lists the values to hide in Output and Result.Output.
	Mask []string
}

// Result is the end of a command.
type Result struct {
	ExitCode int
	Output   string // the last 64 KiB of stdout and stderr, masked
	// Stdout is the last 1 MiB of stdout, for programs. It is not masked, because a mask would break encoded values. A
	// caller that shows a part of it must use Hide.
	Stdout string

	mask *strings.Replacer
}

// Hide masks the command's secrets in a text from Stdout.
func (r Result) Hide(text string) string {
	if r.mask == nil {
		return text
	}
	return r.mask.Replace(text)
}

// Run starts the command, or finds it running or done, and returns when it has ended.
//
// It reconnects when the connection drops. It restarts a command that the machine lost in a reboot. A success is kept,
// and later Runs return it until Forget. After Run has returned a failure, the next Run with the same id starts again.
// When ctx ends, Run kills the command with all its processes, and the error is ctx's. If the cause is ErrDetach, the
// command goes on and the error is Unavailable. Run also kills a command that prints without end: the error is Broken.
// The Result is valid with an error, too.
func (h *Host) Run(ctx context.Context, cmd Command) (_ Result, err error) {
	r, err := newRun(h, cmd)
	if err != nil {
		return Result{}, err
	}
	ctx, span := beginSpan(ctx, "run", h.target, cmd.ID)
	defer func() { endSpan(span, err) }()
	limited, cancel := ctx, func() {}
	if cmd.Deadline > 0 {
		limited, cancel = context.WithTimeout(ctx, cmd.Deadline+h.dialer.grace())
	}
	defer cancel()
	end, err := r.toEnd(limited)
	switch {
	case limited.Err() != nil && end == nil:
		err = r.leave(ctx)
	case errors.Is(err, errFlood) && r.as.base != "":
		err = r.kill(ctx, err)
	}
	r.output.lines.end()
	result := Result{Output: r.output.shown.String()}
	if err != nil {
		return result, err
	}
	result.ExitCode, result.Stdout, result.mask = end.code, end.stdout, r.output.mask
	return result, r.judge(ctx, end)
}

// judge makes the error of a command that ended, and tells the machine that the caller knows of the failure.
func (r *run) judge(ctx context.Context, end *end) error {
	if end.code == 0 {
		return nil
	}
	// When this gets lost, the next Run returns the same failure once more: that is harmless.
	_, _ = r.host.call(ctx, r.as, call{}, "ack", r.cmd.ID, r.attempt)
	switch end.why {
	case runner.Deadline:
		return deadlineError(r.host.target, r.cmd.Deadline)
	case runner.Killed:
		return lcm.Errorf(lcm.KindUnavailable, "%s: the command was stopped by another caller", r.host.target.Node)
	}
	return scriptError(r.host.target, end.code, r.output.reason, r.output.last)
}

// Forget removes the machine's data of a command that has ended, whether it ran as root or as the login user.
func (h *Host) Forget(ctx context.Context, id string) error { return h.tidy(ctx, "forget", id) }

// Settle removes the machine's data of a command that has ended, except its end: Run still returns a success, without
// output. The machine removes the rest with a later command, after at least an hour.
func (h *Host) Settle(ctx context.Context, id string) error { return h.tidy(ctx, "settle", id) }

func (h *Host) tidy(ctx context.Context, verb, id string) error {
	if !runner.ValidID(id) {
		return lcm.Errorf(lcm.KindBug, "%s: %q cannot be the id of a command", h.target.Node, id)
	}
	for _, root := range []bool{false, true} {
		as, err := h.elevate(ctx, root)
		if lcm.Is(err, lcm.KindDenied) {
			continue // a user who cannot become root has left nothing as root
		}
		if err != nil {
			return err
		}
		var said string
		e, err := h.call(ctx, as, call{reply: keepError(&said)}, verb, id)
		if err != nil {
			return err
		}
		if e.code != 0 {
			return runnerError(h.target, as.base, verb+" the command "+id, e, said)
		}
	}
	return nil
}

// keepError keeps the runner's message about its own failure.
func keepError(said *string) func(runner.Reply) {
	return func(reply runner.Reply) {
		if reply.Word == "error" {
			*said = short(reply.Rest)
		}
	}
}
