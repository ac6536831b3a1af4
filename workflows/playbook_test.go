package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestPlay_runsWhatHasFailedOnceOnly checks that a failed run for a leaving server waits for a decision, because a
// second run may have unknown effects.
func TestPlay_runsWhatHasFailedOnceOnly(t *testing.T) {
	for kind, passesOver := range map[lcm.ErrorKind]bool{lcm.KindBroken: false, lcm.KindUnavailable: true} {
		env := newEnvironment()
		runs := map[bool]int{}
		env.RegisterActivityWithOptions(func(_ context.Context, in pkgplaybook.PlayInput) (pkgplaybook.PlayOutput, error) {
			runs[in.PassOver]++
			if in.PassOver {
				return pkgplaybook.PlayOutput{PassedOver: true}, nil
			}
			return pkgplaybook.PlayOutput{}, temporal.NewApplicationErrorWithOptions("no", string(kind),
				temporal.ApplicationErrorOptions{NonRetryable: kind == lcm.KindBroken})
		}, activity.RegisterOptions{Name: "Play"})
		env.ExecuteWorkflow(func(ctx workflow.Context) error {
			return (&playbookWork{}).play(workflow.WithValue(ctx, stepKey{}, &running{}), pkgplaybook.PlayInput{PassOver: true},
				pkgplaybook.PlayHost{})
		})
		require.Equal(t, passesOver, env.GetWorkflowError() == nil, kind)
		want := map[bool]int{false: 1}
		if passesOver {
			want = map[bool]int{false: 5, true: 1}
		}
		require.Equal(t, want, runs, kind)
	}
}

// TestPlay_begunOnAHostIsForItsWorkers checks that a playbook that runs on a host of workers is continued only by
// workers of that host, until all of them have been away long enough for it to have ended there.
func TestPlay_begunOnAHostIsForItsWorkers(t *testing.T) {
	env := newEnvironment()
	first, second := pkgplaybook.PlayHost{
		Queue: "host-1", Patience: time.Minute,
	}, pkgplaybook.PlayHost{
		Queue: "host-2", Patience: time.Minute,
	}
	var queues []string
	env.RegisterActivityWithOptions(func(ctx context.Context, _ pkgplaybook.PlayInput) (pkgplaybook.PlayOutput, error) {
		queue := activity.GetInfo(ctx).TaskQueue
		if queues = append(queues, queue); queue == first.Queue {
			return pkgplaybook.PlayOutput{}, temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
		}
		return pkgplaybook.PlayOutput{}, nil
	}, activity.RegisterOptions{Name: "Play"})
	env.RegisterActivityWithOptions(
		func(context.Context, pkgplaybook.PlaybooksInput) (pkgplaybook.FindPlaybooksOutput, error) {
			return pkgplaybook.FindPlaybooksOutput{At: second}, nil
		},
		activity.RegisterOptions{Name: "FindPlaybooks"},
	)
	var at pkgplaybook.PlayHost
	env.ExecuteWorkflow(func(ctx workflow.Context) (err error) {
		work := &playbookWork{&vnf{}}
		at, err = work.somewhere(workflow.WithValue(ctx, stepKey{}, &running{}), pkgplaybook.PlayInput{}, first)
		return err
	})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []string{first.Queue, second.Queue}, queues)
	require.Equal(t, second, at, "where the next playbook is played, too")
}
