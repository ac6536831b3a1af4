package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// deliveriesPerRun keeps histories short: after so many deliveries a new run goes on.
const deliveriesPerRun = 200

// DeliverNotifications delivers the waiting notifications of one subscriber, in the order of their events, and ends
// when none waits. Operations do not wait for it: their events are in the outbox already. It gives a notification up
// that it could not deliver for too long, and tries the next one.
func DeliverNotifications(ctx workflow.Context, in lcm.DeliverInput) error {
	for range deliveriesPerRun {
		next, err := deliver(asking(ctx), act.notifications.NextNotification,
			orchestrator.NextNotificationInput{SubscriptionID: in.SubscriptionID})
		if err != nil || next.DeliveryID == 0 {
			return err // the relay starts another run when there is something left
		}
		delivery := orchestrator.DeliveryInput{DeliveryID: next.DeliveryID}
		if _, err := deliver(delivering(ctx, next.Patience), act.notifications.DeliverNotification, delivery); err == nil {
			continue
		}
		if _, err := deliver(asking(ctx), act.notifications.GiveUpNotification, delivery); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, string(lcm.WorkflowDeliver), in)
}

// deliver calls an activity that belongs to no operation.
func deliver[In, Out any](
	ctx workflow.Context, act func(context.Context, In) (Out, error), in In,
) (out Out, err error) {
	err = workflow.ExecuteActivity(ctx, act, in).Get(ctx, &out)
	return out, err
}

// asking is for calls to the outbox. They wait however long the database is away.
func asking(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
		},
	})
}

// delivering tries for as long as patience says, and at least once.
func delivering(ctx workflow.Context, patience time.Duration) workflow.Context {
	options := workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	}
	if options.ScheduleToCloseTimeout = patience; patience <= 0 {
		options.RetryPolicy.MaximumAttempts = 1
	}
	return workflow.WithActivityOptions(ctx, options)
}
