package remote

import (
	"context"
	"net"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Pin connects to a server until the server has shown its host key, and pins the key. It does not log in. A server that
// does not answer is Unavailable.
func (d *Dialer) Pin(ctx context.Context, target Target) (err error) {
	ctx, span := beginSpan(ctx, "pin the host key", target, "")
	defer func() { endSpan(span, err) }()
	ctx, cancel := context.WithTimeout(ctx, d.connectTimeout())
	defer cancel()
	address := withPort(target.Address)
	conn, err := (&net.Dialer{Timeout: d.connectTimeout(), Control: d.Control}).DialContext(ctx, "tcp", address)
	if err != nil {
		return dialError(ctx, target, err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	pin := &pin{ctx: ctx, keys: d.HostKeys, target: target}
	shown := false
	_, _, _, err = ssh.NewClientConn(conn, address, &ssh.ClientConfig{
		User: "windlass", HostKeyAlgorithms: hostKeyAlgorithms(),
		HostKeyCallback: func(host string, from net.Addr, key ssh.PublicKey) error {
			shown = true
			return pin.check(host, from, key)
		},
	})
	switch {
	case pin.err != nil:
		return pin.err
	case shown: // Pin does not log in, so a failed login is no failure
		return nil
	case err == nil:
		return lcm.Errorf(lcm.KindBug, "%s: the machine accepted a login without credentials", target.Node)
	}
	return handshakeError(ctx, target, err)
}
