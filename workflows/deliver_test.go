package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// box is an outbox in memory. Its subscriber does not answer the first attempts.
type box struct {
	waiting []lcm.Delivery
	sent    []int64
	dead    []int64
	fails   int // the number of failing attempts
}

func (b *box) next() *lcm.Delivery {
	if len(b.waiting) == 0 {
		return nil
	}
	return &b.waiting[0]
}

func (b *box) NextDelivery(context.Context, lcm.SubscriptionID) (lcm.Delivery, error) {
	if len(b.waiting) == 0 {
		return lcm.Delivery{}, lcm.Errorf(lcm.KindNotFound, "nothing")
	}
	return b.waiting[0], nil
}

func (b *box) Delivery(_ context.Context, id int64) (lcm.Delivery, error) {
	if len(b.waiting) == 0 || b.waiting[0].ID != id {
		return lcm.Delivery{}, lcm.Errorf(lcm.KindNotFound, "gone")
	}
	return b.waiting[0], nil
}

func (b *box) Delivered(_ context.Context, id int64) error {
	b.sent, b.waiting = append(b.sent, id), b.waiting[1:]
	return nil
}

func (b *box) NotDelivered(_ context.Context, _ int64, reason string) error {
	d := b.next()
	d.Attempts, d.LastError = d.Attempts+1, reason
	return nil
}

func (b *box) Bury(_ context.Context, id int64, age time.Duration) error {
	if d := b.next(); d.Attempts > 0 && time.Since(d.Since) >= age {
		b.dead, b.waiting = append(b.dead, id), b.waiting[1:]
	}
	return nil
}

func (b *box) send(context.Context, lcm.Delivery) error {
	if b.fails > 0 {
		b.fails--
		return lcm.Errorf(lcm.KindUnavailable, "nobody there")
	}
	return nil
}

func delivering3(t *testing.T, b *box, retryFor time.Duration, since time.Time) {
	t.Helper()
	for id := range int64(3) {
		b.waiting = append(b.waiting, lcm.Delivery{ID: id + 1, Since: since})
	}
	env := newEnvironment()
	env.RegisterWorkflowWithOptions(DeliverNotifications, workflow.RegisterOptions{Name: string(lcm.WorkflowDeliver)})
	env.RegisterActivity(&orchestrator.Notifications{Outbox: b, Send: b.send, RetryFor: retryFor})
	env.ExecuteWorkflow(DeliverNotifications, lcm.DeliverInput{SubscriptionID: "s"})
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
}

func TestDeliver_keepsTheOrderWhileItWaits(t *testing.T) {
	b := &box{fails: 5}
	delivering3(t, b, time.Hour, time.Now())
	require.Equal(t, []int64{1, 2, 3}, b.sent)
	require.Empty(t, b.dead)
}

func TestDeliver_givesUpWhatIsTooOldAfterOneAttempt(t *testing.T) {
	b := &box{fails: 2}
	delivering3(t, b, time.Hour, time.Now().Add(-2*time.Hour))
	require.Equal(t, []int64{1, 2}, b.dead)
	require.Equal(t, []int64{3}, b.sent, "the subscriber is back")
}

func TestDeliver_goesOnAsANewRun(t *testing.T) {
	env := newEnvironment()
	env.RegisterActivity(act.notifications)
	env.OnActivity(act.notifications.NextNotification, mock.Anything,
		mock.Anything).Return(orchestrator.NextNotificationOutput{DeliveryID: 1, Patience: time.Hour}, nil)
	env.OnActivity(
		act.notifications.DeliverNotification, mock.Anything, mock.Anything,
	).Return(
		orchestrator.DeliveryOutput{}, nil,
	)
	env.ExecuteWorkflow(DeliverNotifications, lcm.DeliverInput{SubscriptionID: "s"})
	require.True(t, workflow.IsContinueAsNewError(env.GetWorkflowError()))
}
