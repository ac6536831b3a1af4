package kubernetes

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	neturl "net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
)

const (
	// issuerPatience bounds a request for a token.
	issuerPatience = 10 * time.Second
	// earlier is the time before a token's end from which it is not used: it must still be valid when it arrives.
	earlier = 30 * time.Second
)

// openID logs in with OpenID Connect as Tacker does: it exchanges a user's password for an ID token. The Kubernetes API
// accepts that token.
type openID struct {
	conf               oauth2.Config
	username, password string
}

func openIDOf(text func(key string) string) openID {
	return openID{
		conf: oauth2.Config{
			ClientID: text(login.Client), ClientSecret: text(login.Secret), Scopes: []string{"openid"},
			// AuthStyleAutoDetect would try both styles, and so a wrong password twice.
			Endpoint: oauth2.Endpoint{TokenURL: text(login.TokenURL), AuthStyle: oauth2.AuthStyleInParams},
		},
		username: text(login.User), password: text(login.Password),
	}
}

// wrap puts the token into requests. It requests the token through next too, so that the same bounds hold for the
// token's URL.
func (o openID) wrap(next http.RoundTripper) http.RoundTripper {
	return &openIDTransport{openID: o, next: next, turn: make(chan struct{}, 1), now: time.Now}
}

// openIDTransport keeps one token for all requests.
type openIDTransport struct {
	openID
	next http.RoundTripper
	now  func() time.Time
	turn chan struct{} // a lock for idToken
	idToken
}

type idToken struct {
	text string
	end  time.Time // zero: unknown
}

// RoundTrip implements http.RoundTripper. If the VIM refuses a stored token, it gets a new token and tries once more.
func (t *openIDTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	token, fresh, err := t.token(req.Context(), "")
	if err != nil {
		return nil, err
	}
	resp, err := t.send(req, token)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || fresh {
		return resp, err
	}
	again, err := replay(req)
	if err != nil {
		return resp, nil //nolint:nilerr // the refusal is the answer
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // read to its end, so that the connection is reused
	resp.Body.Close()
	if token, _, err = t.token(req.Context(), token); err != nil {
		return nil, err
	}
	return t.send(again, token)
}

func (t *openIDTransport) send(req *http.Request, token string) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+token)
	return t.next.RoundTrip(req)
}

// replay returns a copy of the request with its body from the beginning.
func replay(req *http.Request) (*http.Request, error) {
	again := req.Clone(req.Context())
	if req.Body == nil || req.Body == http.NoBody {
		return again, nil
	}
	if req.GetBody == nil {
		return nil, errors.New("the body is gone")
	}
	body, err := req.GetBody()
	again.Body = body
	return again, err
}

// token returns the stored token. If that token ends soon or was refused, it returns a fresh token.
func (t *openIDTransport) token(ctx context.Context, refused string) (token string, fresh bool, err error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", false, ctx.Err()
	}
	usable := t.end.IsZero() || t.now().Before(t.end.Add(-earlier))
	if t.text != "" && t.text != refused && usable {
		return t.text, false, nil
	}
	if t.idToken, err = t.ask(ctx); err != nil {
		return "", false, err
	}
	return t.text, true, nil
}

func (t *openIDTransport) ask(ctx context.Context) (idToken, error) {
	client := &http.Client{
		Transport: t.next, Timeout: issuerPatience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := t.conf.PasswordCredentialsToken(context.WithValue(ctx, oauth2.HTTPClient, client), t.username, t.password)
	if err != nil {
		return idToken{}, t.refused(err)
	}
	token, _ := answer.Extra("id_token").(string)
	if token == "" {
		return idToken{}, lcm.Errorf(lcm.KindInvalid, "The OpenID provider at %s gives no id_token: it must allow the scope "+
			"openid.", t.conf.Endpoint.TokenURL)
	}
	end := endOf(token)
	if end.IsZero() {
		end = answer.Expiry
	}
	return idToken{token, end}, nil
}

// refused describes the provider's refusal; it does not pass on the provider's text.
func (t *openIDTransport) refused(err error) error {
	url := t.conf.Endpoint.TokenURL
	if known, ok := errors.AsType[*lcm.Error](err); ok {
		return lcm.Errorf(known.Kind, "The OpenID provider at %s cannot be used: %s", url, known.Detail)
	}
	_, unreached := errors.AsType[*neturl.Error](err)
	status := 0
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok && answer.Response != nil {
		status = answer.Response.StatusCode
	}
	switch {
	case untrusted(err):
		return lcm.Errorf(lcm.KindUnavailable, "The certificate of the OpenID provider at %s is not from an authority "+
			"in ssl_ca_cert, has expired, or is for another name.", url)
	case unreached:
		return lcm.Errorf(lcm.KindUnavailable, "The OpenID provider at %s does not answer.", url)
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return lcm.Errorf(lcm.KindUnavailable, "The OpenID provider at %s answers %d.", url, status)
	case status >= http.StatusBadRequest:
		return lcm.Errorf(lcm.KindDenied, "The OpenID provider at %s refused the user, the password or the client (%d).", url,
			status)
	default:
		return lcm.Errorf(lcm.KindInvalid, "The server at %s is no OpenID provider.", url)
	}
}

// endOf reads the end of an ID token; zero when it has none. The token is not verified here: the VIM does that.
func endOf(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Exp int64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(payload, &claims) != nil || claims.Exp <= 0 {
		return time.Time{}
	}
	return time.Unix(claims.Exp, 0)
}
