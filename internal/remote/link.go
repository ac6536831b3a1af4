package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// errCut tells that a connection ended before the answer was complete. Another connection may help.
var errCut = errors.New("the SSH connection was lost")

// errFlood tells that a machine has sent more than a call allows. The connection is closed.
var errFlood = errors.New("the machine sends without end")

// errStale is an errCut before anything was sent.
var errStale = fmt.Errorf("%w before it was used", errCut)

// connection carries out calls on one machine.
type connection interface {
	alive() bool
	// do carries out a call. The error is ctx's, errCut, errStale or errFlood.
	do(ctx context.Context, c call) (exit, error)
	// end returns when the connection has ended.
	end()
}

// link is one SSH connection. It ends when the peer closes it or stops answering.
type link struct {
	client *ssh.Client
	gone   chan struct{}
}

func newLink(client *ssh.Client, keepAlive time.Duration) *link {
	l := &link{client: client, gone: make(chan struct{})}
	go func() {
		_ = client.Wait()
		close(l.gone)
	}()
	go l.watch(keepAlive)
	return l
}

// watch closes the connection when the peer is silent, so that nobody waits for TCP's own timeouts.
func (l *link) watch(interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-l.gone:
			return
		case <-ticker.C:
		}
		answered := make(chan struct{})
		go func() {
			_, _, _ = l.client.SendRequest("keepalive@openssh.com", true, nil)
			close(answered)
		}()
		patience := time.NewTimer(2 * interval)
		select {
		case <-answered: // any answer, also "unknown request", is a sign of life
		case <-l.gone:
		case <-patience.C:
			_ = l.client.Close()
		}
		patience.Stop()
	}
}

func (l *link) alive() bool {
	select {
	case <-l.gone:
		return false
	default:
		return true
	}
}

func (l *link) end() {
	_ = l.client.Close() // the peer may have closed it before
	<-l.gone
}

// call is one command line on the machine.
type call struct {
	line   string
	stdin  []byte
	stdout func([]byte)       // nil: not wanted
	reply  func(runner.Reply) // the runner's lines on stderr
	// most is how many bytes the machine may send in the call; 0 is maxAnswer.
	most int64
}

// exit is the end of a call. noise is the last part of other lines on stderr: from sudo, the shell or tar.
type exit struct {
	code  int
	noise string
}

// do implements connection.
func (l *link) do(ctx context.Context, c call) (exit, error) { return untilOver(ctx, c, l.converse) }

// untilOver stops waiting for a call when ctx ends.
func untilOver(ctx context.Context, c call, converse func(call, *gate) (exit, error)) (exit, error) {
	gate := &gate{open: true}
	// After do has returned, the caller may have moved on, so a late chunk must not reach its callbacks.
	defer gate.shut()
	ended := make(chan func() (exit, error), 1)
	go func() {
		e, err := converse(c, gate)
		ended <- func() (exit, error) { return e, err }
	}()
	select {
	case result := <-ended:
		return result()
	case <-ctx.Done():
		return exit{}, ctx.Err()
	}
}

// converse ends by itself when the connection ends.
func (l *link) converse(c call, gate *gate) (exit, error) {
	session, err := l.client.NewSession()
	if refused, ok := errors.AsType[*ssh.OpenChannelError](err); ok {
		return exit{}, fmt.Errorf("%w: %w", errCut, refused) // e.g. too many sessions; the connection is good
	}
	if err != nil {
		return exit{}, fmt.Errorf("%w: %w", errStale, err)
	}
	gate.closer(session.Close)
	defer func() { _ = session.Close() }()
	// It closes the connection and not the session: a machine that sends too much may ignore the end of a session.
	h := hear(c, gate, func() { _ = l.client.Close() })
	session.Stdin, session.Stdout, session.Stderr = bytes.NewReader(c.stdin), h.stdout, h.stderr
	return h.end(session.Run(c.line))
}

// hearing collects the machine's output of a call.
type hearing struct {
	stdout, stderr io.Writer
	gate           *gate
	meter          *meter
	replies        *lines
	noise          bytes.Buffer
}

// hear makes a hearing. over ends a call if the machine sends more than it may.
func hear(c call, gate *gate, over func()) *hearing {
	h := &hearing{gate: gate, meter: &meter{left: cmp.Or(c.most, maxAnswer), over: over}}
	h.replies = &lines{limit: maxReply, each: func(line []byte) {
		if reply, ok := runner.ParseReply(string(line)); ok {
			if c.reply != nil {
				c.reply(reply)
			}
		} else if room := maxNoise - h.noise.Len(); room > 0 {
			h.noise.Write(append(line[:min(len(line), room)], '\n'))
		}
	}}
	h.stderr, h.stdout = gate.writer(h.meter.passing(h.replies.write)), gate.writer(h.meter.passing(c.stdout))
	return h
}

// end is the end of the call, which returned err.
func (h *hearing) end(err error) (exit, error) {
	h.gate.do(h.replies.end)
	if h.meter.spent() {
		return exit{}, errFlood
	}
	code, err := exitCode(err)
	return exit{code: code, noise: h.noise.String()}, err
}

const (
	// maxReply holds the longest reply, which is a command's stdout in base64.
	maxReply = 2 << 20
	// maxNoise is how much is kept of stderr lines that are no replies.
	maxNoise = 16 << 10
	// maxAnswer is how much the machine may send in a call: a reply, and the output of login shells.
	maxAnswer = 2 * maxReply
)

// meter counts the machine's output in one call, on both streams, and passes on no more than the limit.
type meter struct {
	mu   sync.Mutex
	left int64
	over func()
}

func (m *meter) passing(pass func([]byte)) func([]byte) {
	return func(p []byte) {
		if !m.take(len(p)) {
			m.over()
			return
		}
		if pass != nil {
			pass(p)
		}
	}
}

func (m *meter) take(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left -= int64(n)
	return m.left >= 0
}

func (m *meter) spent() bool { return !m.take(0) }

func exitCode(err error) (int, error) {
	if err == nil {
		return 0, nil
	}
	if status, ok := errors.AsType[*ssh.ExitError](err); ok && status.Signal() == "" {
		return status.ExitStatus(), nil
	}
	if status, ok := errors.AsType[*exec.ExitError](err); ok && status.Exited() {
		return status.ExitCode(), nil
	}
	return 0, fmt.Errorf("%w: %w", errCut, err)
}

// gate lets callbacks through one at a time, because stdout and stderr come in separate goroutines. After shut it lets
// none through.
type gate struct {
	mu    sync.Mutex
	open  bool
	close func() error
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (g *gate) writer(f func([]byte)) writerFunc {
	return func(p []byte) (int, error) {
		g.do(func() { f(p) })
		return len(p), nil
	}
}

func (g *gate) do(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {
		f()
	}
}

// closer registers f for shut; if shut was first, it calls f at once.
func (g *gate) closer(f func() error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.close = f
	if !g.open {
		_ = f()
	}
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = false
	if g.close != nil {
		_ = g.close()
	}
}
