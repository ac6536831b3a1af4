package remote

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// Host is a machine with a login. It is safe for concurrent use.
type Host struct {
	dialer *Dialer
	target Target
	// here is set for the host of this process, where no command becomes root.
	here bool
	// connect makes a connection.
	connect func(context.Context) (connection, error)
	turn    chan struct{} // a semaphore for connecting: several callers share one new connection

	mu     sync.Mutex
	link   connection
	closed bool
	root   *elevation // how this user becomes root, once known
}

// elevation is the way to call the runner: its user, its directory, and what precedes its stdin.
type elevation struct {
	prefix, base string
	password     string // for sudo -S: the first line of stdin
}

// Close ends the connection. Commands go on.
func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.link != nil {
		h.link.end()
	}
	return nil
}

// connection returns the live connection, or makes one.
func (h *Host) connection(ctx context.Context) (connection, error) {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h.mu.Lock()
	current, closed := h.link, h.closed
	h.mu.Unlock()
	if closed {
		return nil, lcm.Errorf(lcm.KindBug, "%s: the host is closed", h.target.Node)
	}
	if current != nil && current.alive() {
		return current, nil
	}
	fresh, err := h.connect(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.link = fresh
	if h.closed {
		fresh.end()
	}
	return fresh, nil
}

// do makes one call on the live connection; a lost connection is Unavailable.
func (h *Host) do(ctx context.Context, c call) (exit, error) {
	for fresh := false; ; fresh = true {
		l, err := h.connection(ctx)
		if err != nil {
			return exit{}, err
		}
		e, err := l.do(ctx, c)
		if errors.Is(err, errStale) && !fresh {
			l.end() // so that connection makes a new one
			continue
		}
		if errors.Is(err, errFlood) {
			return e, floodError(h.target)
		}
		if errors.Is(err, errCut) {
			return e, cutError(h.target, err)
		}
		return e, err
	}
}

// call calls the runner, and installs it first if it is missing.
func (h *Host) call(ctx context.Context, as elevation, c call, verb string, args ...string) (exit, error) {
	stdin := c.stdin
	c.line = runner.Call(as.prefix, as.base, verb, args...)
	c.stdin = append([]byte(as.password), stdin...)
	e, err := h.do(ctx, c)
	// 127 is the shell's "not found"; 126 comes from a runner that cannot be read.
	if err != nil || e.code != 127 && e.code != 126 {
		return e, err
	}
	install := call{line: runner.Install(as.prefix, as.base), stdin: []byte(as.password + runner.Script)}
	if e, err = h.do(ctx, install); err != nil {
		return e, err
	}
	if e.code != 0 {
		return e, runnerError(h.target, as.base, "install the command runner", e, "")
	}
	return h.do(ctx, c)
}

// elevate finds the way to become root, once for each Host.
func (h *Host) elevate(ctx context.Context, root bool) (elevation, error) {
	if h.here || !root && h.target.User != "root" {
		return elevation{base: runner.UserBase}, nil
	}
	if h.target.User == "root" {
		return elevation{base: runner.RootBase}, nil
	}
	h.mu.Lock()
	known := h.root
	h.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	found, err := h.probe(ctx)
	if err != nil {
		return elevation{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.root = &found
	return found, nil
}

// maxProbeLine is more than the length of any line that probe looks for.
const maxProbeLine = 64

func (h *Host) probe(ctx context.Context) (elevation, error) {
	var as *elevation
	answer := lines{limit: maxProbeLine, each: func(line []byte) {
		switch word := strings.TrimSpace(string(line)); {
		case as != nil: // the first line counts
		case word == "0":
			as = &elevation{base: runner.RootBase}
		case word == runner.ProbeSudo:
			as = &elevation{base: runner.RootBase, prefix: runner.WithSudo}
		}
	}}
	e, err := h.do(ctx, call{line: runner.Probe, stdout: answer.write})
	if err != nil {
		return elevation{}, err
	}
	if answer.end(); as != nil {
		return *as, nil
	}
	if h.target.Password == "" {
		return elevation{}, sudoError(h.target, e.noise)
	}
	as = &elevation{base: runner.RootBase, prefix: runner.WithSudoPassword, password: h.target.Password + "\n"}
	// The password is tested alone first: after a wrong password sudo would read the command as the next guess.
	e, err = h.do(ctx, call{line: as.prefix + "true", stdin: []byte(as.password)})
	if err != nil {
		return elevation{}, err
	}
	if e.code != 0 {
		return elevation{}, sudoError(h.target, e.noise)
	}
	return *as, nil
}
