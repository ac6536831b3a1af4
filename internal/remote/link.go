package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// errCut is a connection that ended before the answer was complete. Connecting again may help.
var errCut = errors.New("the SSH connection was lost")

// errFlood is a machine that has sent more than it may in a call. The connection to it is closed.
var errFlood = errors.New("the machine sends without end")

// errStale is an errCut that came before anything was sent.
var errStale = fmt.Errorf("%w before it was used", errCut)

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

// call is one command line on the machine.
type call struct {
	line   string
	stdin  []byte
	stdout func([]byte)       // nil: not wanted
	reply  func(runner.Reply) // the runner's lines on stderr
	// most is what the machine may say in all, in bytes; 0 is maxAnswer.
	most int64
}

// exit is how a call ended. noise is the end of what else was on stderr: sudo's, the shell's, tar's.
type exit struct {
	code  int
	noise string
}

// do carries out c. The error is ctx's, errCut or errFlood.
func (l *link) do(ctx context.Context, c call) (exit, error) {
	gate := &gate{open: true}
	// After do has returned, a late chunk must not reach callbacks whose owner has moved on.
	defer gate.shut()
	ended := make(chan func() (exit, error), 1)
	go func() {
		e, err := l.converse(c, gate)
		ended <- func() (exit, error) { return e, err }
	}()
	select {
	case result := <-ended:
		return result()
	case <-ctx.Done():
		return exit{}, ctx.Err()
	}
}

// converse ends by itself when the connection does.
func (l *link) converse(c call, gate *gate) (exit, error) {
	session, err := l.client.NewSession()
	if refused, ok := errors.AsType[*ssh.OpenChannelError](err); ok {
		return exit{}, fmt.Errorf("%w: %w", errCut, refused) // as with too many sessions; the connection is good
	}
	if err != nil {
		return exit{}, fmt.Errorf("%w: %w", errStale, err)
	}
	gate.closer(session.Close)
	defer func() { _ = session.Close() }()
	var noise bytes.Buffer
	replies := lines{limit: maxReply, each: func(line []byte) {
		if reply, ok := runner.ParseReply(string(line)); ok {
			if c.reply != nil {
				c.reply(reply)
			}
		} else if room := maxNoise - noise.Len(); room > 0 {
			noise.Write(append(line[:min(len(line), room)], '\n'))
		}
	}}
	meter := &meter{left: cmp.Or(c.most, maxAnswer)}
	// The connection is closed, not the session: a machine that sends too much need not take notice of that.
	meter.over = func() { _ = l.client.Close() }
	session.Stdin = bytes.NewReader(c.stdin)
	session.Stderr = gate.writer(meter.passing(replies.write))
	session.Stdout = gate.writer(meter.passing(c.stdout))
	err = session.Run(c.line)
	gate.do(replies.end)
	if meter.spent() {
		return exit{}, errFlood
	}
	code, err := exitCode(err)
	return exit{code: code, noise: noise.String()}, err
}

const (
	// maxReply holds the longest reply, which is a command's stdout in base64.
	maxReply = 2 << 20
	// maxNoise is what is kept of lines on stderr that are no replies.
	maxNoise = 16 << 10
	// maxAnswer is what the machine may say in a call: a reply, and what its login shells print.
	maxAnswer = 2 * maxReply
)

// meter counts what the machine says in one call, on both streams, and passes on no more than it may say.
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
	return 0, fmt.Errorf("%w: %w", errCut, err)
}

// gate lets callbacks through one at a time (stdout and stderr come in goroutines of their own), and
// none after it was shut.
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

// closer is called by shut, at once when shut was first.
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
