package kubecluster

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Servers knows the VIM's state of the nodes' servers.
type Servers interface {
	// Off is the VIM's name for the state of a server that does not run; "" if it runs, or if the VIM does not say.
	Off(ctx context.Context, id lcm.OpOccID, node lcm.Node) string
}

// askVim limits the query to the VIM. Without an answer in time, the caller goes on as for a running server.
const askVim = 10 * time.Second

// poweredOff is the VIM's name for the state of a server that does not run; "" if it may run. For a server that is off,
// the caller need not wait until Kubernetes or a login notices it.
func (c *Activities) poweredOff(ctx context.Context, id lcm.OpOccID, node lcm.Node) string {
	if c.Servers == nil {
		return ""
	}
	ctx, done := context.WithTimeout(ctx, askVim)
	defer done()
	return c.Servers.Off(ctx, id, node)
}
