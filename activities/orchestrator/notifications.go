package orchestrator

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Outbox stores notifications until they are delivered.
type Outbox interface {
	// NextDelivery returns NotFound when no notification waits.
	NextDelivery(ctx context.Context, id lcm.SubscriptionID) (lcm.Delivery, error)
	Delivery(ctx context.Context, id int64) (lcm.Delivery, error)
	Delivered(ctx context.Context, id int64) error
	NotDelivered(ctx context.Context, id int64, reason string) error
	// Bury gives up a delivery if it was tried and is older than olderThan.
	Bury(ctx context.Context, id int64, olderThan time.Duration) error
}

// Notifications informs subscribers about VNFs.
type Notifications struct {
	Outbox Outbox
	// Send sends one delivery to its subscriber.
	Send func(ctx context.Context, d lcm.Delivery) error
	// RetryFor is how long a subscriber may be away before Windlass gives up a notification.
	RetryFor time.Duration
}

// NextNotificationInput names the subscription.
type NextNotificationInput struct {
	SubscriptionID lcm.SubscriptionID `json:"subscriptionId"`
}

// NextNotificationOutput is the next delivery, and the remaining time to try it. With a Patience of 0 there is one last
// try. A DeliveryID of 0 means that no notification waits.
type NextNotificationOutput struct {
	DeliveryID int64         `json:"deliveryId,omitempty"`
	Patience   time.Duration `json:"patience,omitempty"`
}

// NextNotification finds the next delivery. Idempotent: it only reads.
func (n *Notifications) NextNotification(
	ctx context.Context, in NextNotificationInput,
) (out NextNotificationOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "look for notifications", err) }()
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

// DeliveryOutput is empty.
type DeliveryOutput struct{}

// DeliverNotification sends a notification. Idempotent: it does not send a delivered or given-up notification again. If
// a worker dies just after the delivery, the subscriber may get it twice, with the same id.
func (n *Notifications) DeliverNotification(ctx context.Context, in DeliveryInput) (out DeliveryOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "deliver the notification", err) }()
	d, err := n.Outbox.Delivery(ctx, in.DeliveryID)
	if lcm.Is(err, lcm.KindNotFound) || err == nil && d.Dead {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if cause := n.Send(ctx, d); cause != nil {
		// Do not use ctx alone: the failure of an attempt that took too long must be stored as well.
		keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := n.Outbox.NotDelivered(keep, d.ID, lcm.Sentence(cause)); err != nil {
			return out, err
		}
		later := lcm.Wrap(lcm.KindUnavailable, cause, "%s", lcm.Sentence(cause))
		later.RetryAfter = activities.Classify(cause).RetryAfter
		return out, later
	}
	return out, n.Outbox.Delivered(ctx, d.ID)
}

// GiveUpNotification makes a dead letter of a notification after enough tries. Idempotent: any other notification stays
// as it is.
func (n *Notifications) GiveUpNotification(ctx context.Context, in DeliveryInput) (out DeliveryOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "give the notification up", err) }()
	return out, n.Outbox.Bury(ctx, in.DeliveryID, n.RetryFor)
}

// Subject is the subscription.
func (in NextNotificationInput) Subject() lcm.Subject {
	return lcm.Subject{SubscriptionID: in.SubscriptionID}
}

// Subject is the delivery; it belongs to its subscription's project.
func (in DeliveryInput) Subject() lcm.Subject { return lcm.Subject{DeliveryID: in.DeliveryID} }
