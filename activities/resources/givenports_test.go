package resources_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// creatingCloud also creates deployments.
type creatingCloud struct {
	connectedCloud

	created int
}

func (c *creatingCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *creatingCloud) Inventory(context.Context, string) (*vim.Inventory, error) {
	if c.Inv == nil {
		return nil, lcm.Errorf(lcm.KindNotFound, "There is no stack.")
	}
	copied := *c.Inv
	copied.Ports = map[string]vim.Port{}
	return &copied, nil
}

func (c *creatingCloud) Deploy(context.Context, vim.Deployment, func(string)) (string, error) {
	c.created++
	return "stack", nil
}

// onGiven returns a link with a connection point that has a given port.
func onGiven(network, cp, port string) lcm.ExtVirtualLink {
	return lcm.ExtVirtualLink{
		ID: "link", ResourceID: network,
		ExtCps: []lcm.ExtCp{{CpdID: cp, LinkPort: &lcm.LinkPort{ID: "id-of-" + port, ResourceID: port}}},
	}
}

func TestCreateStack_looksAtGivenPortsFirst(t *testing.T) {
	ours := &vim.Inventory{
		ID:        "top",
		Resources: []vim.Resource{{Name: "vdu", Kind: vim.Compute, ID: "ours", Part: "top"}},
	}
	port := vim.Port{
		ID: "p", NetworkID: "id-of-net", MAC: "fa:16:3e:00:00:01",
		FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7", SubnetID: "s"}},
	}
	taken := port
	taken.ID, taken.ServerID = "taken", "elsewhere"
	own := port
	own.ID, own.ServerID = "own", "ours"
	fitting, unfitting := onGiven("net", "a", "p"), onGiven("net", "a", "p")
	fitting.ExtCps[0].FixedIPs, fitting.ExtCps[0].MAC = []lcm.FixedIP{{Address: "10.0.0.7"}, {SubnetID: "s"}},
		"FA:16:3E:00:00:01"
	unfitting.ExtCps[0].FixedIPs, unfitting.ExtCps[0].MAC = []lcm.FixedIP{{Address: "10.0.0.8"}}, "fa:16:3e:00:00:02"
	for name, c := range map[string]struct {
		links []lcm.ExtVirtualLink
		says  []string // empty if the port can be used
	}{
		"no port":           {nil, nil},
		"free":              {[]lcm.ExtVirtualLink{onGiven("net", "a", "p")}, nil},
		"as asked for":      {[]lcm.ExtVirtualLink{fitting}, nil},
		"in our own server": {[]lcm.ExtVirtualLink{onGiven("net", "a", "own")}, nil},
		"gone, and in use": {
			[]lcm.ExtVirtualLink{onGiven("net", "a", "gone"), onGiven("net", "b", "taken")},
			[]string{
				`gone of a (linkPortId "id-of-gone") does not exist in the VIM`, "taken of b",
				"is in use by elsewhere",
			},
		},
		"on another network": {
			[]lcm.ExtVirtualLink{onGiven("other", "a", "p")},
			[]string{"is on the network id-of-net, and its link is other"},
		},
		"on no network": {[]lcm.ExtVirtualLink{onGiven("nowhere", "a", "p")}, []string{"There is no network nowhere"}},
		"with others": {
			[]lcm.ExtVirtualLink{unfitting},
			[]string{"does not have the address 10.0.0.8", "has the MAC address fa:16:3e:00:00:01"},
		},
	} {
		cloud := &creatingCloud{}
		cloud.Inv, cloud.ports = ours, []vim.Port{port, taken, own}
		infra := &resources.Activities{
			Cloud: resources.Cloud{
				VIMs: cloud, Deployments: activitytest.FixedDeployment{After: c.links}, Output: &activitytest.Output{},
			},
		}
		for range 2 {
			_, err := activitytest.Do(t, infra.CreateStack, activitytest.DeploymentInput())
			for _, says := range c.says {
				require.ErrorContains(t, err, says, name)
			}
			if len(c.says) == 0 {
				require.NoError(t, err, name)
			}
		}
		require.Equal(t, len(c.says) == 0, cloud.created > 0, "%s: nothing is made of what cannot be", name)
	}
}

