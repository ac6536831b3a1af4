package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"golang.org/x/sync/singleflight"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// Token is the token that a client shows after its login.
type Token struct {
	Value string
	Until time.Time // zero: not told
}

// KeystoneUser is a user who logs in, and the project.
type KeystoneUser struct{ Username, Password, UserDomain, Project, ProjectDomain string }

// LogIn gets a token of Keystone for a user; a *RefusalError when Keystone does not know user, password or project.
func (k *Keystone) LogIn(ctx context.Context, u KeystoneUser) (Token, error) {
	if u.Username == "" || u.Password == "" || u.Project == "" {
		return Token{}, &RefusalError{Detail: "User name, password and project are needed."}
	}
	ctx, cancel := context.WithTimeout(ctx, keystoneTimeout)
	defer cancel()
	provider, err := openstack.NewClient(k.URL)
	if err != nil {
		return Token{}, err
	}
	provider.HTTPClient = *k.HTTP
	provider.HTTPClient.Transport = outbound.Limit(cmp.Or(k.HTTP.Transport, http.DefaultTransport), "Keystone",
		outbound.Guard{})
	provider.HTTPClient.CheckRedirect = outbound.StayThere("Keystone")
	answer := tokens.Create(ctx, &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: k.endpoint()},
		&tokens.AuthOptions{
			Username: u.Username, Password: u.Password, DomainName: cmp.Or(u.UserDomain, "Default"),
			Scope: tokens.Scope{ProjectName: u.Project, DomainName: cmp.Or(u.ProjectDomain, u.UserDomain, "Default")},
		})
	switch {
	case gophercloud.ResponseCodeIs(answer.Err, http.StatusUnauthorized):
		return Token{}, &RefusalError{Detail: "Keystone does not know this user with this password in this project."}
	case answer.Err != nil:
		return Token{}, lcm.Wrap(lcm.KindUnavailable, answer.Err, "Keystone cannot log in anybody now. Try again.")
	}
	told, err := answer.ExtractToken()
	if err != nil {
		return Token{}, lcm.Wrap(lcm.KindUnavailable, err, "Windlass does not understand Keystone's answer to the "+
			"login.")
	}
	return Token{Value: told.ID, Until: told.ExpiresAt}, nil
}

// endpoint is Keystone's API, version 3.
func (k *Keystone) endpoint() string {
	endpoint := gophercloud.NormalizeURL(k.URL)
	if !strings.HasSuffix(endpoint, "/v3/") {
		endpoint += "v3/"
	}
	return endpoint
}

// CodeFlow logs people in at an issuer of OAuth 2.0: the authorization code flow with PKCE, of a public client (RFC
// 6749 clause 4.1, RFC 7636). The browser keeps the verifier, and the server exchanges the code: so the page talks to
// no other server.
type CodeFlow struct {
	Issuer, ClientID, Scope string
	// Audience is asked for, where the issuer makes tokens for several.
	Audience string
	// RedirectURI is the page, to which the issuer sends the browser back.
	RedirectURI string
	HTTP        *http.Client

	flights singleflight.Group
	mu      sync.Mutex
	found   *endpoints
	failed  error     // of the last question, while nothing is found
	tried   time.Time // the last question
}

// issuerPause is how long an issuer that failed is not asked again: anybody may begin a login.
const issuerPause = 2 * time.Second

// endpoints are the endpoints in the issuer's metadata (RFC 8414).
type endpoints struct {
	Issuer        string `json:"issuer"`
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
}

// Authorization is where a browser is sent to, with the parameters that are the same for everybody.
func (f *CodeFlow) Authorization(ctx context.Context) (string, error) {
	found, err := f.discover(ctx)
	if err != nil {
		return "", err
	}
	place, err := url.Parse(found.Authorization)
	if err != nil {
		return "", err
	}
	q := place.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": f.ClientID, "scope": f.Scope, "audience": f.Audience,
		"redirect_uri": f.RedirectURI, "code_challenge_method": "S256",
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	place.RawQuery = q.Encode()
	return place.String(), nil
}

// Redeem exchanges a code for a token; a *RefusalError when the issuer does not take it.
func (f *CodeFlow) Redeem(ctx context.Context, code, verifier, redirectURI string) (Token, error) {
	if code == "" || verifier == "" || redirectURI != f.RedirectURI {
		return Token{}, &RefusalError{Detail: "The issuer has sent the browser back without the data of a login. Log " +
			"in again."}
	}
	found, err := f.discover(ctx)
	if err != nil {
		return Token{}, err
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "client_id": {f.ClientID},
		"redirect_uri": {f.RedirectURI},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, found.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return Token{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	var told struct {
		Token     string `json:"access_token"`
		ExpiresIn int    `json:"expires_in"`
		Error     string `json:"error"`
	}
	status, err := f.ask(req, &told)
	switch {
	case err != nil || status >= http.StatusInternalServerError:
		return Token{}, lcm.Wrap(lcm.KindUnavailable, err, "The issuer of tokens does not answer. Try again.")
	case status != http.StatusOK || told.Token == "":
		return Token{}, &RefusalError{
			Detail: "The issuer does not accept the login. Log in again.",
			Err:    errors.New(told.Error),
		}
	}
	token := Token{Value: told.Token}
	if told.ExpiresIn > 0 {
		token.Until = time.Now().Add(time.Duration(told.ExpiresIn) * time.Second).UTC()
	}
	return token, nil
}

// discover asks for the issuer's metadata, which must be its own, until they are known.
func (f *CodeFlow) discover(ctx context.Context) (*endpoints, error) {
	if found, err := f.known(); found != nil || err != nil {
		return found, err
	}
	// Others wait for the same answer: the first one who asks must not end it by going away.
	flight := f.flights.DoChan("", func() (any, error) {
		if found, err := f.known(); found != nil || err != nil { // somebody else was faster
			return found, err
		}
		return f.askMetadata(context.WithoutCancel(ctx))
	})
	found, err := wait(ctx, flight)
	if err != nil {
		return nil, err
	}
	return found.(*endpoints), nil
}

// known is the last answer, or the failure of a moment ago.
func (f *CodeFlow) known() (*endpoints, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.found == nil && f.failed != nil && time.Since(f.tried) < issuerPause {
		return nil, f.failed
	}
	return f.found, nil
}

// askMetadata asks the issuer, and keeps what came of it. The client bounds the time.
func (f *CodeFlow) askMetadata(ctx context.Context) (*endpoints, error) {
	found, err := f.metadata(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found, f.failed, f.tried = found, err, time.Now()
	return found, err
}

func (f *CodeFlow) metadata(ctx context.Context) (*endpoints, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, MetadataURL(f.Issuer), nil)
	if err != nil {
		return nil, err
	}
	found := &endpoints{}
	status, err := f.ask(req, found)
	if err == nil && (status != http.StatusOK || found.Issuer != f.Issuer || found.Authorization == "" || found.Token == "") {
		err = fmt.Errorf("the metadata of %s, with status %d, do not say where to log in", f.Issuer, status)
	}
	if err != nil {
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The issuer of tokens does not say where to log in. Try again.")
	}
	return found, nil
}

func (f *CodeFlow) ask(req *http.Request, into any) (status int, err error) {
	resp, err := f.HTTP.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(io.LimitReader(resp.Body, largestKeySet)).Decode(into)
	if resp.StatusCode >= http.StatusBadRequest {
		err = nil // the status tells, whatever the body is
	}
	return resp.StatusCode, err
}
