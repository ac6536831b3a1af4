package fake

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// run is one command: the state that the runner keeps in run/ID.
type run struct {
	attempt string
	script  string // its name
	cancel  context.CancelCauseFunc
	done    chan struct{}

	mu     sync.Mutex
	out    []byte
	stdout []byte
	mixed  bool          // it has written to stderr: stdout is kept apart
	more   chan struct{} // closed at the next output or the end
	acked  bool

	// Set before done is closed.
	code int
	why  string
	lost bool
}

func (r *run) ended() bool {
	select {
	case <-r.done:
		return !r.lost
	default:
		return false
	}
}

// output returns the output from offset, whether the output is complete, and a channel that signals more output.
func (r *run) output(offset int) (chunk []byte, ended bool, more <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.done:
		ended = true
	default:
	}
	return r.out[min(offset, len(r.out)):], ended, r.more
}

// apart returns stdout when it differs from the combined output.
func (r *run) apart() ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stdout, r.mixed
}

func (r *run) write(p []byte, toStdout bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !toStdout && !r.mixed {
		r.mixed = true
		r.stdout = bytes.Clone(r.out)
	}
	if toStdout && r.mixed {
		r.stdout = append(r.stdout, p...)
	}
	r.out = append(r.out, p...)
	close(r.more)
	r.more = make(chan struct{})
}

func (r *run) finish(code int, why string, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.code, r.why, r.lost = code, why, lost
	close(r.done)
	close(r.more)
	r.more = make(chan struct{})
}

func (m *Machine) run(key string) *run {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.runs[key]
}

// start finds the command or starts it. cancelled means that a kill came before the start.
func (m *Machine) start(key, token, script string, stdin []byte, deadline time.Duration) (r *run, cancelled bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r = m.runs[key]; r != nil && !r.spent() {
		return r, false
	}
	if m.cancelled[token] || m.power == nil {
		return nil, true
	}
	clear(m.cancelled)
	name, _ := parseScript(script)
	r = &run{attempt: token, script: name, done: make(chan struct{}), more: make(chan struct{})}
	m.runs[key] = r
	ctx, cancel := context.WithCancelCause(m.power.ctx)
	r.cancel = cancel
	power := m.power
	power.all.Go(func() {
		defer cancel(nil)
		stop := func() bool { return true }
		if deadline > 0 {
			stop = time.AfterFunc(deadline, func() { cancel(errDeadline) }).Stop
		}
		result := m.perform(ctx, script, stdin, r)
		stop()
		m.ice.wait(power.ctx)
		r.end(context.Cause(ctx), result)
	})
	return r, false
}

// stopped is the reason why a command was stopped from outside.
type stopped string

func (s stopped) Error() string { return string(s) }

const (
	errDeadline = stopped(runner.Deadline)
	errKilled   = stopped(runner.Killed)
)

const killedBySignal = 128 + 15

// end sets the result. A cause of a type other than stopped means that the machine lost its power.
func (r *run) end(cause error, result Result) {
	switch why, ours := cause.(stopped); { //nolint:errorlint // set by this file, never wrapped
	case cause == nil:
		r.finish(result.ExitCode, runner.Ended, false)
	case ours:
		r.finish(killedBySignal, string(why), false)
	default:
		r.finish(0, "", true)
	}
}

// spent reports whether a new start may replace the run: a caller has read its failure, or its result is lost.
func (r *run) spent() bool {
	select {
	case <-r.done:
	default:
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost || r.code != 0 && r.acked
}

func (m *Machine) ack(key, token string) {
	if r := m.run(key); r != nil && r.attempt == token {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.acked = true
	}
}

// kill stops a command, or cancels in advance a start with that token.
func (m *Machine) kill(ctx context.Context, key, token string) bool {
	m.mu.Lock()
	r := m.runs[key]
	m.cancelled[token] = true
	m.mu.Unlock()
	if r == nil {
		return true
	}
	r.cancel(errKilled)
	select {
	case <-r.done:
	case <-ctx.Done():
		return false
	}
	m.ack(key, r.attempt)
	return true
}

// settle keeps a command's exit code and drops its output; it returns false while the command runs.
func (m *Machine) settle(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[key]
	if r == nil {
		return true
	}
	if !r.ended() && !r.spent() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out, r.stdout = nil, nil
	return true
}

func (m *Machine) forget(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[key]
	if r != nil && !r.ended() && !r.spent() {
		return false
	}
	delete(m.runs, key)
	return true
}
