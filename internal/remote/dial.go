// Package remote runs commands and puts files on the machines of a VNF over SSH. A command outlives its connection. A
// small runner (package runner) starts it detached, under an id that the caller has chosen beforehand. A caller that
// runs the same id again finds the command. On the host of this process the same runner works without SSH (Here).
package remote

import (
	"cmp"
	"context"
	"net"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Target is a machine with its login data.
type Target struct {
	Node       string // the name for people: every error starts with it
	Address    string // host or host:port
	User       string
	Password   string // also for sudo; may be empty with a key
	PrivateKey string // PEM; tried before the password
	ServerID   string // the host key is pinned for it
	// LoginTimeout bounds the login on a machine that answers; 0 is the dialer's ConnectTimeout. On a booting machine
	// with a busy CPU the handshake takes long.
	LoginTimeout time.Duration
}

// Dialer connects to machines. Its zero durations stand for the defaults.
type Dialer struct {
	HostKeys HostKeys
	// ConnectTimeout bounds the connection and, if the target has no limit of its own, the login: 10 s.
	ConnectTimeout time.Duration
	// KeepAlive is the time between probes of an open connection: 5 s. A peer that does not answer a probe for twice that
	// time counts as dead.
	KeepAlive time.Duration
	// GiveUp is how long Run tries to reach a lost machine: 3 min. After that the error is Unavailable, and a later Run
	// with the same id still finds the command.
	GiveUp time.Duration
	// Control, if set, checks the address before every connection, as in net.Dialer.
	Control func(network, address string, c syscall.RawConn) error
	// Grace is how long Run waits beyond a command's deadline, which the machine itself enforces: 30 s.
	Grace time.Duration
}

func (d *Dialer) connectTimeout() time.Duration { return cmp.Or(d.ConnectTimeout, 10*time.Second) }
func (d *Dialer) keepAlive() time.Duration      { return cmp.Or(d.KeepAlive, 5*time.Second) }
func (d *Dialer) giveUp() time.Duration         { return cmp.Or(d.GiveUp, 3*time.Minute) }
func (d *Dialer) grace() time.Duration          { return cmp.Or(d.Grace, 30*time.Second) }

// Dial logs in. The Host that it returns reconnects by itself; Close it.
func (d *Dialer) Dial(ctx context.Context, target Target) (*Host, error) {
	h := &Host{dialer: d, target: target, turn: make(chan struct{}, 1)}
	h.connect = func(ctx context.Context) (connection, error) { return d.login(ctx, target) }
	if _, err := h.connection(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// login makes one connection.
func (d *Dialer) login(ctx context.Context, target Target) (_ *link, err error) {
	ctx, span := beginSpan(ctx, "connect", target, "")
	defer func() { endSpan(span, err) }()
	methods, err := authMethods(target)
	if err != nil {
		return nil, err
	}
	address := withPort(target.Address)
	conn, err := (&net.Dialer{Timeout: d.connectTimeout(), Control: d.Control}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, dialError(ctx, target, err)
	}
	dialCtx, cancel := context.WithTimeout(ctx, cmp.Or(target.LoginTimeout, d.connectTimeout()))
	defer cancel()
	// The handshake has no context; closing the connection ends it.
	stop := context.AfterFunc(dialCtx, func() { _ = conn.Close() })
	pin := &pin{ctx: dialCtx, keys: d.HostKeys, target: target}
	clientConn, channels, requests, err := ssh.NewClientConn(conn, address, &ssh.ClientConfig{
		User: target.User, Auth: methods, HostKeyCallback: pin.check, HostKeyAlgorithms: hostKeyAlgorithms(),
	})
	if !stop() && err == nil {
		err = context.Cause(dialCtx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, cmp.Or(pin.err, handshakeError(ctx, target, err))
	}
	return newLink(ssh.NewClient(clientConn, channels, requests), d.keepAlive()), nil
}

// authMethods offers the key first, so that the password is sent only if necessary.
func authMethods(target Target) ([]ssh.AuthMethod, error) {
	var methods []ssh.AuthMethod
	if target.PrivateKey != "" {
		signer, err := ssh.ParsePrivateKey([]byte(target.PrivateKey))
		if err != nil {
			return nil, lcm.Errorf(lcm.KindInvalid, // without the cause: it might quote the key
				"%s: the SSH private key cannot be read; give an unencrypted key in PEM format", target.Node)
		}
		methods = append(methods, ssh.PublicKeys(signer))
	}
	if target.Password != "" {
		answer := func(_, _ string, questions []string, _ []bool) ([]string, error) {
			answers := make([]string, len(questions))
			for i := range answers {
				answers[i] = target.Password
			}
			return answers, nil
		}
		methods = append(methods, ssh.Password(target.Password), ssh.KeyboardInteractive(answer))
	}
	if len(methods) == 0 {
		return nil, lcm.Errorf(lcm.KindInvalid, "%s: neither an SSH key nor a password is given", target.Node)
	}
	return methods, nil
}

func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(address, "22")
}
