// Package vimtest checks every VIM with the same assertions. The promises of package vim must hold on OpenStack, the
// lab, Kubernetes and the VIM in memory, which is here for tests.
package vimtest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Bed is a VIM under test.
type Bed struct {
	VIM vim.VIM
	// Name is the name of a deployment that does not exist.
	Name string
	// Define makes a definition with a group "workers" of n parts. Each part is a server "vdu" with a link port "cp".
	Define func(n int) vim.Definition
	// Resize makes the definition of a change to n parts.
	Resize func(n int) vim.Definition
	// WithoutPorts is set where link ports are not separate resources.
	WithoutPorts bool
	// Patience bounds every call.
	Patience time.Duration
}

const owner, other = "windlass-vnf-of-the-test", "windlass-vnf-of-somebody-else"

type site struct {
	*testing.T
	Bed
}

// Run checks the VIM and removes everything that it made.
func Run(t *testing.T, bed Bed) {
	t.Helper()
	s := &site{t, bed}
	t.Cleanup(func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(t.Context()), s.Patience)
		defer done()
		require.NoError(t, s.VIM.Remove(ctx, s.Name, owner, silent), "it leaves nothing")
	})
	s.absent()
	s.surveys()
	id := s.deploys()
	s.describes()
	s.leavesOthersAlone(id)
	s.changes()
	s.replaces()
	s.switches()
	s.removes()
	s.keepsImages()
}

func silent(string) {}

func (s *site) ctx() context.Context {
	ctx, done := context.WithTimeout(s.Context(), s.Patience)
	s.Cleanup(done)
	return ctx
}

func (s *site) deployment(owner, operation string) vim.Deployment {
	return vim.Deployment{
		Name: s.Name, Owner: owner, Operation: operation, Definition: s.Define(2), Timeout: max(s.Patience, time.Minute),
	}
}

func (s *site) change(owner string, n int, replace ...vim.Resource) error {
	return s.VIM.Change(s.ctx(), vim.Change{
		Name: s.Name, Owner: owner, Operation: "op-2", Definition: s.Resize(n), Replace: replace,
		Timeout: max(s.Patience, time.Minute),
	}, silent)
}

func (s *site) inventory() *vim.Inventory {
	s.Helper()
	inv, err := s.VIM.Inventory(s.ctx(), s.Name)
	require.NoError(s, err)
	return inv
}

