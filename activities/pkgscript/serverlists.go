package pkgscript

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ServerLists keeps the servers of a hook. The input of an activity on one server does not name all of them: with
// hundreds of servers, the inputs of their activities would be larger than Temporal takes.
type ServerLists interface {
	// KeepServers replaces earlier servers of the hook.
	KeepServers(ctx context.Context, id lcm.OpOccID, hook string, servers lcm.Nodes) error
	// ServersOf returns the kept servers.
	ServersOf(ctx context.Context, id lcm.OpOccID, hook string) (lcm.Nodes, error)
}
