package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// run is one call of Run in progress, over as many connections as it needs.
type run struct {
	host   *Host
	cmd    Command
	as     elevation
	token  string // names this start; attempt names the followed start, perhaps another caller's
	upload []byte
	output *output

	attempt string
	end     *end
	heard   time.Time // when the machine last said anything
}

// end is the result as the runner reports it.
type end struct {
	code   int
	why    string
	stdout string
}

var (
	errLost     = errors.New("the machine does not know the command any more")
	errNoResult = errors.New("the runner ended without a result")
)

const (
	// maxPrinted is the largest output of a command, in bytes; a command that prints more is stopped.
	maxPrinted  = 64 << 20
	maxFailures = 5 // limits the restarts of a script that takes its machine down each time
	firstDelay  = 100 * time.Millisecond
	longestWait = 5 * time.Second
	// killTime allows for a reconnect and for the runner's own 5 s between TERM and KILL.
	killTime = 25 * time.Second
)

func newRun(h *Host, cmd Command) (*run, error) {
	if !runner.ValidID(cmd.ID) {
		return nil, lcm.Errorf(lcm.KindBug, "%s: %q cannot be the id of a command", h.target.Node, cmd.ID)
	}
	upload, err := runner.Upload(cmd.Script, cmd.Stdin)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "%s: the command cannot be packed", h.target.Node)
	}
	return &run{host: h, cmd: cmd, token: rand.Text(), upload: upload, output: newOutput(cmd)}, nil
}

// toEnd follows the command to its end, through lost connections and reboots.
func (r *run) toEnd(ctx context.Context) (*end, error) {
	delay, failures := firstDelay, 0
	r.heard = time.Now()
	for {
		before, began := r.output.offset, time.Now()
		err := r.once(ctx)
		if time.Since(began) > time.Minute {
			failures = 0 // it worked long enough
		}
		switch {
		case err == nil:
			return r.end, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errLost), errors.Is(err, errNoResult):
			if failures++; failures == maxFailures {
				return nil, lcm.Wrap(lcm.KindUnavailable, err, "%s: the command vanished %d times without a result; "+
					"check whether the machine reboots, or something kills the command", r.host.target.Node, failures)
			}
			if errors.Is(err, errLost) {
				r.attempt, r.token = "", rand.Text()
				r.output.restart("[the machine lost the command, for example in a reboot; Windlass starts it again]")
			}
		case !lcm.Is(err, lcm.KindUnavailable) || time.Since(r.heard) > r.host.dialer.giveUp():
			return nil, err
		}
		if r.output.offset > before {
			delay = firstDelay
		}
		if err := pause(ctx, delay); err != nil {
			return nil, err
		}
		delay = min(2*delay, longestWait)
	}
}

func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once starts or follows the command over one connection; without an error r.end is the result.
func (r *run) once(ctx context.Context) (err error) {
	if r.as, err = r.host.elevate(ctx, r.cmd.Sudo); err != nil {
		return err
	}
	var a answer
	c := call{
		stdout: afterMarker(func(p []byte) { r.heard = time.Now(); r.output.write(p) }),
		reply:  func(reply runner.Reply) { r.heard = time.Now(); a.take(reply) },
		most:   maxPrinted - r.output.received + maxAnswer,
	}
	var e exit
	if r.attempt == "" {
		c.stdin = r.upload
		e, err = r.host.call(ctx, r.as, c, "start", r.cmd.ID, r.token, seconds(r.cmd.Deadline))
	} else {
		e, err = r.host.call(ctx, r.as, c, "follow", r.cmd.ID, r.attempt, strconv.FormatInt(r.output.offset, 10))
	}
	r.attempt = cmp.Or(a.attempt, r.attempt)
	switch {
	case r.output.received > maxPrinted:
		return printsTooMuchError(r.host.target)
	case err != nil:
		return err
	case a.bad != nil:
		return lcm.Wrap(lcm.KindBug, a.bad, "%s: the runner's answer cannot be read", r.host.target.Node)
	case a.state == runner.Lost, a.state == runner.Cancelled:
		return errLost
	case a.end != nil:
		r.end = a.end
		if !a.apart {
			r.end.stdout = r.output.raw.String()
		}
		return nil
	case e.code != 0 && a.attempt == "" && e.code < 128: // the runner refused; a shutdown would have killed the call
		return runnerError(r.host.target, r.as.base+"/run/"+r.cmd.ID, "start the command", e, a.said)
	}
	return errNoResult
}

// answer collects the runner's lines of one call.
type answer struct {
	attempt, state, said string

	end    *end
	stdout string
	apart  bool // stdout came separately, because it differs from the output
	bad    error
}

func (a *answer) take(reply runner.Reply) {
	switch reply.Word {
	case "attempt":
		if a.attempt = reply.Rest; !runner.ValidID(a.attempt) {
			a.attempt, a.bad = "", errors.New("the name of the attempt is not valid")
		}
	case "state":
		a.state = reply.Rest
	case "error":
		a.said = short(reply.Rest)
	case "stdout": // comes before rc
		content, err := reply.Stdout()
		a.stdout, a.apart, a.bad = string(content), true, err
	case "rc":
		code, why, err := reply.RC()
		a.end, a.bad = &end{code: code, why: why, stdout: a.stdout}, cmp.Or(a.bad, err)
	}
}

// seconds rounds up: a deadline of half a second must not become 0, which means none.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// afterMarker passes on the bytes after the begin marker. It keeps only the end of the bytes before it, because the
// marker may be split over two chunks.
func afterMarker(pass func([]byte)) func([]byte) {
	var before []byte
	begun := false
	return func(p []byte) {
		if begun {
			pass(p)
			return
		}
		before = append(before, p...)
		if _, rest, found := bytes.Cut(before, []byte(runner.Begin)); found {
			begun, before = true, nil
			pass(rest)
			return
		}
		if over := len(before) - len(runner.Begin); over > 0 {
			before = append(before[:0], before[over:]...)
		}
	}
}

// leave kills the command after the end of ctx or of its deadline. With ErrDetach it lets the command go on.
func (r *run) leave(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), ErrDetach) {
		return detachError(r.host.target)
	}
	cause := ctx.Err()
	if cause == nil {
		cause = deadlineError(r.host.target, r.cmd.Deadline)
	}
	return r.kill(ctx, cause)
}

// kill stops the command for that cause, and returns the error for Run.
func (r *run) kill(ctx context.Context, cause error) error {
	if r.as.base == "" {
		return cause // it has never called the runner, so nothing can be running
	}
	killCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTime)
	defer cancel()
	delay := firstDelay
	for {
		var said string
		e, err := r.host.call(killCtx, r.as, call{reply: keepError(&said)}, "kill", r.cmd.ID, r.token)
		if err == nil && e.code == 0 {
			return cause
		}
		if err == nil {
			err = runnerError(r.host.target, r.as.base, "stop the command", e, said)
		}
		if !lcm.Is(err, lcm.KindUnavailable) || pause(killCtx, delay) != nil {
			return lcm.Wrap(lcm.KindOf(cause), errors.Join(cause, err),
				"%s: the command could not be stopped and may still be running", r.host.target.Node)
		}
		delay = min(2*delay, longestWait)
	}
}