// servers returns the servers of the group in a fixed order.
func (s *site) servers() (ids []string) {
	s.Helper()
	for _, r := range s.inventory().OfKind(vim.Compute) {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}

// absent asks for a deployment that does not exist.
func (s *site) absent() {
	_, err := s.VIM.Inventory(s.ctx(), s.Name)
	s.isKind(lcm.KindNotFound, err)
	s.isKind(lcm.KindNotFound, s.change(owner, 2))
	s.isKind(lcm.KindNotFound, s.VIM.Settle(s.ctx(), s.Name, owner, silent)) // callers test connections with this
	require.NoError(s, s.VIM.Remove(s.ctx(), s.Name, owner, silent), "what is not there is removed")
	require.NoError(s, s.VIM.Interrupt(s.ctx(), s.Name, owner, silent))
}

// surveys asks about the deployment, and checks that this does not make it.
func (s *site) surveys() {
	surveyor, ok := s.VIM.(vim.Surveyor)
	if !ok {
		return
	}
	for range 2 {
		problems, err := surveyor.Survey(s.ctx(), s.deployment(owner, "op-0"), vim.Room{Servers: 2, Ports: 2})
		require.NoError(s, err)
		require.Empty(s, problems)
	}
	_, err := s.VIM.Inventory(s.ctx(), s.Name)
	s.isKind(lcm.KindNotFound, err)
}

// deploys makes the deployment, and finds it again.
func (s *site) deploys() string {
	id, err := s.VIM.Deploy(s.ctx(), s.deployment(owner, "op-1"), silent)
	require.NoError(s, err)
	made := s.inventory()
	require.Equal(s, id, made.ID)
	again, err := s.VIM.Deploy(s.ctx(), s.deployment(owner, "op-1"), silent)
	require.NoError(s, err)
	require.Equal(s, id, again, "it is the same one")

	servers := made.OfKind(vim.Compute)
	require.Len(s, servers, 2)
	for _, r := range servers {
		require.NotEmpty(s, made.Servers[r.ID].VolumeType, "its volumes have a word, too")
		require.Equal(s, []vim.Level{vim.Running, vim.Running, vim.Running},
			[]vim.Level{made.Level, r.Level, made.Servers[r.ID].Level})
	}
	for _, p := range made.Ports {
		require.NotEmpty(s, p.VimType)
	}
	members, err := made.Members("workers")
	require.NoError(s, err)
	for _, r := range servers {
		require.Equal(s, "vdu", r.Name)
		require.NotEmpty(s, r.ID)
		require.NotEmpty(s, r.VimType, "people and NFVOs are shown the VIM's own word")
		require.False(s, r.Unhealthy())
		require.Contains(s, members, r.Part, "a server is in a part of its group")
		require.NotEmpty(s, r.Member)
		require.Equal(s, r.ID, made.Servers[r.ID].ID)
		if s.WithoutPorts {
			continue
		}
		port, ok := made.In(r.Part, "cp")
		require.True(s, ok)
		require.Equal(s, vim.LinkPort, port.Kind)
		require.Equal(s, r.ID, made.Ports[port.ID].ServerID)
		require.NotEmpty(s, made.Ports[port.ID].Address)
	}
	_, err = made.Members("nothing")
	s.isKind(lcm.KindInvalid, err)
	top, err := made.Members("")
	require.NoError(s, err)
	require.Equal(s, []string{id}, top)
	return id
}

// describes asks for the attributes of the group.
func (s *site) describes() {
	describer, ok := s.VIM.(vim.Describer)
	if !ok {
		return
	}
	attributes, err := describer.Attributes(s.ctx(), s.Name, owner, "workers")
	require.NoError(s, err)
	require.NotEmpty(s, attributes)
	_, err = describer.Attributes(s.ctx(), s.Name, owner, "nothing")
	s.isKind(lcm.KindNotFound, err)
	_, err = describer.Attributes(s.ctx(), s.Name, other, "workers")
	s.isKind(lcm.KindConflict, err)
}

// leavesOthersAlone calls the VIM as another owner.
func (s *site) leavesOthersAlone(id string) {
	before := s.servers()
	_, err := s.VIM.Deploy(s.ctx(), s.deployment(other, "op-9"), silent)
	s.isKind(lcm.KindConflict, err)
	s.isKind(lcm.KindConflict, s.change(other, 1))
	s.isKind(lcm.KindConflict, s.VIM.Settle(s.ctx(), s.Name, other, silent))
	require.NoError(s, s.VIM.Remove(s.ctx(), s.Name, other, silent))
	require.NoError(s, s.VIM.Interrupt(s.ctx(), s.Name, other, silent))
	require.Equal(s, id, s.inventory().ID)
	require.Equal(s, before, s.servers())
}

// changes makes the group larger, and then smaller by exactly the named member.
func (s *site) changes() {
	before := s.servers()
	for range 2 {
		require.NoError(s, s.change(owner, 3))
		require.NoError(s, s.VIM.Settle(s.ctx(), s.Name, owner, silent))
		require.Len(s, s.servers(), 3)
		require.Subset(s, s.servers(), before, "those that are there stay")
	}
	members, err := s.inventory().MemberResources("workers")
	require.NoError(s, err)
	leaving := members[1]
	var gone string
	for _, r := range s.inventory().OfKind(vim.Compute) {
		if r.Part == leaving.ID {
			gone = r.ID
		}
	}
	before = slices.DeleteFunc(s.servers(), func(id string) bool { return id == gone })
	for range 2 {
		require.NoError(s, s.change(owner, 2, leaving))
		require.Equal(s, before, s.servers(), "exactly the one that is named goes, and only once")
	}
}

// replaces makes one server anew, in its place.
func (s *site) replaces() {
	before := s.inventory().OfKind(vim.Compute)
	was := before[0]
	for range 2 {
		require.NoError(s, s.change(owner, 2, was))
		now := s.servers()
		require.Len(s, now, 2)
		require.NotContains(s, now, was.ID)
		require.Contains(s, now, before[1].ID, "the other one stays")
	}
}

// switches stops and starts a server, on a VIM with that ability.
func (s *site) switches() {
	power, ok := s.VIM.(vim.Power)
	if !ok {
		_, err := vim.As[vim.Power](s.VIM, "start and stop servers")
		s.isKind(lcm.KindInvalid, err)
		return
	}
	id := s.servers()[0]
	running, err := power.ServerState(s.ctx(), id)
	require.NoError(s, err)
	require.Equal(s, vim.Running, running.Level)
	for range 2 {
		require.NoError(s, power.StopServer(s.ctx(), id))
		off, err := power.ServerState(s.ctx(), id)
		require.NoError(s, err)
		require.Equal(s, vim.Stopped, off.Level)
	}
	for range 2 {
		require.NoError(s, power.StartServer(s.ctx(), id))
		on, err := power.ServerState(s.ctx(), id)
		require.NoError(s, err)
		require.Equal(s, vim.Running, on.Level)
	}
	stillOn, err := power.ShutDown(s.ctx(), s.Name, owner, time.Now().Add(s.Patience), silent)
	require.NoError(s, err)
	require.Empty(s, stillOn)
	_, err = power.ServerState(s.ctx(), "00000000-0000-4000-8000-000000000000")
	s.isKind(lcm.KindNotFound, err)
}

func (s *site) removes() {
	for range 2 {
		require.NoError(s, s.VIM.Remove(s.ctx(), s.Name, owner, silent))
		_, err := s.VIM.Inventory(s.ctx(), s.Name)
		s.isKind(lcm.KindNotFound, err)
	}
}

func (s *site) isKind(kind lcm.ErrorKind, err error) {
	s.Helper()
	require.Error(s, err)
	require.Equal(s, kind, lcm.KindOf(err), "%v", err)
}
