package nfvo

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/oauth2"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// Options say which subscribers Windlass may call, and how.
type Options struct {
	// Denied are networks that no callback may lead to, not even by a name.
	Denied []netip.Prefix
	// HTTPSOnly refuses callbacks without TLS.
	HTTPSOnly bool
	// TLS has the certificate for TLS_CERT, and the authorities of subscribers' certificates, now; nil means the system's.
	TLS func() *tls.Config
	// Timeout bounds one request; 0 means 10 s.
	Timeout time.Duration
}

// Subscribers calls the callback URIs of subscriptions.
type Subscribers struct {
	guard     outbound.Guard
	caller    *caller
	certified bool
}

const defaultTimeout = 10 * time.Second

// NewSubscribers makes a client.
func NewSubscribers(o Options) *Subscribers {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	s := &Subscribers{guard: outbound.Guard{
		Denied: o.Denied, HTTPSOnly: o.HTTPSOnly, Section: "notifications",
		What: "Windlass sends no notifications to it",
	}}
	s.certified = o.TLS != nil && len(o.TLS().Certificates) > 0
	s.caller = &caller{
		who: "The subscriber", http: newHTTP(o.Timeout, o.TLS, s.guard.Control), check: s.Check,
		tokens: map[string]*oauth2.Token{},
	}
	return s
}

// Check refuses a URI that no subscriber may have here. The host's name is resolved only at the call.
func (s *Subscribers) Check(uri string) error { return s.guard.Check(uri) }

// HasCertificate tells whether Windlass has a certificate for subscribers that want TLS_CERT.
func (s *Subscribers) HasCertificate() bool { return s.certified }

// Subscriber is where notifications of a subscription go.
type Subscriber struct {
	URI string
	// Version is the API's, for the Version header.
	Version string
	// Auth is nil when the subscriber wants none.
	Auth *lcm.SubscriptionAuthentication
}

// SubscriberOf reads where notifications of a subscription go; authentication is its own, opened.
func SubscriberOf(s lcm.Subscription, authentication []byte) (Subscriber, error) {
	to := Subscriber{URI: s.CallbackURI, Version: map[int]string{1: "1.3.0", 2: "2.0.0"}[s.APIVersion]}
	if s.API == lcm.APIPkgm {
		to.Version = "1.1.0"
	}
	if len(authentication) == 0 {
		return to, nil
	}
	to.Auth = &lcm.SubscriptionAuthentication{}
	if err := json.Unmarshal(authentication, to.Auth); err != nil {
		return to, lcm.Wrap(lcm.KindBug, err, "A stored authentication of a subscriber is not JSON.")
	}
	return to, nil
}

// TestCallback looks whether the subscriber is there: it must answer 204 to GET (SOL003 clause 5.4.20.3.2).
func (s *Subscribers) TestCallback(ctx context.Context, sub lcm.Subscription, authentication []byte) error {
	to, err := SubscriberOf(sub, authentication)
	if err != nil {
		return err
	}
	got, err := s.call(ctx, http.MethodGet, to, nil)
	if err != nil {
		return err
	}
	if got.status != http.StatusNoContent {
		return lcm.Errorf(lcm.KindUnavailable, "The subscriber answers %d to GET, not 204.", got.status)
	}
	return nil
}

// Notify tells the subscriber of the event. An error is Unavailable: a later attempt may work, but not before the time
// that the subscriber names.
func (s *Subscribers) Notify(ctx context.Context, to Subscriber, sub lcm.Subscription, e lcm.VnfEvent) error {
	body, err := json.Marshal(notificationOf(sub, e))
	if err != nil {
		return err
	}
	got, err := s.call(ctx, http.MethodPost, to, body)
	if err != nil {
		return err
	}
	if got.status < 200 || got.status > 299 { // 204 by the standard; some answer 200
		e := lcm.Errorf(lcm.KindUnavailable, "The subscriber answers %d to the notification, not 204.", got.status)
		e.RetryAfter = got.pause
		return e
	}
	return nil
}

// answer is the relevant part of a subscriber's answer.
type answer struct {
	status int
	pause  time.Duration // Retry-After
}

// call sends one request.
func (s *Subscribers) call(ctx context.Context, method string, to Subscriber, body []byte) (answer, error) {
	if err := s.Check(to.URI); err != nil {
		return answer{}, lcm.Wrap(lcm.KindUnavailable, err, "The callback URI: %s", lcm.Sentence(err))
	}
	resp, err := s.caller.do(ctx, request{
		method: method, uri: to.URI, body: body, auth: to.Auth, header: http.Header{
			"Accept": {"application/json"}, "Version": {to.Version},
		},
	})
	if err != nil {
		return answer{}, lcm.Wrap(lcm.KindUnavailable, err, "%s", lcm.Sentence(err)) // another time it may work
	}
	defer finish(resp)
	return answer{status: resp.StatusCode, pause: pauseOf(resp)}, nil
}
