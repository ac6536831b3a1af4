package operations

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// TestOnce_readsAnOperationOnceAndGivesEachItsOwn checks that all parts of an activity see the same operation, which is
// read once. The next activity reads it again.
func TestOnce_readsAnOperationOnceAndGivesEachItsOwn(t *testing.T) {
	t.Parallel()
	r := withVault(t, pgtest.URL(t))
	id := begunOn(t, r, onboarded(t, r, "../../tests/programs/bench/server"))
	ctx := lcm.InProject(t.Context(), lcm.DefaultProject)
	activity := Once(ctx)
	_, err := r.Load(activity, lcm.OpOccID("none"))
	require.Error(t, err)
	first, err := r.Load(activity, id)
	require.NoError(t, err)
	require.NoError(t, r.Store.RecordOperation(ctx, lcm.OperationRecord{OpOccID: id, Sequence: 1, State: lcm.Processing}))
	first.Request.ExtVirtualLinks = []lcm.ExtVirtualLink{{ID: "of-the-first"}}

	second, err := r.Load(activity, id)
	require.NoError(t, err)
	require.Equal(t, lcm.Starting, second.OpOcc.State)
	require.Empty(t, second.Request.ExtVirtualLinks)
	opOcc, err := r.OpOcc(activity, id)
	require.NoError(t, err)
	require.Equal(t, lcm.Starting, opOcc.State)

	again, err := r.Load(Once(ctx), id)
	require.NoError(t, err)
	require.Equal(t, lcm.Processing, again.OpOcc.State)
	without, err := r.OpOcc(ctx, id)
	require.NoError(t, err)
	require.Equal(t, lcm.Processing, without.State)
}
