package workflows

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestReplay_recordedHistories replays histories that the end-to-end tests have recorded: go test -C tests ./suites/e2e
// -run Fake -record. If one of them does not replay after a change of a workflow, the change breaks operations that run
// during an upgrade. It must be guarded with workflow.GetVersion.
func TestReplay_recordedHistories(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			require.NoError(t, replayer().ReplayWorkflowHistoryFromJSONFile(nil, file))
		})
	}
}

// TestReplay_catchesAnUnguardedChange checks that a replay can fail: a test that never fails protects nothing.
func TestReplay_catchesAnUnguardedChange(t *testing.T) {
	r := worker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(func(ctx workflow.Context, in lcm.OperationInput) error {
		if err := workflow.Sleep(ctx, 1); err != nil {
			return err
		}
		return Instantiate(ctx, in)
	}, workflow.RegisterOptions{Name: string(lcm.WorkflowInstantiate)})
	require.ErrorContains(t, r.ReplayWorkflowHistoryFromJSONFile(nil, "testdata/histories/instantiate.json"), "TMPRL1100")
}

func replayer() worker.WorkflowReplayer {
	r := worker.NewWorkflowReplayer()
	Register(r)
	return r
}
