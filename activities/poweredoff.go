package activities

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Servers tells what the VIM knows of nodes' servers.
type Servers interface {
	// Off is the VIM's word for a server that does not run, "" for one that does, and where the VIM does not tell.
	Off(ctx context.Context, id lcm.OpOccID, node lcm.Node) string
}

// askVim bounds the question to the VIM: who gets no answer in time goes on as if it had said nothing.
const askVim = 10 * time.Second

// poweredOff is the VIM's word for a server that does not run, "" for one that may: what it says is off need not be
// waited for until Kubernetes, or a login, has missed it.
func (c *Cluster) poweredOff(ctx context.Context, id lcm.OpOccID, node lcm.Node) string {
	if c.Servers == nil {
		return ""
	}
	ctx, done := context.WithTimeout(ctx, askVim)
	defer done()
	return c.Servers.Off(ctx, id, node)
}