// TestGivenPorts_areFoundAndReleased has a given port on a server of the VIM, and another one on a server that a rolled
// back heal has left. Both are found and given to successors. Otherwise they do not belong to the deployment.
func TestGivenPorts_areFoundAndReleased(t *testing.T) {
	links := []lcm.ExtVirtualLink{onGiven("net", "a", "p"), onGiven("net", "b", "q"), onGiven("net", "c", "strange")}
	recorded := []record.Vnfc{
		{VduID: "one", ServerID: "s1", Attached: []record.Attached{{Type: lcm.GrantLinkPort, Resource: "a", ID: "p"}}},
		{
			VduID: "two", ServerID: "left", Part: "inner",
			Attached: []record.Attached{{Type: lcm.GrantLinkPort, Resource: "b", ID: "q"}},
		},
	}
	cloud := &pluggedCloud{
		servers: map[string]string{"s1": "ERROR", "left": "ACTIVE"},
		holder:  map[string]string{"p": "s1", "q": "left", "strange": "elsewhere"},
	}
	read := func() {
		cloud.Inv = &vim.Inventory{
			ID: "top",
			Resources: []vim.Resource{
				{Name: "one", Kind: vim.Compute, ID: "s1", Part: "top"},
				{Name: "two", Kind: vim.Compute, ID: "next", Part: "inner", Level: vim.Failed, Status: "CREATE_FAILED"},
			},
			Servers: map[string]vim.Server{"s1": {ID: "s1", Level: vim.Failed, Status: "ERROR"}},
		}
		cloud.Settled = cloud.Inv
	}
	infra := &resources.Activities{
		Cloud: resources.Cloud{
			VIMs: cloud, Deployments: activitytest.FixedDeployment{Servers: recorded, Before: links, After: links},
			Output: &activitytest.Output{},
		},
	}
	for range 2 {
		read()
		out := activitytest.Must(
			t,
			(&kubenode.Finder{Cloud: infra.Cloud}).FindNodes,
			kubenode.FindNodesInput{OpOccID: activitytest.OpOcc},
		)
		require.Equal(t, []record.Attached{{Type: lcm.GrantLinkPort, Resource: "a", ID: "p"}}, out.Vnfcs[0].Attached)
		require.Len(t, cloud.Inv.Resources, 4, "not what is in another device")
	}
	for range 2 {
		read()
		activitytest.Must(t, infra.ChangeStack, resources.ChangeStackInput{
			OpOccID: activitytest.OpOcc, Sizes: vim.SizesPlanned, Within: true, Leaving: []string{"s1"},
		})
		require.Equal(
			t,
			map[string]string{"p": "", "q": "", "strange": "elsewhere"},
			cloud.holder,
			"free for the successors",
		)
		require.Equal(t, []string{"one"}, cloud.Replaced(), "ports are replaced by nobody")
	}
	cloud.servers = map[string]string{"s1": "ACTIVE", "left": "ACTIVE"}
	for range 2 {
		read()
		activitytest.Must(
			t,
			infra.RestoreServers,
			resources.ServersInput{OpOccID: activitytest.OpOcc, ServerIDs: []string{"s1", "left"}},
		)
		require.Equal(t, map[string]string{"p": "s1", "q": "left", "strange": "elsewhere"}, cloud.holder)
		require.Equal(t, 2, cloud.plugs)
	}
}

// TestFindConnections_knowsGivenPorts checks that a connection point with a given port counts as moved only when its
// server has exactly this port.
func TestFindConnections_knowsGivenPorts(t *testing.T) {
	for server, moved := range map[string][]string{"s": {"a"}, "": nil} {
		cloud := &connectedCloud{ports: []vim.Port{
			{ID: "old", NetworkID: "id-of-net", ServerID: map[string]string{"": "s"}[server]},
			{ID: "new", NetworkID: "id-of-net", ServerID: server},
		}}
		cloud.Inv = &vim.Inventory{
			ID:        "top",
			Resources: []vim.Resource{{Name: "vdu", Kind: vim.Compute, ID: "s", Part: "top"}},
		}
		deployment := activitytest.FixedDeployment{
			Servers: []record.Vnfc{{
				VduID: "vdu", ServerID: "s",
				Attached: []record.Attached{{Type: lcm.GrantLinkPort, Resource: "a", ID: "old"}},
			}},
			Before: []lcm.ExtVirtualLink{
				onGiven("net", "a", "old"),
			}, After: []lcm.ExtVirtualLink{onGiven("net", "a", "new")},
		}
		infra := &resources.Activities{
			Cloud: resources.Cloud{VIMs: cloud, Deployments: deployment, Output: &activitytest.Output{}},
		}
		listed := cloud.Inv.Resources
		for range 2 {
			cloud.Inv.Resources, cloud.Inv.Ports = listed, nil
			out := activitytest.Must(t, infra.FindConnections, resources.FindConnectionsInput{OpOccID: activitytest.OpOcc})
			require.Equal(t, moved, out.Moved)
			require.Len(t, out.Vnfcs[0].Attached, 1)
			require.Equal(t, map[string]string{"s": "new", "": "old"}[server], out.Vnfcs[0].Attached[0].ID)
			require.Equal(t, "a", out.Vnfcs[0].Attached[0].Resource)
		}
	}
}

