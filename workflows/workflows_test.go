package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestOperations_areCarriedOut checks that each supported operation has a workflow.
func TestOperations_areCarriedOut(t *testing.T) {
	used := map[lcm.WorkflowName]bool{}
	for _, op := range lcm.SupportedOperations() {
		name := op.Type().Workflow
		require.NotNil(t, Operations[name], "%s", op)
		used[name] = true
	}
	require.Len(t, Operations, len(used), "a workflow of no operation")
}
