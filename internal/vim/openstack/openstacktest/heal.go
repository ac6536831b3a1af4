package openstacktest

import (
	"maps"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// body identifies the parts of a member of the group worker, or of the server solo.
type body struct{ member, server, port, address string }

// bodies reads the servers of the stack: "solo", and those of the group by the name of their member.
func (s *site) bodies(inv *vim.Inventory) map[string]body {
	s.Helper()
	out := map[string]body{"solo": {
		server: s.resource(inv, inv.ID, "solo").ID, port: s.resource(inv, inv.ID, "solo_cp").ID,
	}}
	members, err := inv.MemberResources("worker")
	require.NoError(s, err)
	for _, m := range members {
		out[m.Name] = body{
			member: m.ID, server: s.resource(inv, m.ID, "vdu").ID, port: s.resource(inv, m.ID, "cp").ID,
		}
	}
	for name, b := range out {
		b.address = inv.Ports[b.port].Address
		require.Equal(s, b.server, inv.Ports[b.port].ServerID, "the port of %s", name)
		require.Equal(s, []string{b.address}, inv.Servers[b.server].Addresses)
		require.Equal(s, "ACTIVE", inv.Servers[b.server].Status)
		out[name] = b
	}
	require.Len(s, inv.Servers, len(out), "and no others")
	return out
}

// growth adds a worker; the other workers stay.
func (s *site) growth() *vim.Inventory {
	before := s.bodies(s.inventory())
	var told lines
	s.update(map[string]any{"workers": 2}, told.add)
	s.requireOrder(&told, s.name+" UPDATE_IN_PROGRESS", "worker UPDATE_IN_PROGRESS", "vdu CREATE_COMPLETE in worker-",
		s.name+" UPDATE_COMPLETE")
	require.NotContains(s, told.String(), "solo ")
	inv := s.inventory()
	after := s.bodies(inv)
	require.Len(s, after, 3)
	for name, b := range before {
		require.Equal(s, b, after[name], name)
	}
	s.update(map[string]any{"workers": 2}, silent)
	require.Equal(s, after, s.bodies(s.inventory()), "the second time changes nothing")
	return inv
}

// newest returns the youngest member of the group.
func (s *site) newest(inv *vim.Inventory) vim.Resource {
	s.Helper()
	members, err := inv.MemberResources("worker")
	require.NoError(s, err)
	return members[len(members)-1]
}

// replacesServer heals one server of the group, whose port stays.
func (s *site) replacesServer(inv *vim.Inventory) *vim.Inventory {
	before, chosen := s.bodies(inv), s.newest(inv)
	vdu := s.resource(inv, chosen.ID, "vdu")
	s.update(nil, silent, vdu)
	inv = s.inventory()
	after := s.bodies(inv)
	require.NotEqual(s, before[chosen.Name].server, after[chosen.Name].server)
	want := maps.Clone(before)
	healed := want[chosen.Name]
	healed.server = after[chosen.Name].server
	want[chosen.Name] = healed
	require.Equal(s, want, after, "port and address stay, and so does everything else")
	_, err := s.cloud.ServerState(s.Context(), vdu.ID)
	s.requireKind(lcm.KindNotFound, err)

	var told lines
	s.update(nil, told.add, vdu)
	require.Contains(s, told.String(), "vdu was replaced or removed already.")
	require.Equal(s, after, s.bodies(s.inventory()), "the second time changes nothing")
	return inv
}

// replacesMember replaces a member with all its resources.
func (s *site) replacesMember(inv *vim.Inventory) *vim.Inventory {
	before, chosen := s.bodies(inv), s.newest(inv)
	s.update(nil, silent, chosen)
	inv = s.inventory()
	after := s.bodies(inv)
	require.ElementsMatch(s, slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)), "its name stays")
	for name, b := range before {
		if name != chosen.Name {
			require.Equal(s, b, after[name], name)
			continue
		}
		require.NotEqual(s, b.member, after[name].member)
		require.NotEqual(s, b.server, after[name].server)
		require.NotEqual(s, b.port, after[name].port)
	}
	return inv
}

// shrinks removes the youngest member. By itself, Heat would remove a failed member, or else the oldest.
func (s *site) shrinks(inv *vim.Inventory) *vim.Inventory {
	before, chosen := s.bodies(inv), s.newest(inv)
	members, err := inv.MemberResources("worker")
	require.NoError(s, err)
	require.NoError(s, s.cloud.MarkUnhealthy(s.Context(), members[0], "it failed for another's sake"))
	change := s.change(map[string]any{"workers": 1}, chosen)
	change.Keep = members[:1]
	s.carryOut(change, silent)
	inv = s.inventory()
	delete(before, chosen.Name)
	require.Equal(s, before, s.bodies(inv))
	s.update(map[string]any{"workers": 1}, silent, chosen)
	require.Equal(s, before, s.bodies(s.inventory()), "the second time changes nothing")
	return inv
}

// takesMarkBack marks a server unhealthy and undoes the mark.
func (s *site) takesMarkBack(inv *vim.Inventory) {
	before, member := s.bodies(inv), s.newest(inv)
	vdu := s.resource(inv, member.ID, "vdu")
	for range 2 {
		require.NoError(s, s.cloud.MarkUnhealthy(s.Context(), vdu, "a test"))
		inv = s.inventory()
		require.True(s, s.resource(inv, member.ID, "vdu").Unhealthy())
	}
	for range 2 {
		require.NoError(s, s.cloud.MarkHealthy(s.Context(), vdu, "thought better of it"))
	}
	inv = s.inventory()
	require.False(s, s.resource(inv, member.ID, "vdu").Unhealthy())
	s.update(nil, silent)
	require.Equal(s, before, s.bodies(s.inventory()))
	gone := vdu
	gone.Name = "nothing"
	s.requireKind(lcm.KindNotFound, s.cloud.MarkUnhealthy(s.Context(), gone, "a test"))
	require.NoError(s, s.cloud.MarkHealthy(s.Context(), gone, "a test"))
}
