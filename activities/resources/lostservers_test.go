package resources_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// pluggedCloud records which server has which port, and the states of servers.
type pluggedCloud struct {
	activitytest.ChangingCloud

	servers map[string]string // the status by id
	holder  map[string]string // the server of each port
	healthy []string          // marked as healthy
	plugs   int
}

func (c *pluggedCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *pluggedCloud) ServerState(_ context.Context, id string) (vim.ServerState, error) {
	status, ok := c.servers[id]
	if !ok {
		return vim.ServerState{}, lcm.Errorf(lcm.KindNotFound, "There is no server %s.", id)
	}
	return vim.ServerState{ID: id, Level: openstack.ServerLevel(status), Status: status}, nil
}

func (c *pluggedCloud) DeleteServer(_ context.Context, id string) error {
	delete(c.servers, id)
	for port, server := range c.holder {
		if server == id {
			c.holder[port] = ""
		}
	}
	return nil
}

func (c *pluggedCloud) PortsByID(_ context.Context, ids ...string) (out []vim.Port, err error) {
	for _, id := range ids {
		if server, ok := c.holder[id]; ok {
			out = append(out, vim.Port{ID: id, ServerID: server})
		}
	}
	return out, nil
}

func (c *pluggedCloud) PlugPort(_ context.Context, server, port string) error {
	if c.servers[server] == "ERROR" {
		return lcm.Errorf(lcm.KindConflict, "The server %s is in ERROR.", server)
	}
	if c.holder[port] != "" {
		return lcm.Errorf(lcm.KindConflict, "The port %s is in use.", port)
	}
	c.plugs++
	c.holder[port] = server
	return nil
}

func (c *pluggedCloud) UnplugPort(_ context.Context, server, port string) error {
	if c.servers[server] == "ERROR" {
		return lcm.Errorf(lcm.KindConflict, "The server %s is in ERROR.", server)
	}
	c.holder[port] = ""
	return nil
}

func (c *pluggedCloud) MarkHealthy(_ context.Context, r vim.Resource, _ string) error {
	c.healthy = append(c.healthy, r.ID)
	at := slices.IndexFunc(c.Inv.Resources, func(o vim.Resource) bool { return o.ID == r.ID })
	c.Inv.Resources[at].Level, c.Inv.Resources[at].Status = vim.Running, "CHECK_COMPLETE"
	return nil
}

// halfHealed returns a deployment for which the VIM could not make the successor of old-1, and has not yet handled
// old-2.
func halfHealed() (*pluggedCloud, activitytest.FixedDeployment) {
	cloud := &pluggedCloud{
		servers: map[string]string{"old-1": "ACTIVE", "old-2": "SHUTOFF", "new-1": "ERROR"},
		holder:  map[string]string{"a": "", "b": "new-1", "c": "old-2"},
	}
	cloud.Inv = &vim.Inventory{ID: "top", Resources: []vim.Resource{
		{Name: "vdu", Kind: vim.Compute, ID: "new-1", Part: "nested-1", Level: vim.Failed, Status: "CREATE_FAILED"},
		{Name: "vdu", Kind: vim.Compute, ID: "old-2", Part: "nested-2", Level: vim.Failed, Status: "CHECK_FAILED"},
	}}
	port := func(id string) record.Attached {
		return record.Attached{Type: lcm.GrantLinkPort, Resource: "cp", ID: id}
	}
	return cloud, activitytest.FixedDeployment{Servers: []record.Vnfc{
		{
			VduID: "vdu", ServerID: "old-1", Part: "nested-1",
			Attached: []record.Attached{port("a"), port("b"), port("gone"), {Type: lcm.GrantStorage, ID: "v"}},
		},
		{VduID: "vdu", ServerID: "old-2", Part: "nested-2", Attached: []record.Attached{port("c")}},
	}}
}

func TestRestoreServers_givesServersTheirPortsBack(t *testing.T) {
	cloud, deployment := halfHealed()
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: deployment, Output: &activitytest.Output{}},
	}
	for range 2 {
		out := activitytest.Must(
			t,
			infra.RestoreServers,
			resources.ServersInput{OpOccID: activitytest.OpOcc, ServerIDs: []string{"old-1", "old-2"}},
		)
		assert.Empty(t, out.Lost)
		assert.Equal(t, map[string]string{"a": "old-1", "b": "old-1", "c": "old-2"}, cloud.holder)
		assert.Equal(t, []string{"old-2"}, cloud.healthy)
		assert.Equal(t, 2, cloud.plugs)
		assert.NotContains(t, cloud.servers, "new-1", "it had a port")
	}
}

func TestRestoreServers_doesNothingWhenAServerIsLost(t *testing.T) {
	cloud, deployment := halfHealed()
	cloud.servers["old-2"] = "SOFT_DELETED"
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: deployment, Output: &activitytest.Output{}},
	}
	in := resources.ServersInput{OpOccID: activitytest.OpOcc, ServerIDs: []string{"old-1", "old-2"}}
	for range 2 {
		assert.Equal(t, []string{"old-2"}, activitytest.Must(t, infra.RestoreServers, in).Lost)
		assert.Equal(t, []string{"old-2"}, activitytest.Must(t, infra.FindLostServers, in).Lost)
		assert.Zero(t, cloud.plugs)
	}
}

