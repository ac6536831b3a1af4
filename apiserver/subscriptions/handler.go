// Package subscriptions serves subscriptions to VNFs and to VNF packages, and the notifications that could not be
// delivered.
package subscriptions

import (
	"context"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Handler serves subscriptions of all APIs.
type Handler struct {
	*rest.Backend
	// Subscribers tries the callback URIs of subscriptions; nil takes them as they are.
	Subscribers Subscribers
	// NoCallbackTest accepts subscriptions without a test of the callback. DuplicateSubscriptions creates a second
	// subscription for a repeated request, instead of a 303.
	NoCallbackTest, DuplicateSubscriptions bool
	// MostSubscriptions bounds the subscriptions of a project; 0 bounds nothing.
	MostSubscriptions int
}

// Subscribers calls subscribers back.
type Subscribers interface {
	// Check refuses a URI that notifications are not sent to.
	Check(uri string) error
	// HasCertificate tells whether there is a certificate to show to subscribers.
	HasCertificate() bool
	// TestCallback checks whether the subscriber answers GET with 204; authentication is a SubscriptionAuthentication, or
	// empty.
	TestCallback(ctx context.Context, s lcm.Subscription, authentication []byte) error
}
