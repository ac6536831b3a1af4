package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestKeepGrant_theFirstOneCounts(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	op := instantiate(inst)
	require.NoError(t, s.BeginOperation(t.Context(), op))
	first := lcm.Grant{
		ID: "grant-1", VnfInstanceID: inst.ID, OpOccID: op.ID, Href: "https://nfvo.example/grant/v1/grants/grant-1",
		VimAssets:       &lcm.GrantVimAssets{SoftwareImages: []lcm.GrantedImage{{SoftwareImageID: "a", VimImageID: "b"}}},
		ExtVirtualLinks: []byte(`[{"id": "link"}]`),
	}
	own := lcm.VimConnectionInfo{
		ID: "granted", VimType: lcm.VimOpenStack, InterfaceInfo: map[string]any{"endpoint": "https://cloud.example"},
	}
	for _, id := range []string{"grant-1", "grant-2"} {
		g := first
		g.ID = id
		require.NoError(t, s.KeepGrant(t.Context(), op.ID, g, nil, own))
	}
	got, err := s.Grant(t.Context(), op.ID)
	require.NoError(t, err)
	require.Equal(t, first, got)
	kept, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	require.Equal(t, "grant-1", kept.GrantID)
	require.True(t, kept.Granted)
	require.Equal(t, first.Href, kept.GrantHref)
	require.Nil(t, kept.Plan)
	now, err := s.Instance(t.Context(), inst.ID)
	require.NoError(t, err)
	require.Contains(t, now.VimConnections, own)

	requireKind(t, lcm.KindNotFound, s.KeepGrant(t.Context(), "absent", first, nil))
}

func TestKeepGrant_comesTooLateForAnOperationThatHasEnded(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	op := instantiate(inst)
	require.NoError(t, s.BeginOperation(t.Context(), op))
	gone := lcm.VimConnectionInfo{ID: "x", VimID: "absent", VimType: lcm.VimOpenStack}
	requireKind(t, lcm.KindConflict, s.KeepGrant(t.Context(), op.ID, lcm.Grant{ID: "g", VnfInstanceID: inst.ID}, nil,
		gone))
	recorder(s, t, op.ID)(lcm.RolledBack)
	requireKind(t, lcm.KindConflict, s.KeepGrant(t.Context(), op.ID, lcm.Grant{ID: "g", VnfInstanceID: inst.ID}, nil))
	_, err := s.Grant(t.Context(), op.ID)
	requireKind(t, lcm.KindNotFound, err)
}

func TestKeepGrant_changesThePlanOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	op := instantiate(inst)
	require.NoError(t, s.BeginOperation(t.Context(), op))
	links := func(network string) *lcm.Plan {
		return &lcm.Plan{Operation: lcm.OpChangeExtConn, Links: []lcm.ExtVirtualLink{{ID: "a", ResourceID: network}}}
	}
	_, err := s.KeepPlan(t.Context(), op.ID, *links("asked"))
	require.NoError(t, err)
	for _, network := range []string{"granted", "too late"} {
		require.NoError(t, s.KeepGrant(t.Context(), op.ID, lcm.Grant{ID: network, VnfInstanceID: inst.ID}, links(network)))
	}
	kept, err := s.KeepPlan(t.Context(), op.ID, *links("asked again"))
	require.NoError(t, err)
	require.Equal(t, "granted", kept.Links[0].ResourceID)
	read, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	require.Equal(t, kept, *read.Plan)
	g, err := s.Grant(t.Context(), op.ID)
	require.NoError(t, err)
	require.Equal(t, "granted", g.ID)
}
