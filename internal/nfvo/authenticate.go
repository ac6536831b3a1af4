package nfvo

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

type token struct {
	value   string
	expires time.Time
}

// authenticate adds what the subscriber wants: of several types the strongest that has parameters. TLS_CERT needs none:
// the certificate is shown to whoever asks for one. kept tells that a token was used that had been got before; renew
// wants another one.
func (s *Subscribers) authenticate(ctx context.Context, req *http.Request, a *lcm.SubscriptionAuthentication, renew bool) (kept bool, err error) {
	switch {
	case a == nil:
	case slices.Contains(a.AuthType, lcm.AuthOauth2) && a.ParamsOauth2.TokenEndpoint != "":
		value, kept, err := s.token(ctx, a, renew)
		if err != nil {
			return false, err
		}
		req.Header.Set("Authorization", "Bearer "+value)
		return kept, nil
	case slices.Contains(a.AuthType, lcm.AuthBasic) && a.ParamsBasic.UserName != "":
		req.SetBasicAuth(a.ParamsBasic.UserName, a.ParamsBasic.Password)
	}
	return false, nil
}

// token gets a token with client credentials (RFC 6749 clause 4.4), or takes the one that it has.
func (s *Subscribers) token(ctx context.Context, a *lcm.SubscriptionAuthentication, renew bool) (value string, kept bool, err error) {
	p := a.ParamsOauth2
	key := strings.Join([]string{p.TokenEndpoint, p.ClientID, p.ClientPassword}, "\x00")
	s.mu.Lock()
	t, ok := s.tokens[key]
	s.mu.Unlock()
	if ok && !renew && time.Now().Before(t.expires) {
		return t.value, true, nil
	}
	if t, err = s.newToken(ctx, p.TokenEndpoint, p.ClientID, p.ClientPassword); err != nil {
		return "", false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[key] = t
	return t.value, false, nil
}

func (s *Subscribers) newToken(ctx context.Context, endpoint, id, password string) (token, error) {
	if err := s.Check(endpoint); err != nil {
		return token{}, lcm.Wrap(lcm.KindUnavailable, err, "The token endpoint: %s", lcm.Sentence(err))
	}
	form := strings.NewReader(url.Values{"grant_type": {"client_credentials"}}.Encode())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, form)
	if err != nil {
		return token{}, lcm.Wrap(lcm.KindUnavailable, err, "The token endpoint cannot be called.")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(password)) // RFC 6749 clause 2.3.1
	resp, err := s.http.Do(req)
	if err != nil {
		return token{}, unreachable("The subscriber's token endpoint", err)
	}
	defer resp.Body.Close()
	var doc struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(body, &doc)
	}
	if err != nil || resp.StatusCode != http.StatusOK || doc.AccessToken == "" {
		// The body may repeat what was sent; it is not told.
		return token{}, lcm.Errorf(lcm.KindUnavailable, "The subscriber's token endpoint answers %d and gives no token.", resp.StatusCode)
	}
	return token{value: doc.AccessToken, expires: time.Now().Add(lifetime(doc.ExpiresIn))}, nil
}

// lifetime of a token that expires after so many seconds: a little less, and not long when the server does not say.
func lifetime(seconds int) time.Duration {
	const unknown, early = 5 * time.Minute, 30 * time.Second
	if seconds <= 0 {
		return unknown
	}
	return time.Duration(seconds)*time.Second - early
}
