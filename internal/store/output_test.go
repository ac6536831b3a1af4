package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// TestOutput_isKeptUpToABound has a node with endless output, in two attempts, and another node with little output.
func TestOutput_isKeptUpToABound(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	flood, other := lcm.StepRef{OpOccID: op.ID, Step: 1, Node: "cp-1"}, lcm.StepRef{OpOccID: op.ID, Step: 1, Node: "cp-2"}
	require.NoError(t, s.RecordStep(t.Context(), lcm.Step{
		OpOccID: op.ID, Index: 1, Phase: lcm.PhaseForward, Node: "cp-1", State: lcm.StepRunning,
	}))
	require.NoError(t, s.AppendOutput(t.Context(), flood, 1, []string{"the first line"}))
	many := make([]string, 100)
	for i := range many {
		many[i] = strings.Repeat("x", 16<<10)
	}
	for attempt := 1; attempt <= 2; attempt++ {
		for range lcm.MaxStepOutput / (100 * 16 << 10) {
			require.NoError(t, s.AppendOutput(t.Context(), flood, attempt, many))
		}
		require.NoError(t, s.AppendOutput(t.Context(), flood, attempt, []string{"the last line of an attempt"}))
	}
	require.NoError(t, s.AppendOutput(t.Context(), other, 1, []string{"joined"}))

	size, kept := 0, []string{}
	for line, err := range s.Output(t.Context(), flood) {
		require.NoError(t, err)
		size += lcm.OutputSize(line.Line)
		kept = append(kept, line.Line)
	}
	require.Equal(t, "the first line", kept[0])
	require.Equal(t, "[More than 4 MiB were printed here in this step; what follows is not kept.]", kept[len(kept)-1])
	require.Equal(t, 1, strings.Count(strings.Join(kept, "\n"), "what follows is not kept"))
	require.LessOrEqual(t, size, lcm.MaxStepOutput+200)
	require.Greater(t, size, lcm.MaxStepOutput-2*(16<<10)-200, "what fits is kept")

	events, err := s.Events(t.Context(), op.ID, 0, 1000)
	require.NoError(t, err)
	require.NoError(t, s.AppendOutput(t.Context(), flood, 2, []string{"more"}))
	after, err := s.Events(t.Context(), op.ID, 0, 1000)
	require.NoError(t, err)
	require.Len(t, after, len(events), "what is not kept makes no event")
	for line, err := range s.Output(t.Context(), other) {
		require.NoError(t, err)
		require.Equal(t, "joined", line.Line, "other nodes are not cut off")
	}
}

// TestOutput_numbersTellLinesThatAreStoredLate has a worker that is slow between the numbering of a line and its
// commit. Meanwhile another worker stores lines of another node, and a reader reads all stored lines.
func TestOutput_numbersTellLinesThatAreStoredLate(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := openURL(t, url)
	op := begun(t, s)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	slow, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = slow.Exec(t.Context(), `insert into step_output (op_occ_id, step_index, phase, node, attempt, line)
		values ($1, 1, 'FORWARD', 'cp-2', 1, 'made first')`, op.ID)
	require.NoError(t, err)
	cp1 := lcm.StepRef{OpOccID: op.ID, Step: 1, Node: "cp-1"}
	require.NoError(t, s.AppendOutput(t.Context(), cp1, 1, []string{"made second", "made third"}))

	seen, printed := map[int64]bool{}, []string{}
	look := func() {
		for line, err := range s.Output(t.Context(), lcm.StepRef{OpOccID: op.ID, Step: 1}) {
			require.NoError(t, err)
			if !seen[line.Number] {
				seen[line.Number] = true
				printed = append(printed, line.Line)
			}
		}
	}
	look()
	require.Equal(t, []string{"made second", "made third"}, printed)
	require.NoError(t, slow.Commit(t.Context()))
	require.NoError(t, s.AppendOutput(t.Context(), cp1, 1, []string{"made fourth"}))
	look()
	require.Equal(t, []string{"made second", "made third", "made first", "made fourth"}, printed)
}
