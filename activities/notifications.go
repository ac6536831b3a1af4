package activities

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Outbox is where notifications wait until they have arrived.
type Outbox interface {
	// NextDelivery is NotFound when nothing waits.
	NextDelivery(ctx context.Context, id lcm.SubscriptionID) (lcm.Delivery, error)
	Delivery(ctx context.Context, id int64) (lcm.Delivery, error)
	Delivered(ctx context.Context, id int64) error
	NotDelivered(ctx context.Context, id int64, reason string) error
	// Bury gives up what was tried and is older than that.
	Bury(ctx context.Context, id int64, olderThan time.Duration) error
}

// Notifications tells subscribers what happens to VNFs.
type Notifications struct {
	Outbox Outbox
	// Send sends one delivery to its subscriber.
	Send func(ctx context.Context, d lcm.Delivery) error
	// RetryFor is how long a subscriber may be away before a notification is given up.
	RetryFor time.Duration
}

// NextNotificationInput names the subscription.
type NextNotificationInput struct {
	SubscriptionID lcm.SubscriptionID `json:"subscriptionId"`
}

// NextNotificationOutput is what is to be delivered next, and for how long it may be tried: not at all, but for once,
// when Patience is 0. A DeliveryID of 0 means that nothing waits.
type NextNotificationOutput struct {
	DeliveryID int64         `json:"deliveryId,omitempty"`
	Patience   time.Duration `json:"patience,omitempty"`
}

// NextNotification looks what is to be delivered next. Idempotent: it only reads.
func (n *Notifications) NextNotification(
	ctx context.Context, in NextNotificationInput,
) (out NextNotificationOutput, err error) {
	defer func() { err = boundary(ctx, "look for notifications", err) }()
	d, err := n.Outbox.NextDelivery(ctx, in.SubscriptionID)
	if lcm.Is(err, lcm.KindNotFound) {
		return out, nil
	}
	return NextNotificationOutput{DeliveryID: d.ID, Patience: max(0, n.RetryFor-time.Since(d.Since))}, err
}

// DeliveryInput names a delivery.
type DeliveryInput struct {
	DeliveryID int64 `json:"deliveryId"`
}

// DeliveryOutput has nothing to tell yet.
type DeliveryOutput struct{}

// DeliverNotification sends a notification. Idempotent: one that has arrived, or was given up, is not sent again; one
// that arrived at a worker's last moment may be, with the same id, by which the subscriber knows it.
func (n *Notifications) DeliverNotification(ctx context.Context, in DeliveryInput) (out DeliveryOutput, err error) {
	defer func() { err = boundary(ctx, "deliver the notification", err) }()
	d, err := n.Outbox.Delivery(ctx, in.DeliveryID)
	if lcm.Is(err, lcm.KindNotFound) || err == nil && d.Dead {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if cause := n.Send(ctx, d); cause != nil {
		// Not with ctx alone: why an attempt that took too long has failed must be kept as well.
		keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := n.Outbox.NotDelivered(keep, d.ID, lcm.Sentence(cause)); err != nil {
			return out, err
		}
		later := lcm.Wrap(lcm.KindUnavailable, cause, "%s", lcm.Sentence(cause))
		later.RetryAfter = classify(cause).RetryAfter
		return out, later
	}
	return out, n.Outbox.Delivered(ctx, d.ID)
}

// GiveUpNotification makes a dead letter of a notification that was tried for long enough. Idempotent: one that was not
// stays where it is.
func (n *Notifications) GiveUpNotification(ctx context.Context, in DeliveryInput) (out DeliveryOutput, err error) {
	defer func() { err = boundary(ctx, "give the notification up", err) }()
	return out, n.Outbox.Bury(ctx, in.DeliveryID, n.RetryFor)
}
