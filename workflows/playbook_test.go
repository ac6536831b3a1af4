package workflows

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// What was run for a server that leaves, and has failed, waits for a decision: nobody knows what a second run does.
func TestPlay_runsWhatHasFailedOnceOnly(t *testing.T) {
	for kind, passesOver := range map[lcm.Kind]bool{lcm.KindBroken: false, lcm.KindUnavailable: true} {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestWorkflowEnvironment()
		runs := map[bool]int{}
		env.RegisterActivityWithOptions(func(_ context.Context, in activities.PlayInput) (activities.PlayOutput, error) {
			runs[in.PassOver]++
			if in.PassOver {
				return activities.PlayOutput{PassedOver: true}, nil
			}
			return activities.PlayOutput{}, temporal.NewApplicationErrorWithOptions("no", string(kind),
				temporal.ApplicationErrorOptions{NonRetryable: kind == lcm.KindBroken})
		}, activity.RegisterOptions{Name: "Play"})
		env.ExecuteWorkflow(func(ctx workflow.Context) error {
			return (&playbookWork{}).play(workflow.WithValue(ctx, stepKey{}, &running{}), activities.PlayInput{PassOver: true})
		})
		require.Equal(t, passesOver, env.GetWorkflowError() == nil, kind)
		want := map[bool]int{false: 1}
		if passesOver {
			want = map[bool]int{false: 5, true: 1}
		}
		require.Equal(t, want, runs, kind)
	}
}
