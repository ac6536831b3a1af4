package hostile

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// sshd is a node that an attacker controls.
type sshd struct {
	*testing.T
	address string
	config  *ssh.ServerConfig
	// answer answers a command; verb is the verb of the runner in it.
	answer func(verb string, ch ssh.Channel)
	// sent counts the bytes of endless answers that were sent.
	sent   atomic.Int64
	killed atomic.Int64
}

// mostSent limits an endless answer, so that a failing test does not fill this machine's memory.
const mostSent = 512 << 20

func newSSHD(t *testing.T) *sshd {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(key)
	require.NoError(t, err)
	s := &sshd{T: t, config: &ssh.ServerConfig{PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions,
		error,
	) {
		return &ssh.Permissions{}, nil
	}}}
	s.config.AddHostKey(signer)
	l := listen(t, "127.0.0.1:0")
	s.address = l.Addr().String()
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *sshd) serve(conn net.Conn) {
	_, channels, requests, err := ssh.NewServerConn(conn, s.config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for c := range channels {
		ch, requests, err := c.Accept()
		if err != nil {
			return
		}
		go s.session(ch, requests)
	}
}

func (s *sshd) session(ch ssh.Channel, requests <-chan *ssh.Request) {
	for r := range requests {
		if r.Type != "exec" {
			continue // and no reply: a client that waits for one waits until its context ends
		}
		var line struct{ Command string }
		_ = ssh.Unmarshal(r.Payload, &line)
		_ = r.Reply(true, nil)
		call, _ := runner.Parse(line.Command)
		go s.answer(call.Verb, ch)
	}
}

// flood sends until the client closes the connection.
func (s *sshd) flood(w interface{ Write(p []byte) (int, error) }, line string) {
	chunk := []byte(strings.Repeat(line, 32<<10/len(line)))
	for s.sent.Load() < mostSent {
		n, err := w.Write(chunk)
		s.sent.Add(int64(n))
		if err != nil {
			return
		}
	}
}

func (s *sshd) exit(ch ssh.Channel, code uint32) {
	_, _ = ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{code}))
	_ = ch.Close()
}

type anyKey struct{}

func (anyKey) PinHostKey(_ context.Context, _ string, key []byte) ([]byte, error) { return key, nil }

func (s *sshd) dial(user string) *remote.Host {
	s.Helper()
	host, err := (&remote.Dialer{HostKeys: anyKey{}}).Dial(s.Context(),
		remote.Target{Node: "cp-1", Address: s.address, User: user, Password: "p", ServerID: "s"})
	require.NoError(s, err)
	s.Cleanup(func() { _ = host.Close() })
	return host
}

// TestSSHD_thatAnswersWithoutEnd answers each command of Windlass with bytes that do not end, on each of the streams,
// with and without line ends.
func TestSSHD_thatAnswersWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		user  string
		flood func(s *sshd, ch ssh.Channel)
		ask   func(ctx context.Context, h *remote.Host) error
	}{
		"who the user is": {
			"nobody", func(s *sshd, ch ssh.Channel) { s.flood(ch, "x") },
			func(ctx context.Context, h *remote.Host) error {
				return h.Put(ctx, remote.File{Path: "/x", Sudo: true})
			},
		},
		"the user's id, many times": {
			"nobody", func(s *sshd, ch ssh.Channel) { s.flood(ch, "1000\n") },
			func(ctx context.Context, h *remote.Host) error {
				return h.Put(ctx, remote.File{Path: "/x", Sudo: true})
			},
		},
		"what is in a file": {"root", func(s *sshd, ch ssh.Channel) {
			_, _ = ch.Write([]byte(runner.Begin))
			s.flood(ch, "x")
		}, func(ctx context.Context, h *remote.Host) error {
			_, err := h.Get(ctx, "/x", 1<<20)
			return err
		}},
		"before the marker": {
			"root", func(s *sshd, ch ssh.Channel) { s.flood(ch, "welcome ") },
			func(ctx context.Context, h *remote.Host) error {
				_, err := h.Get(ctx, "/x", 1<<20)
				return err
			},
		},
		"a reply without end": {"root", func(s *sshd, ch ssh.Channel) {
			_, _ = ch.Stderr().Write([]byte("windlass-runner: file "))
			s.flood(ch.Stderr(), "x")
		}, func(ctx context.Context, h *remote.Host) error { return h.Put(ctx, remote.File{Path: "/x"}) }},
		"replies without end": {
			"root", func(s *sshd, ch ssh.Channel) { s.flood(ch.Stderr(), "windlass-runner: beat\n") },
			func(ctx context.Context, h *remote.Host) error {
				return h.Forget(ctx, "x")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSSHD(t)
			s.answer = func(_ string, ch ssh.Channel) { c.flood(s, ch) }
			err := c.ask(t.Context(), s.dial(c.user))
			require.Equal(t, lcm.KindBroken, lcm.KindOf(err), "%v", err)
			require.ErrorContains(t, err, "cp-1: "+s.address+" sends far too much over SSH")
			require.Less(t, s.sent.Load(), int64(32<<20))
		})
	}
}

