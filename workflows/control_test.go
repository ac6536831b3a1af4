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
		Kind: lcm.KindBroken, Detail: "2 of 5 nodes failed.", Problems: []lcm.Problem{{Path: "cp-1", Detail: "broke"}},
	}
	require.Regexp(t, `^Nodes or servers .* fail\. 2 of 5 nodes failed: cp-1: broke$`,
		errorOf(op.withoutReturn(several)).Sentence())
}

func TestCauses_tellNodesWithTheSameProblemTogether(t *testing.T) {
	t.Parallel()
	var said causes
	for _, of := range [][2]string{
		{"cp-1", "cp-1 cannot pull."},
		{"worker-2", "worker-2: broke."},
		{"worker-3", "worker-3 cannot pull."},
		{"worker-4", "The worker-4 cannot pull."},
		{"worker-5", "worker-5: refuses to log in on SSH port 22 (192.0.2.5); check it."},
		{"worker-6", "worker-6: refuses to log in on SSH port 22 (192.0.2.6); check it."},
		{"worker-7", "worker-7: refuses to log in on SSH port 22 (192.0.2.9); check it."},
		{"worker-8", "worker-8: answers on SSH port 22 (192.0.2.8)."},
	} {
		said.add(lcm.Node{Name: of[0], SSHAddress: "192.0.2." + of[0][len(of[0])-1:], Address: "10.0.0.1"}, of[1])
	}
	require.Equal(t, []lcm.Problem{
		{Path: "cp-1, worker-3", Detail: "cannot pull."},
		{Path: "worker-2", Detail: "broke."},
		{Path: "worker-4", Detail: "The worker-4 cannot pull."},
		{Path: "worker-5, worker-6", Detail: "refuses to log in on SSH port 22; check it."},
		{Path: "worker-7", Detail: "refuses to log in on SSH port 22 (192.0.2.9); check it."},
		{Path: "worker-8", Detail: "answers on SSH port 22 (192.0.2.8)."},
	}, said.problems)
}
