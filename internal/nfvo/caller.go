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
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// caller calls one other side: it authenticates, keeps tokens, and reports errors without the other side's private
// data.
type caller struct {
	who  string // begins sentences about the other side
	http *http.Client
	// check refuses URIs that may not be called.
	check func(uri string) error

	mu     sync.Mutex
	tokens map[string]*oauth2.Token // of OAuth 2.0, by the credentials that it was got with
}

// newHTTP makes a client that uses no proxy and follows no redirect: both lead to unchecked addresses. control, if not
// nil, checks every connection. trust may be nil.
func newHTTP(
	timeout time.Duration, trust func() *tls.Config, control func(network, address string, c syscall.RawConn) error,
) *http.Client {
	dialer := &net.Dialer{Timeout: timeout, Control: control}
	return &http.Client{
		Timeout: timeout,
		Transport: outbound.Renewed(trust, func(conf *tls.Config) *http.Transport {
			return &http.Transport{
				DialContext: dialer.DialContext, TLSClientConfig: conf, ForceAttemptHTTP2: true,
				MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
			}
		}),
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

// do sends a request; the caller of do closes the answer's body. If a token of OAuth 2.0 is refused, do replaces it
// once: it may have been withdrawn. An error is Unavailable, or Denied if no token is given.
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

// unreachable reports the error without the URL, which may hold the other side's private data.
func unreachable(who string, err error) error {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return lcm.Wrap(lcm.KindUnavailable, err, "%s", e.Sentence())
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "%s cannot be reached: %s.", who, strings.TrimSuffix(err.Error(), "."))
}
