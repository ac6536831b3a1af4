package nfvo

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/oauth2"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Options say what subscribers may be reached, and how.
type Options struct {
	// Denied are addresses that no callback may lead to, whatever name stands for them.
	Denied []netip.Prefix
	// HTTPSOnly refuses callbacks without TLS.
	HTTPSOnly bool
	// TLS has the certificate for TLS_CERT, and the authorities that subscribers' certificates come from; nil is the
	// system's own.
	TLS *tls.Config
	// Timeout bounds one request; 0 means 10 s.
	Timeout time.Duration
}

// Subscribers calls the callback URIs of subscriptions.
type Subscribers struct {
	options Options
	http    *http.Client
	mu      sync.Mutex
	tokens  map[string]*oauth2.Token // of OAuth 2.0, by what it was got with
}

const defaultTimeout = 10 * time.Second

// NewSubscribers makes a client. It uses no proxy and follows no redirect: both lead to where nobody has looked.
func NewSubscribers(o Options) *Subscribers {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	s := &Subscribers{options: o, tokens: map[string]*oauth2.Token{}}
	dialer := &net.Dialer{Timeout: o.Timeout, Control: s.control}
	s.http = &http.Client{
		Timeout: o.Timeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: o.TLS.Clone(), ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// control looks at the address itself: a name may mean another one at every look.
func (s *Subscribers) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return s.checkAddress(at.Addr())
}

func (s *Subscribers) checkAddress(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if slices.ContainsFunc(s.options.Denied, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return lcm.Errorf(lcm.KindInvalid, "The address %s is among those that notifications may not be sent to (notifications.deniedNetworks).", a)
	}
	return nil
}

// Check refuses a URI that cannot be one of a subscriber here. Its name is looked up when it is called.
func (s *Subscribers) Check(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return lcm.Errorf(lcm.KindInvalid, "must be an absolute URI of http or https")
	case u.User != nil || u.Fragment != "":
		return lcm.Errorf(lcm.KindInvalid, "must have no user and no fragment")
	case s.options.HTTPSOnly && u.Scheme != "https":
		return lcm.Errorf(lcm.KindInvalid, "must be a URI of https (notifications.httpsOnly)")
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return s.checkAddress(a)
	}
	return nil
}

// Subscriber is where notifications of a subscription go.
type Subscriber struct {
	URI string
	// Version is the API's, for the Version header.
	APIVersion int
	// Auth is nil when the subscriber wants none.
	Auth *lcm.SubscriptionAuthentication
}

// SubscriberOf reads where notifications of a subscription go; authentication is its own, opened.
func SubscriberOf(s lcm.Subscription, authentication []byte) (Subscriber, error) {
	to := Subscriber{URI: s.CallbackURI, APIVersion: s.APIVersion}
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
	status, err := s.call(ctx, http.MethodGet, to, nil)
	if err != nil {
		return err
	}
	if status != http.StatusNoContent {
		return lcm.Errorf(lcm.KindUnavailable, "The subscriber answers %d to GET, not 204.", status)
	}
	return nil
}

// Notify tells the subscriber of the event. An error is Unavailable: another time it may work.
func (s *Subscribers) Notify(ctx context.Context, to Subscriber, sub lcm.Subscription, e lcm.VnfEvent) error {
	body, err := json.Marshal(notificationOf(sub, e))
	if err != nil {
		return err
	}
	status, err := s.call(ctx, http.MethodPost, to, body)
	if err != nil {
		return err
	}
	if status < 200 || status > 299 { // 204 by the standard; some answer 200
		return lcm.Errorf(lcm.KindUnavailable, "The subscriber answers %d to the notification, not 204.", status)
	}
	return nil
}

// call sends one request. A token of OAuth 2.0 that is refused is replaced once: it may have been withdrawn.
func (s *Subscribers) call(ctx context.Context, method string, to Subscriber, body []byte) (status int, err error) {
	for _, renew := range []bool{false, true} {
		var kept bool
		if status, kept, err = s.callOnce(ctx, method, to, body, renew); err != nil || status != http.StatusUnauthorized || !kept {
			break
		}
	}
	return status, err
}

// callOnce tells also whether a token was used that had been got before.
func (s *Subscribers) callOnce(ctx context.Context, method string, to Subscriber, body []byte, renew bool) (status int, kept bool, err error) {
	if err := s.Check(to.URI); err != nil {
		return 0, false, lcm.Wrap(lcm.KindUnavailable, err, "The callback URI: %s", lcm.Sentence(err))
	}
	req, err := http.NewRequestWithContext(ctx, method, to.URI, bytes.NewReader(body))
	if err != nil {
		return 0, false, lcm.Wrap(lcm.KindUnavailable, err, "The callback URI cannot be called.")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Version", map[int]string{1: "1.3.0", 2: "2.0.0"}[to.APIVersion])
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if kept, err = s.authenticate(ctx, req, to.Auth, renew); err != nil {
		return 0, false, err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return 0, false, unreachable("The subscriber", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	return resp.StatusCode, kept, nil
}

// unreachable says why without the URL, which may hold what belongs to the subscriber alone.
func unreachable(who string, err error) error {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return lcm.Wrap(lcm.KindUnavailable, err, "%s", e.Sentence())
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "%s cannot be reached: %s.", who, strings.TrimSuffix(err.Error(), "."))
}
