package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestWithoutReturn_saysThatThereIsNoRollback(t *testing.T) {
	t.Parallel()
	op := &operation{}
	cause := lcm.Errorf(lcm.KindBroken, "cp-1 broke.")
	require.Equal(t, error(cause), op.withoutReturn(cause))
	op.journal.status.ForwardOnly = true
	require.NoError(t, op.withoutReturn(nil))
	require.EqualError(t, op.withoutReturn(cause),
		"cp-1 broke. Nodes or servers may be deleted already, so there is no rollback any more: retry, or fail.")
	require.Equal(t, "cp-1 broke.", cause.Detail, "the cause stays as it is")
	several := &lcm.Error{
		Kind: lcm.KindBroken, Detail: "2 of 5 nodes failed.",
		Problems: []lcm.Problem{{Path: "cp-1", Detail: "broke"}},
	}
	require.Regexp(t, `^Nodes or servers .* fail\. 2 of 5 nodes failed: cp-1: broke$`,
		errorOf(op.withoutReturn(several)).Sentence())
}

func TestAddProblem_tellsNodesWithTheSameProblemTogether(t *testing.T) {
	t.Parallel()
	var problems []lcm.Problem
	for _, said := range [][2]string{
		{"cp-1", "cp-1 cannot pull."},
		{"worker-2", "worker-2: broke."},
		{"worker-3", "worker-3 cannot pull."},
		{"worker-4", "The worker-4 cannot pull."},
	} {
		problems = addProblem(problems, said[0], said[1])
	}
	require.Equal(t, []lcm.Problem{
		{Path: "cp-1, worker-3", Detail: "cannot pull."},
		{Path: "worker-2", Detail: "broke."},
		{Path: "worker-4", Detail: "The worker-4 cannot pull."},
	}, problems)
}
