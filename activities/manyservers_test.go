package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/activities/pkgscript"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/driver/vdu"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// serverLists keeps lists in memory.
type serverLists map[string]lcm.Nodes

func (l serverLists) KeepServers(_ context.Context, id lcm.OpOccID, hook string, servers lcm.Nodes) error {
	l[string(id)+"/"+hook] = servers
	return nil
}

func (l serverLists) ServersOf(_ context.Context, id lcm.OpOccID, hook string) (lcm.Nodes, error) {
	if servers, ok := l[string(id)+"/"+hook]; ok {
		return servers, nil
	}
	return nil, lcm.Errorf(lcm.KindNotFound, "Nobody has kept the servers.")
}

// largeCloud has a VDU of 500 servers.
type largeCloud struct{ unused }

const manyServers = 500

func (c largeCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c largeCloud) Inventory(context.Context, string) (*vim.Inventory, error) {
	inv := &vim.Inventory{ID: "stack", Ports: map[string]vim.Port{}, Servers: map[string]vim.Server{}}
	for i := range manyServers {
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
	largestMessage = 4 << 20
	atOnce         = 64
	toSpare        = 4
)

func sizeOf(t *testing.T, v any) int {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return len(text)
}

func TestFindPlaybooks_namesHundredsOfServersOnce(t *testing.T) {
	p := newPlayedSite(t)
	p.work.Cloud = resources.Cloud{VIMs: largeCloud{}, Deployments: fixedDeployment{}, Output: p.shown}
	in := pkgplaybook.PlaybooksInput{Tracked: p.input.Tracked, OpOccID: opOcc}
	var found pkgplaybook.FindPlaybooksOutput
	for range 2 {
		found = must(t, p.work.FindPlaybooks, in)
	}
	require.Len(t, found.Vdus[0].Servers, manyServers)
	all, err := p.work.Lists.ServersOf(t.Context(), opOcc, "instantiate_end")
	require.NoError(t, err)
	assert.Len(t, all, manyServers)
	one := pkgplaybook.PlayInput{NodeInput: p.Tracked(found.Vdus[0].Servers[0]), Hook: found.Hook, All: found.All}
	assert.Less(t, toSpare*atOnce*sizeOf(t, one), largestMessage)
	assert.Less(t, toSpare*sizeOf(t, found), largestMessage)
}

func TestFindScripts_namesHundredsOfServersOnce(t *testing.T) {
	s, _, _, output := newSite(t, 0, 1, nil)
	s.Reach.Vnfs.(*fixedVnf).Context.Drivers = []lifecycle.Driver{&script.Scripts{
		Params: script.Params{Servers: vdu.Logins{"web": {}}},
	}}
	lists := serverLists{}
	packaged := &pkgscript.Activities{
		Reach: s.Reach, Facts: &toldScripts{}, Lists: lists,
		Cloud: resources.Cloud{VIMs: largeCloud{}, Deployments: fixedDeployment{}, Output: output},
	}
	in := pkgscript.ScriptsInput{Tracked: s.Cluster().Tracked, OpOccID: opOcc, Side: script.End}
	var found pkgscript.FindScriptsOutput
	for range 2 {
		found = must(t, packaged.FindScripts, in)
	}
	require.Len(t, found.Servers, manyServers)
	require.True(t, found.Kept, "the workflow leaves out the list of all")
	assert.Len(t, lists[string(opOcc)+"/instantiate_end"], manyServers)
	one := pkgscript.RunOnServerInput{NodeInput: s.Tracked(found.Servers[0].Node), Hook: found.Hook, Path: "Scripts/a.sh"}
	assert.Less(t, toSpare*atOnce*sizeOf(t, one), largestMessage)
	assert.Less(t, toSpare*sizeOf(t, found), largestMessage)
}
