package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// requestGrant asks the NFVO for a grant. When no NFVO is configured, Windlass grants the operation itself (SOL003
// clause 9). A refusal ends the operation in ROLLED_BACK: no step has touched anything yet.
func (v *vnf) requestGrant(ctx workflow.Context) error {
	if v.what.GrantPatience == 0 {
		v.op.grantID = lifecycle.BuiltInGrant(v.in.OpOccID)
		return nil
	}
	in := orchestrator.RequestGrantInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	until := workflow.Now(ctx).Add(v.what.GrantPatience)
	out, err := call(granting(ctx, until), act.grants.RequestGrant, in)
	if err == nil && out.GrantID == "" {
		in.Location = out.Location
		out, err = call(granting(ctx, until), act.grants.AwaitGrant, in)
	}
	if err != nil {
		return v.ungranted(err)
	}
	v.op.grantID = out.GrantID
	return nil
}

// unbounded allows so many attempts that only time bounds them. Temporal's test environment takes 0 for ten.
const unbounded = 1 << 30

// granting tries until the given time, whatever the NFVO does. An error that waiting cannot fix ends it earlier.
func granting(ctx workflow.Context, until time.Time) workflow.Context {
	left := max(time.Second, until.Sub(workflow.Now(ctx)))
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: left,
		StartToCloseTimeout:    left,
		HeartbeatTimeout:       beat,
		WaitForCancellation:    true,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second, MaximumAttempts: unbounded,
		},
	})
}

// ungranted says that the NFVO took too long, if that is the cause of err.
func (v *vnf) ungranted(err error) error {
	e := errorOf(err)
	if isCancelled(err) || e.Kind != lcm.KindUnavailable {
		return err
	}
	late := fmt.Sprintf("The NFVO has not granted the %s within %s", v.in.Operation, v.what.GrantPatience)
	if temporal.IsTimeoutError(err) {
		return lcm.Errorf(lcm.KindUnavailable, "%s.", late)
	}
	return lcm.Errorf(lcm.KindUnavailable, "%s: %s", late, e.Sentence())
}