// TestSSHD_commandThatPrintsWithoutEnd runs a command whose output does not end. Windlass must stop it.
func TestSSHD_commandThatPrintsWithoutEnd(t *testing.T) {
	t.Parallel()
	s := newSSHD(t)
	s.answer = func(verb string, ch ssh.Channel) {
		if verb == "kill" {
			s.killed.Add(1)
			s.exit(ch, 0)
			return
		}
		_, _ = ch.Stderr().Write([]byte("windlass-runner: attempt one\n"))
		_, _ = ch.Write([]byte(runner.Begin))
		s.flood(ch, "a line of sixteen bytes and more\n")
	}
	var lines atomic.Int64
	result, err := s.dial("root").Run(t.Context(),
		remote.Command{ID: "endless", Script: "yes", Output: func(string) { lines.Add(1) }})
	require.Equal(t, lcm.KindBroken, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "cp-1: the command printed more than 64 MiB and was stopped")
	require.EqualValues(t, 1, s.killed.Load())
	require.Less(t, s.sent.Load(), int64(96<<20))
	require.LessOrEqual(t, len(result.Output), 64<<10)
	require.Positive(t, lines.Load())
}

// TestSSHD_sentencesAreShort has a node that sends very long errors. Windlass stores and shows errors, so it must
// shorten them.
func TestSSHD_sentencesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for name, say := range map[string]string{
		"a reply": "windlass-runner: error " + long + "\n", "noise": long + "\n",
		"many lines": strings.Repeat(long[:100]+"\n", 1000),
	} {
		s := newSSHD(t)
		s.answer = func(_ string, ch ssh.Channel) {
			_, _ = ch.Stderr().Write([]byte(say))
			s.exit(ch, 1)
		}
		_, err := s.dial("root").Run(t.Context(), remote.Command{ID: "x", Script: "true"})
		require.Error(t, err, name)
		require.Less(t, len(lcm.Sentence(err)), 4<<10, name)
		require.Less(t, len(err.Error()), 64<<10, name)
	}
}

// TestSSHD_thatNeverAnswersEndsWithTheContext has a node that accepts a file, but never answers the commands of the
// transfer.
func TestSSHD_thatNeverAnswersEndsWithTheContext(t *testing.T) {
	t.Parallel()
	s := newSSHD(t)
	s.answer = func(verb string, ch ssh.Channel) {
		if verb == "check" {
			_, _ = ch.Stderr().Write([]byte("windlass-runner: state absent\n"))
			s.exit(ch, 0)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer stop()
	err := s.dial("root").Put(ctx, remote.File{Path: "/x", Content: []byte("x")})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestSSHD_deniedAddress has a VIM that names a denied address as the address of a node.
func TestSSHD_deniedAddress(t *testing.T) {
	t.Parallel()
	guard := outbound.Guard{Denied: prefixes("127.0.0.0/8"), Section: "vims", What: "no VIM and no node may have it"}
	_, err := (&remote.Dialer{HostKeys: anyKey{}, Control: guard.Control}).Dial(t.Context(),
		remote.Target{Node: "cp-1", Address: "localhost", User: "root", Password: "p", ServerID: "s"})
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "cp-1: The address 127.0.0.1 is denied: no VIM and no node may have it "+
		"(vims.deniedNetworks)")
}
