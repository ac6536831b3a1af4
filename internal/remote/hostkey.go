package remote

import (
	"bytes"
	"context"
	"net"

	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// HostKeys stores the first host key that a server showed.
type HostKeys interface {
	// PinHostKey stores key if there is none for that server, and returns the stored key.
	PinHostKey(ctx context.Context, serverID string, key []byte) (pinned []byte, err error)
}

// pin trusts a server's key on first use, and no other key after that.
type pin struct {
	ctx    context.Context //nolint:containedctx // ssh.HostKeyCallback passes none
	keys   HostKeys
	target Target
	// err is kept here because the handshake returns it as text only.
	err error
}

func (p *pin) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	p.err = p.compare(key.Marshal())
	return p.err
}

func (p *pin) compare(shown []byte) error {
	if p.target.ServerID == "" {
		return lcm.Errorf(lcm.KindBug, "%s: no server id to pin the host key for", p.target.Node)
	}
	pinned, err := p.keys.PinHostKey(p.ctx, p.target.ServerID, shown)
	if err != nil {
		return err
	}
	if !bytes.Equal(pinned, shown) {
		return lcm.Errorf(lcm.KindDenied, "%s: %s shows another SSH host key than at first contact; "+
			"another machine may answer there. Heal the node, or forget the pinned key if the change is wanted",
			p.target.Node, p.target.Address)
	}
	return nil
}

// hostKeyAlgorithms has a fixed order, so that a server with several keys always shows the same one.
func hostKeyAlgorithms() []string {
	return []string{
		ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
	}
}
