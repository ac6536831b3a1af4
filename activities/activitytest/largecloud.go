package activitytest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// ServerLists keeps lists in memory.
type ServerLists map[string]lcm.Nodes

// KeepServers implements pkgscript.ServerLists.
func (l ServerLists) KeepServers(_ context.Context, id lcm.OpOccID, hook string, servers lcm.Nodes) error {
	l[string(id)+"/"+hook] = servers
	return nil
}

// ServersOf implements pkgscript.ServerLists.
func (l ServerLists) ServersOf(_ context.Context, id lcm.OpOccID, hook string) (lcm.Nodes, error) {
	if servers, ok := l[string(id)+"/"+hook]; ok {
		return servers, nil
	}
	return nil, lcm.Errorf(lcm.KindNotFound, "Nobody has kept the servers.")
}

// LargeCloud has a VDU of 500 servers.
type LargeCloud struct{ Unused }

// ManyServers is the size of a LargeCloud.
const ManyServers = 500

// VIM implements resources.VIMs.
func (c LargeCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

// Inventory implements vim.VIM.
func (c LargeCloud) Inventory(context.Context, string) (*vim.Inventory, error) {
	inv := &vim.Inventory{ID: "stack", Ports: map[string]vim.Port{}, Servers: map[string]vim.Server{}}
	for i := range ManyServers {
		server, port := fmt.Sprintf("%08d-0000-4000-8000-000000000000", i), fmt.Sprintf("p%d", i)
		inv.Resources = append(inv.Resources,
			vim.Resource{Kind: vim.Compute, Name: "web", ID: server, Part: server, PartName: "web", VimType: "OS::Nova::Server"},
			vim.Resource{Kind: vim.LinkPort, Name: "web_CP1", ID: port, Part: server})
		inv.Ports[port] = vim.Port{ID: port, ServerID: server, Address: fmt.Sprintf("10.0.%d.%d", i/250, i%250+1)}
	}
	return inv, nil
}

// Temporal takes 4 MiB in a message, and 64 activities begin at once: the input of each must not name all servers.
const (
	LargestMessage = 4 << 20
	AtOnce         = 64
	ToSpare        = 4
)

// SizeOf is the size of a value as Temporal stores it.
func SizeOf(t *testing.T, v any) int {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return len(text)
}
