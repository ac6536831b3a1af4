package nfvo

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// authenticate adds the credentials that the other side wants: of several types, the strongest that has parameters.
// TLS_CERT needs none: the certificate is shown to every server that asks for one. kept tells that an earlier token was
// reused; renew forces a new token.
func (c *caller) authenticate(
	ctx context.Context, req *http.Request, a *lcm.SubscriptionAuthentication, renew bool,
) (kept bool, err error) {
	switch {
	case a == nil:
	case slices.Contains(a.AuthType, lcm.AuthOauth2) && a.ParamsOauth2.TokenEndpoint != "":
		value, kept, err := c.token(ctx, a, renew)
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

// token gets a token with client credentials (RFC 6749 clause 4.4), or reuses the present one.
func (c *caller) token(
	ctx context.Context, a *lcm.SubscriptionAuthentication, renew bool,
) (value string, kept bool, err error) {
	p := a.ParamsOauth2
	key := strings.Join([]string{p.TokenEndpoint, p.ClientID, p.ClientPassword}, "\x00")
	c.mu.Lock()
	t := c.tokens[key]
	c.mu.Unlock()
	if !renew && t.Valid() {
		return t.AccessToken, true, nil
	}
	if t, err = c.newToken(ctx, p.TokenEndpoint, p.ClientID, p.ClientPassword); err != nil {
		return "", false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens[key] = t
	return t.AccessToken, false, nil
}

func (c *caller) newToken(ctx context.Context, endpoint, id, password string) (*oauth2.Token, error) {
	if err := c.check(endpoint); err != nil {
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The token endpoint: %s", lcm.Sentence(err))
	}
	config := clientcredentials.Config{
		ClientID: id, ClientSecret: password, TokenURL: endpoint, AuthStyle: oauth2.AuthStyleInHeader,
	}
	t, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, c.http))
	if err == nil {
		return t, nil
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return nil, unreachable(c.who+"'s token endpoint", e)
	}
	// Other errors quote the answer, which may repeat the secrets of the request. So they are neither shown nor kept as
	// the cause.
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		kind := lcm.KindUnavailable
		if e.Response.StatusCode < http.StatusInternalServerError && e.Response.StatusCode != http.StatusTooManyRequests {
			kind = lcm.KindDenied
		}
		return nil, lcm.Errorf(kind, "%s's token endpoint answers %d and gives no token.", c.who, e.Response.StatusCode)
	}
	return nil, lcm.Errorf(lcm.KindUnavailable, "%s's token endpoint gives no token in its answer.", c.who)
}
