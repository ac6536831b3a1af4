package store_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestSnapshot_keepsEveryField(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx := in(t, "edge")
	want := lcm.VnfSnapshotInfo{
		ID: lcm.VnfSnapshotInfoID(uuid.NewString()), VnfSnapshotPkgID: "p", VnfSnapshot: json.RawMessage(`{"id": "s"}`),
	}
	require.NoError(t, s.CreateSnapshot(ctx, want))
	requireKind(t, lcm.KindConflict, s.CreateSnapshot(ctx, want))
	got, err := s.Snapshot(ctx, want.ID)
	require.NoError(t, err)
	want.ProjectID, want.Version = "edge", 1
	require.Equal(t, want, got)

	got.VnfSnapshotPkgID, got.VnfSnapshot = "", nil
	require.NoError(t, s.UpdateSnapshot(ctx, got))
	requireKind(t, lcm.KindConflict, s.UpdateSnapshot(ctx, got))
	again, err := s.Snapshot(ctx, want.ID)
	require.NoError(t, err)
	got.Version = 2
	require.Equal(t, got, again)

	requireKind(t, lcm.KindConflict, s.DeleteSnapshot(ctx, want.ID, 1))
	require.NoError(t, s.DeleteSnapshot(ctx, want.ID, 1, 2))
	requireKind(t, lcm.KindNotFound, s.DeleteSnapshot(ctx, want.ID))
	requireKind(t, lcm.KindNotFound, s.UpdateSnapshot(ctx, again))
}

func TestSnapshotPage_isOfTheProject(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, id := range []lcm.VnfSnapshotInfoID{"a", "b", "c"} {
		project := lcm.ProjectID("edge")
		if id == "b" {
			project = "core"
		}
		require.NoError(t, s.CreateSnapshot(in(t, project),
			lcm.VnfSnapshotInfo{ID: id, VnfSnapshot: json.RawMessage(`{"id": "s"}`)}))
	}
	ids := func(page store.Page) (found []lcm.VnfSnapshotInfoID) {
		list, err := s.SnapshotPage(in(t, "edge"), page)
		require.NoError(t, err)
		for _, one := range list {
			found = append(found, one.ID)
			require.Equal(t, len(page.Omit) > 0, one.VnfSnapshot == nil)
		}
		return found
	}
	require.Equal(t, []lcm.VnfSnapshotInfoID{"a", "c"}, ids(store.Page{}))
	require.Equal(t, []lcm.VnfSnapshotInfoID{"a", "c"}, ids(store.Page{Omit: []string{"vnfSnapshot"}}))
	require.Equal(t, []lcm.VnfSnapshotInfoID{"c"}, ids(store.Page{After: "a", Limit: 1}))
	filter, err := query.Parse("(eq,id,b)")
	require.NoError(t, err)
	require.Empty(t, ids(store.Page{Filter: filter}))
	_, err = s.Snapshot(in(t, "core"), "a")
	requireKind(t, lcm.KindNotFound, err)
}
