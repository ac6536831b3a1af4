package nfvo

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/oauth2"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// caller calls one other side: it authenticates, keeps tokens, and tells what went wrong without what belongs to that
// side alone.
type caller struct {
	who  string // begins sentences about the other side
	http *http.Client
	// check refuses URIs that may not be called.
	check func(uri string) error

	mu     sync.Mutex
	tokens map[string]*oauth2.Token // of OAuth 2.0, by what it was got with
}

// newHTTP makes a client that uses no proxy and follows no redirect: both lead to where nobody has looked. control,
// when not nil, is asked before every connection.
func newHTTP(
	timeout time.Duration, conf *tls.Config, control func(network, address string, c syscall.RawConn) error,
) *http.Client {
	dialer := &net.Dialer{Timeout: timeout, Control: control}
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: conf.Clone(), ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// request is one request to the other side.
type request struct {
	method, uri string
	header      http.Header
	body        []byte
	auth        *lcm.SubscriptionAuthentication // nil for none
}

// do sends a request; whoever calls it closes the answer's body. A token of OAuth 2.0 that is refused is replaced once:
// it may have been withdrawn. An error is Unavailable, or Denied where no token is given.
func (c *caller) do(ctx context.Context, r request) (*http.Response, error) {
	for renew := false; ; renew = true {
		resp, kept, err := c.once(ctx, r, renew)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || !kept {
			return resp, err
		}
		finish(resp)
	}
}

// once tells also whether a token was used that had been got before.
func (c *caller) once(ctx context.Context, r request, renew bool) (resp *http.Response, kept bool, err error) {
	req, err := http.NewRequestWithContext(ctx, r.method, r.uri, bytes.NewReader(r.body))
	if err != nil {
		return nil, false, lcm.Wrap(lcm.KindUnavailable, err, "%s's URI cannot be called.", c.who)
	}
	req.Header = r.header.Clone()
	if r.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if kept, err = c.authenticate(ctx, req, r.auth, renew); err != nil {
		return nil, false, err
	}
	ctx, span := c.beginSpan(ctx, req)
	resp, err = c.http.Do(req.WithContext(ctx))
	endSpan(span, resp, err)
	if err != nil {
		return nil, false, unreachable(c.who, err)
	}
	return resp, kept, nil
}

// finish ends with an answer, so that its connection can be used again.
func finish(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	resp.Body.Close()
}

// unreachable says why without the URL, which may hold what belongs to the other side alone.
func unreachable(who string, err error) error {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return lcm.Wrap(lcm.KindUnavailable, err, "%s", e.Sentence())
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "%s cannot be reached: %s.", who, strings.TrimSuffix(err.Error(), "."))
}
