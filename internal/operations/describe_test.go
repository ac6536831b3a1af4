package operations

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// begunOn begins the instantiation of a new instance of a package.
func begunOn(t *testing.T, o *Resolver, pkg lcm.VnfPkgID) lcm.OpOccID {
	t.Helper()
	ctx := lcm.InProject(t.Context(), lcm.DefaultProject)
	inst := lcm.VnfInstance{
		ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: pkg, InstantiationState: lcm.NotInstantiated,
	}
	require.NoError(t, o.Store.CreateInstance(ctx, inst))
	op := lcm.VnfLcmOpOcc{
		ID: lcm.OpOccID(uuid.NewString()), VnfInstanceID: inst.ID, Operation: lcm.OpInstantiate, APIVersion: 1,
		Params: json.RawMessage(`{"flavourId":"simple"}`),
	}
	require.NoError(t, o.Store.BeginOperation(ctx, op))
	return op.ID
}

// TestDescribe_hasTheListThatIsKept checks that an operation in flight continues with the steps that it has recorded,
// although a newer release may list other steps.
func TestDescribe_hasTheListThatIsKept(t *testing.T) {
	t.Parallel()
	o := withVault(t, pgtest.URL(t))
	pkg := onboarded(t, o, "../../tests/programs/bench/server")
	id := begunOn(t, o, pkg)
	ctx := lcm.InProject(t.Context(), lcm.DefaultProject)
	own, err := o.Describe(ctx, id)
	require.NoError(t, err)
	require.Equal(t, lifecycle.StepID("ask-for-grant"), own.Steps[0].ID)
	require.Len(t, own.Steps, 3)

	kept := []lifecycle.Step{
		{ID: "ask-for-grant", Title: "Ask for a grant"},
		{ID: "dance", Title: "Dance", Undo: "it stands still"},
		{ID: "leave", Title: "Leave", Final: true},
	}
	var rows []lcm.Step
	for i, s := range kept {
		rows = append(rows, lcm.Step{
			OpOccID: id, Index: i, Phase: lcm.PhaseForward, ID: string(s.ID), Title: s.Title, Undo: s.Undo, Final: s.Final,
		})
	}
	require.NoError(t, o.Store.RecordPlan(ctx, id, rows))
	// The rows of the plan also contain the progress, and there are further rows for nodes and for undoing steps.
	require.NoError(t, o.Store.RecordStep(ctx, lcm.Step{OpOccID: id, Index: 1, State: lcm.StepRunning}))
	require.NoError(t, o.Store.RecordStep(ctx, lcm.Step{OpOccID: id, Index: 1, Node: "cp-1", State: lcm.StepRunning}))
	require.NoError(t, o.Store.RecordStep(ctx, lcm.Step{
		OpOccID: id, Index: 1, Phase: lcm.PhaseCompensation, Title: "Undo: Dance", State: lcm.StepRunning,
	}))
	got, err := o.Describe(ctx, id)
	require.NoError(t, err)
	require.Equal(t, kept, got.Steps)
}

// TestDescribe_listsTheStepsOfAnOperationOfAFormerRelease has rows of a former release, which have no ids, so the
// operation gets the steps of this release.
func TestDescribe_listsTheStepsOfAnOperationOfAFormerRelease(t *testing.T) {
	t.Parallel()
	o := withVault(t, pgtest.URL(t))
	id := begunOn(t, o, onboarded(t, o, "../../tests/programs/bench/server"))
	ctx := lcm.InProject(t.Context(), lcm.DefaultProject)
	former := []lcm.Step{{OpOccID: id, Title: "Ask for a grant"}}
	for i, title := range []string{"Create", "Find", "Dance"} {
		former = append(former, lcm.Step{OpOccID: id, Index: i + 1, Title: title})
	}
	for _, rows := range []int{1, 4} { // the former list was shorter, or longer
		require.NoError(t, o.Store.RecordPlan(ctx, id, former[:rows]))
		got, err := o.Describe(ctx, id)
		require.NoError(t, err)
		require.Len(t, got.Steps, 3)
		own := make([]lcm.Step, 0, len(got.Steps))
		for i, s := range got.Steps {
			own = append(own, lcm.Step{OpOccID: id, Index: i, ID: string(s.ID), Title: s.Title, Undo: s.Undo, Final: s.Final})
		}
		require.NoError(t, o.Store.RecordPlan(ctx, id, own))
		again, err := o.Describe(ctx, id)
		require.NoError(t, err)
		require.Equal(t, got.Steps, again.Steps, "all of the list is kept")
	}
}
