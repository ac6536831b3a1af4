package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// The exit codes that scripts agree on, from sysexits.h.
const (
	exitDataErr   = 65 // the input is wrong
	exitCantCreat = 73 // the disk is full
	exitTempFail  = 75 // try again
	exitConfig    = 78 // the configuration is wrong
)

// The reasons why Run left a command before its end.
var (
	// ErrDetach is for the caller. If it is the cause of the cancellation of Run's context, the command goes on, and
	// another caller can follow it under its id.
	ErrDetach = errors.New("the caller no longer follows the command")
	// ErrDeadline is in the error chain of a command that used up its Deadline.
	ErrDeadline = errors.New("the command's deadline is over")
)

// sentencePrefix marks the line with a script's reason of failure, for people.
const sentencePrefix = "windlass: "

func dialError(ctx context.Context, target Target, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := errors.AsType[*lcm.Error](err); ok { // by the dialer's Control
		return lcm.Wrap(refused.Kind, err, "%s: %s", target.Node, refused.Detail)
	}
	reason := "does not answer"
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		reason = "cannot be reached"
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "%s: %s on %s; check that the machine runs and that its "+
		"security groups and routes let Windlass in", target.Node, reason, door(target))
}

func handshakeError(ctx context.Context, target Target, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// The library has no types for these errors. The second comes from a server with a low MaxAuthTries. The library
	// returns the third for a server that refuses keyboard-interactive without a question.
	refused := strings.Contains(err.Error(), "unable to authenticate") ||
		strings.Contains(err.Error(), "Too many authentication failures") ||
		strings.Contains(err.Error(), "unexpected message type 51 ")
	if refused {
		return lcm.Wrap(lcm.KindDenied, err, "%s: refuses to log in user %s on %s; check the user name and its %s",
			target.Node, target.User, door(target), credential(target))
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "%s: answers on %s, but SSH could not begin a session; the machine may "+
		"still be starting", target.Node, door(target))
}

// door names the target of an SSH attempt. The address is in brackets, so that nodes with otherwise equal errors can be
// reported together.
func door(target Target) string {
	host, port, err := net.SplitHostPort(withPort(target.Address))
	if err != nil {
		return "SSH (" + target.Address + ")"
	}
	return fmt.Sprintf("SSH port %s (%s)", port, host)
}

func credential(target Target) string {
	switch {
	case target.PrivateKey != "" && target.Password != "":
		return "SSH key and password"
	case target.PrivateKey != "":
		return "SSH key"
	}
	return "password"
}

func cutError(target Target, err error) error {
	return lcm.Wrap(lcm.KindUnavailable, err, "%s: the SSH connection to %s was lost", target.Node, target.Address)
}

// floodError is Broken: the machine would send as much again at the next try.
func floodError(target Target) error {
	return lcm.Wrap(lcm.KindBroken, errFlood,
		"%s: %s sends far too much over SSH, so Windlass closed the connection; check which machine answers there "+
			"and what its login shell prints", target.Node, target.Address)
}

// printsTooMuchError is Broken, too.
func printsTooMuchError(target Target) error {
	return lcm.Wrap(lcm.KindBroken, errFlood, "%s: the command printed more than %d MiB and was stopped", target.Node,
		maxPrinted>>20)
}

func sudoError(target Target, noise string) error {
	return lcm.Errorf(lcm.KindDenied, "%s: user %s cannot become root with sudo (%s); allow it in sudoers, "+
		"or give the password", target.Node, target.User, cmp.Or(lastLine(noise), "no reason given"))
}

// runnerError is the error of a step around a command: the upload, the start, a file.
func runnerError(target Target, path, doing string, e exit, said string) error {
	cause := errors.New(strings.TrimSpace(said + "\n" + e.noise))
	switch {
	case strings.Contains(e.noise, "No space left on device"), strings.Contains(e.noise, "Disk quota exceeded"):
		return lcm.Wrap(lcm.KindExhausted, cause,
			"%s: no space left on the file system of %s; free or add space there, then retry", target.Node, path)
	case strings.Contains(e.noise, "sudo: "):
		return sudoError(target, e.noise)
	case strings.Contains(e.noise, "Permission denied"):
		return lcm.Wrap(lcm.KindDenied, cause, "%s: user %s has no right to %s (%s)",
			target.Node, target.User, doing, path)
	case e.code == runner.ExitBusy:
		return lcm.Wrap(lcm.KindUnavailable, cause, "%s: cannot %s: %s", target.Node, doing, said)
	case e.code == runner.ExitBadUpload:
		return lcm.Wrap(lcm.KindUnavailable, cause, "%s: the upload to %s was cut short", target.Node, path)
	}
	reason := cmp.Or(said, lastLine(e.noise), fmt.Sprintf("exit status %d", e.code))
	return lcm.Wrap(lcm.KindBroken, cause, "%s: cannot %s: %s", target.Node, doing, reason)
}

// scriptError translates the exit code of a script that ended by itself.
func scriptError(target Target, code int, sentence, last string) error {
	if sentence == "" {
		sentence = strings.TrimSuffix(fmt.Sprintf("exit status %d: %s", code, last), ": ")
	}
	kind := lcm.KindBroken
	switch code {
	case exitTempFail:
		kind = lcm.KindUnavailable
	case exitDataErr, exitConfig:
		kind = lcm.KindInvalid
	case exitCantCreat:
		kind = lcm.KindExhausted
		sentence = "the disk is full (" + sentence + "); free or add space on the node, then retry"
	}
	return lcm.Errorf(kind, "%s: %s", target.Node, sentence)
}

// deadlineError is Broken: the command would take as long again.
func deadlineError(target Target, deadline time.Duration) error {
	return lcm.Wrap(lcm.KindBroken, ErrDeadline, "%s: the command did not end within %s and was stopped",
		target.Node, deadline)
}

func detachError(target Target) error {
	return lcm.Wrap(lcm.KindUnavailable, ErrDetach, "%s: the command goes on without this caller", target.Node)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return short(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
}

// maxSaid is the largest size of a machine's sentence in an error, in bytes.
const maxSaid = 2000

// short shortens a machine's text, so that an error is not too large to store and read.
func short(text string) string {
	if len(text) <= maxSaid {
		return text
	}
	return strings.ToValidUTF8(text[:maxSaid], "") + "..."
}
