// Package remotetest is the conformance suite of internal/remote. The lab's fake machines must behave like a real sshd,
// or tests on them prove nothing.
package remotetest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// Machine is a machine for the suite.
type Machine interface {
	// Target logs in with PrivateKey, and with Password when the machine has one.
	Target() remote.Target
	// Running counts the processes (or handlers) that Hang started under this name and that still live.
	Running(name string) int
	// Started counts how often Hang or Count was started under this name.
	Started(name string) int
	// Release lets a Hang of this name go on to its end.
	Release(name string)
	// Reboot ends all processes and connections, and keeps the files.
	Reboot()
	// ReadFile returns a file's content and permissions; "" when there is none.
	ReadFile(path string) (content string, mode uint32)
	// WriteCount returns a value that changes with each write of a file.
	WriteCount(path string) any
	// TempDir is a directory on the machine.
	TempDir() string
	// Script makes a script with that behaviour on this machine.
	Script(b Behaviour) string
}

// Behaviour is the steps of a test's script, in this order.
type Behaviour struct {
	Name   string   // counts a start under this name
	Stdout []string // lines
	Stderr []string
	Echo   bool // prints its stdin
	Repeat int  // prints Stdout that many times more
	Hang   bool // waits for Release; with a child that left the session
	Exit   int
}

// Run runs the suite.
func Run(t *testing.T, boot func(t *testing.T) Machine) {
	for name, test := range map[string]func(*testing.T, Machine){
		"logs in with a key":                     logsInWithKey,
		"logs in with a password":                logsInWithPassword,
		"refuses wrong credentials":              refusesWrongCredentials,
		"refuses a changed host key":             refusesChangedHostKey,
		"pins a host key without a login":        pinsWithoutALogin,
		"reports an unreachable machine":         reportsUnreachable,
		"streams output as it comes":             streamsOutput,
		"keeps stdout apart":                     keepsStdoutApart,
		"hands over stdin":                       handsOverStdin,
		"masks secrets":                          masksSecrets,
		"maps exit codes":                        mapsExitCodes,
		"does not repeat a success":              doesNotRepeatSuccess,
		"repeats a failure afresh":               repeatsFailureAfresh,
		"kills at the deadline":                  killsAtDeadline,
		"kills when cancelled":                   killsWhenCancelled,
		"goes on when detached":                  goesOnWhenDetached,
		"goes on after a cut connection":         goesOnAfterCut,
		"notices a silent peer":                  noticesSilentPeer,
		"is found by a second caller":            isFoundBySecondCaller,
		"starts once for racing callers":         startsOnceForRacers,
		"starts again after a reboot":            startsAgainAfterReboot,
		"forgets":                                forgets,
		"settles":                                settles,
		"puts a file once":                       putsFileOnce,
		"gets a file":                            getsFile,
		"carries much output":                    carriesMuchOutput,
		"survives output that is not text":       survivesBinaryOutput,
		"leaves no secret behind on the machine": leavesNoSecret,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time the tests wait
			test(t, boot(t))
		})
	}
}

// Patience bounds every wait of the suite; the machine that runs the tests may be busy.
const Patience = 30 * time.Second

// Pins keeps host keys in memory.
type Pins struct {
	mu   sync.Mutex
	keys map[string][]byte
}

// PinHostKey keeps the first key of each server.
func (p *Pins) PinHostKey(_ context.Context, id string, key []byte) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys == nil {
		p.keys = map[string][]byte{}
	}
	if _, known := p.keys[id]; !known {
		p.keys[id] = key
	}
	return p.keys[id], nil
}

// Dialer returns a dialer that detects a dead peer quickly.
func Dialer() *remote.Dialer {
	return &remote.Dialer{
		HostKeys: &Pins{}, ConnectTimeout: 5 * time.Second,
		KeepAlive: 300 * time.Millisecond, GiveUp: Patience, Grace: 5 * time.Second,
	}
}

// Key makes a key pair: PEM, and the line for authorized_keys.
func Key(t testing.TB) (private, authorized string) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	require.NoError(t, err)
	line, err := ssh.NewPublicKey(public)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(block)), string(ssh.MarshalAuthorizedKey(line))
}

func dial(t *testing.T, target remote.Target) *remote.Host {
	return dialWith(t, Dialer(), target)
}

func dialWith(t *testing.T, d *remote.Dialer, target remote.Target) *remote.Host {
	host, err := d.Dial(t.Context(), target)
	require.NoError(t, err)
	t.Cleanup(func() { _ = host.Close() })
	return host
}

// command makes a command with an id of its own.
func command(m Machine, b Behaviour) remote.Command {
	if b.Name == "" {
		b.Name = "job-" + strings.ToLower(rand.Text()[:8])
	}
	return remote.Command{ID: b.Name, Script: m.Script(b), Sudo: true}
}

// background runs cmd; the channel returns its end.
func background(ctx context.Context, host *remote.Host, cmd remote.Command) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		result, err := host.Run(ctx, cmd)
		done <- outcome{result, err}
	}()
	return done
}

type outcome struct {
	remote.Result
	err error
}

func await(t *testing.T, done <-chan outcome) outcome {
	t.Helper()
	select {
	case o := <-done:
		return o
	case <-time.After(Patience):
		require.FailNow(t, "the command does not return")
		return outcome{}
	}
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, Patience, 20*time.Millisecond, what)
}

func requireKind(t *testing.T, kind lcm.ErrorKind, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, kind, lcm.KindOf(err), "%v", err)
}