func TestRestoreServers_leavesAServerInErrorWithoutItsPorts(t *testing.T) {
	cloud, deployment := halfHealed()
	cloud.servers["old-1"] = "ERROR"
	output := &activitytest.Output{}
	infra := &resources.Activities{Cloud: resources.Cloud{VIMs: cloud, Deployments: deployment, Output: output}}
	activitytest.Must(
		t,
		infra.RestoreServers,
		resources.ServersInput{OpOccID: activitytest.OpOcc, ServerIDs: []string{"old-1"}},
	)
	require.Contains(t, output.Shown, ": The server old-1 cannot have its port a back: The server old-1 is in ERROR.")
}

// TestChangeStack_replacesServersWithinMembers checks that replacing a server does not replace its member in the group,
// with the member's ports and volumes.
func TestChangeStack_replacesServersWithinMembers(t *testing.T) {
	cloud := &pluggedCloud{servers: map[string]string{"s1": "ACTIVE", "s2": "ERROR"}, holder: map[string]string{}}
	cloud.Inv = &vim.Inventory{
		ID: "top",
		Resources: []vim.Resource{
			{Name: "m1", VimType: "member.yaml", ID: "nested-1", Part: "group"},
			{Name: "m2", VimType: "member.yaml", ID: "nested-2", Part: "group"},
			{Name: "vdu", Kind: vim.Compute, ID: "s1", Part: "nested-1"},
			{Name: "cp", Kind: vim.LinkPort, ID: "p1", Part: "nested-1"},
			{Name: "disk", Kind: vim.Storage, ID: "v1", Part: "nested-1"},
			{Name: "vdu", Kind: vim.Compute, ID: "s2", Part: "nested-2"},
			{Name: "cp", Kind: vim.LinkPort, ID: "p2", Part: "nested-2"},
		},
		Servers: map[string]vim.Server{
			"s1": {ID: "s1", Status: "ACTIVE"},
			"s2": {ID: "s2", Level: vim.Failed, Status: "ERROR"},
		},
		Ports: map[string]vim.Port{"p1": {ID: "p1", ServerID: "s1"}, "p2": {ID: "p2", ServerID: "s2"}},
	}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{}},
	}
	in := resources.ChangeStackInput{
		OpOccID: activitytest.OpOcc, Sizes: vim.SizesPlanned, Leaving: []string{"s1"}, Within: true,
	}
	for range 2 {
		activitytest.Must(t, infra.ChangeStack, in)
		assert.Equal(t, []string{"vdu"}, cloud.Replaced())
	}
	in.LeavingPorts, in.LeavingVolumes = []string{"p1"}, []string{"v1"}
	activitytest.Must(t, infra.ChangeStack, in)
	assert.Equal(t, []string{"vdu", "cp", "disk"}, cloud.Replaced())

	assert.Contains(t, cloud.servers, "s1")
	in = resources.ChangeStackInput{
		OpOccID: activitytest.OpOcc,
		Sizes:   vim.SizesPlanned,
		Leaving: []string{"s2"},
		Within:  true,
	}
	for range 2 {
		activitytest.Must(t, infra.ChangeStack, in)
		assert.NotContains(t, cloud.servers, "s2", "Heat would leave it its port, which the successor needs")
	}
}

// TestChangeStack_sparesMembersThatAreRecorded has a failed successor that a rolled back heal has left. Undoing a
// scale-out must not remove the member of that successor.
func TestChangeStack_sparesMembersThatAreRecorded(t *testing.T) {
	cloud, deployment := halfHealed()
	cloud.Inv.Resources = append(cloud.Inv.Resources,
		vim.Resource{Name: "group", Kind: vim.Group, ID: "group", Part: "top"},
		vim.Resource{Name: "m1", VimType: "member.yaml", ID: "nested-1", Part: "group"},
		vim.Resource{Name: "m2", VimType: "member.yaml", ID: "nested-2", Part: "group"},
		vim.Resource{Name: "m3", VimType: "member.yaml", ID: "nested-3", Part: "group"},
		vim.Resource{Name: "vdu", Kind: vim.Compute, ID: "s3", Part: "nested-3"},
	)
	cloud.Inv.Resources[0].ID = "" // the VIM has made no resource
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: deployment, Output: &activitytest.Output{}},
	}
	cloud.holder = map[string]string{"a": "old-1", "c": "old-2"}
	cloud.Inv.Resources = append(cloud.Inv.Resources,
		vim.Resource{Name: "cp", Kind: vim.LinkPort, ID: "a", Part: "nested-1"},
		vim.Resource{Name: "cp", Kind: vim.LinkPort, ID: "c", Part: "nested-2"},
	)
	cloud.Inv.Ports = map[string]vim.Port{"a": {ID: "a", ServerID: "old-1"}, "c": {ID: "c", ServerID: "old-2"}}
	for _, successor := range []string{"", "new-1"} {
		cloud.Inv.Resources[0].ID = successor
		activitytest.Must(
			t,
			infra.ChangeStack,
			resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesRecorded},
		)
		// fixedDeployment's recorded servers are s1 and s2.
		assert.Equal(t, []string{"m3"}, cloud.Replaced(), "the new member alone")
		assert.Equal(t, map[string]string{"a": "", "c": "old-2"}, cloud.holder,
			"Heat makes the successor, which needs the port")
	}
	cloud.servers["old-1"], cloud.holder["a"] = "ERROR", "old-1"
	activitytest.Must(
		t,
		infra.ChangeStack,
		resources.ChangeStackInput{OpOccID: activitytest.OpOcc, Sizes: vim.SizesRecorded},
	)
	assert.NotContains(t, cloud.servers, "old-1")
	assert.Empty(t, cloud.holder["a"])
}
