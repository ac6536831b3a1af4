package orchestrator_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// oneDelivery is an outbox with one notification.
type oneDelivery struct {
	gone, dead bool
	reason     string
}

func (o *oneDelivery) NextDelivery(ctx context.Context, _ lcm.SubscriptionID) (lcm.Delivery, error) {
	return o.Delivery(ctx, 1)
}

func (o *oneDelivery) Delivery(context.Context, int64) (lcm.Delivery, error) {
	if o.gone {
		return lcm.Delivery{}, lcm.Errorf(lcm.KindNotFound, "Nothing waits.")
	}
	return lcm.Delivery{ID: 1, Dead: o.dead, Since: time.Now()}, nil
}

func (o *oneDelivery) Delivered(context.Context, int64) error {
	o.gone = true
	return nil
}

func (o *oneDelivery) NotDelivered(_ context.Context, _ int64, reason string) error {
	o.reason = reason
	return nil
}

func (o *oneDelivery) Bury(context.Context, int64, time.Duration) error {
	o.dead = true
	return nil
}

func TestNotifications_areSentOnce(t *testing.T) {
	outbox, sent := &oneDelivery{}, 0
	away := lcm.Errorf(lcm.KindUnavailable, "The subscriber does not answer.")
	n := &orchestrator.Notifications{Outbox: outbox, RetryFor: time.Hour, Send: func(context.Context, lcm.Delivery) error {
		sent++
		return away
	}}
	for range 2 {
		_, err := activitytest.Do(t, n.DeliverNotification, orchestrator.DeliveryInput{DeliveryID: 1})
		require.ErrorContains(t, err, "does not answer")
		require.Equal(t, "The subscriber does not answer.", outbox.reason)
	}
	require.Equal(t, 2, sent)
	n.Send = func(context.Context, lcm.Delivery) error {
		sent++
		return nil
	}
	for range 2 {
		activitytest.Must(t, n.DeliverNotification, orchestrator.DeliveryInput{DeliveryID: 1})
		require.Equal(t, 3, sent, "what has arrived is not sent again")
	}
	outbox.gone = false
	for range 2 {
		activitytest.Must(t, n.GiveUpNotification, orchestrator.DeliveryInput{DeliveryID: 1})
		activitytest.Must(t, n.DeliverNotification, orchestrator.DeliveryInput{DeliveryID: 1})
		require.True(t, outbox.dead)
		require.Equal(t, 3, sent, "what was given up is not sent")
	}
}