// TestReconnectStack_looksAtGivenPortsFirst checks that a mistake in a new port is reported before the deployment
// changes. A rollback checks no ports, and ports that stay are never checked.
func TestReconnectStack_looksAtGivenPortsFirst(t *testing.T) {
	cloud := &connectedCloud{ports: []vim.Port{{ID: "kept", NetworkID: "id-of-elsewhere", ServerID: "strange"}}}
	cloud.Inv = &vim.Inventory{ID: "top"}
	cloud.Settled = cloud.Inv
	kept := onGiven("net", "a", "kept")
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Output: &activitytest.Output{}, Deployments: activitytest.FixedDeployment{
			Before: []lcm.ExtVirtualLink{kept, onGiven("net", "b", "former")},
			After:  []lcm.ExtVirtualLink{kept, onGiven("net", "b", "gone")},
		}},
	}
	for range 2 {
		_, err := activitytest.Do(t, infra.ReconnectStack, resources.ReconnectStackInput{OpOccID: activitytest.OpOcc})
		require.ErrorContains(t, err, "the port gone of b")
		require.NotContains(t, err.Error(), "kept")
		require.Equal(t, vim.Change{}, cloud.Last, "nothing is touched")
	}
	activitytest.Must(t, infra.ReconnectStack, resources.ReconnectStackInput{OpOccID: activitytest.OpOcc, AsBefore: true})
	require.NotEqual(t, vim.Change{}, cloud.Last)
}

// TestChangeStack_looksAtPortsForServersThatCome checks that the port for a new server is examined before the
// deployment grows. Ports on the VNF's servers already belong to them.
func TestChangeStack_looksAtPortsForServersThatCome(t *testing.T) {
	link := onGiven("net", "a", "own")
	link.ExtCps[0].Configs = []lcm.CpConfig{
		{Key: "a-0", LinkPort: &lcm.LinkPort{ID: "own", ResourceID: "own"}, FixedIPs: []lcm.FixedIP{{Address: "10.0.0.9"}}},
		{Key: "a-1", LinkPort: &lcm.LinkPort{ID: "next", ResourceID: "next"}},
	}
	for network, says := range map[string]string{"id-of-net": "", "id-of-other": "the port next of a"} {
		cloud := &connectedCloud{ports: []vim.Port{
			{ID: "own", NetworkID: "id-of-net", ServerID: "s"},
			{ID: "next", NetworkID: network},
		}}
		cloud.Inv = &vim.Inventory{
			ID:        "top",
			Resources: []vim.Resource{{Name: "vdu", Kind: vim.Compute, ID: "s", Part: "top"}},
		}
		cloud.Settled = cloud.Inv
		infra := &resources.Activities{
			Cloud: resources.Cloud{VIMs: cloud, Output: &activitytest.Output{}, Deployments: activitytest.FixedDeployment{
				Before: []lcm.ExtVirtualLink{link}, After: []lcm.ExtVirtualLink{link},
				Servers: []record.Vnfc{{VduID: "vdu", ServerID: "s"}},
			}},
		}
		for range 2 {
			cloud.Last = vim.Change{}
			_, err := activitytest.Do(
				t,
				infra.ChangeStack,
				resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesGrown},
			)
			if says == "" {
				require.NoError(t, err)
				require.NotEqual(t, vim.Change{}, cloud.Last)
				continue
			}
			require.ErrorContains(t, err, says)
			require.NotContains(t, err.Error(), "10.0.0.9")
			require.Equal(t, vim.Change{}, cloud.Last, "nothing is touched")
		}
		activitytest.Must(
			t,
			infra.ChangeStack,
			resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesRecorded},
		)
	}
}

func TestCheckPorts_looksAtAllAndTouchesNothing(t *testing.T) {
	for port, says := range map[string]string{
		"own": "", "taken": "is in use by elsewhere", "gone": "does not exist in the VIM",
	} {
		cloud := &creatingCloud{}
		cloud.Inv = &vim.Inventory{
			ID:        "top",
			Resources: []vim.Resource{{Name: "vdu", Kind: vim.Compute, ID: "ours", Part: "top"}},
		}
		cloud.ports = []vim.Port{
			{ID: "own", NetworkID: "id-of-net", ServerID: "ours"},
			{ID: "taken", NetworkID: "id-of-net", ServerID: "elsewhere"},
		}
		links := []lcm.ExtVirtualLink{onGiven("net", "a", port)}
		infra := &resources.Activities{
			Cloud: resources.Cloud{
				VIMs: cloud, Deployments: activitytest.FixedDeployment{Before: links, After: links},
				Output: &activitytest.Output{},
			},
		}
		for range 2 {
			_, err := activitytest.Do(t, infra.CheckPorts, activitytest.DeploymentInput())
			if says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, says)
			}
			require.Zero(t, cloud.created)
			require.Equal(t, vim.Change{}, cloud.Last)
		}
	}
}
