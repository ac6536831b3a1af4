package servertest

import (
	"context"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Subscribers accept every test of a callback, unless the test sets Refuse.
type Subscribers struct {
	Refuse error
	Bare   bool // without a certificate
	// Tested are the subscriptions whose callback was tested.
	Tested []lcm.Subscription
}

// Check is a method of subscriptions.Subscribers.
func (o *Subscribers) Check(uri string) error {
	if strings.Contains(uri, "metadata") {
		return lcm.Errorf(lcm.KindInvalid, "must not lead there")
	}
	return nil
}

// HasCertificate is a method of subscriptions.Subscribers.
func (o *Subscribers) HasCertificate() bool { return !o.Bare }

// TestCallback is a method of subscriptions.Subscribers.
func (o *Subscribers) TestCallback(_ context.Context, s lcm.Subscription, _ []byte) error {
	o.Tested = append(o.Tested, s)
	return o.Refuse
}

// Outbox reads the waiting notifications of a subscriber, and removes them.
func (b *Bench) Outbox(id lcm.SubscriptionID) (events []lcm.VnfEvent) {
	b.Helper()
	for {
		d, err := b.Store.NextDelivery(b.Context(), id)
		if lcm.Is(err, lcm.KindNotFound) {
			return events
		}
		require.NoError(b, err)
		events = append(events, d.Event)
		require.NoError(b, b.Store.Delivered(b.Context(), d.ID))
	}
}
