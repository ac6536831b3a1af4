package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/spf13/cobra"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// The ways in which the client authenticates.
const (
	authNone     = "none"
	authToken    = "token"
	authOAuth2   = "oauth2"
	authKeystone = "keystone"
)

// credentials are the client's credentials for the API. Secrets come from the environment or from files: every user of
// the host can read arguments.
type credentials struct {
	mode                          string
	caCert, clientCert, clientKey string
}

// authMode is the value of WINDLASS_AUTH, or a guess from the other variables.
func authMode() string {
	if mode := os.Getenv("WINDLASS_AUTH"); mode != "" {
		return mode
	}
	switch {
	case os.Getenv("WINDLASS_TOKEN") != "" || os.Getenv("WINDLASS_TOKEN_FILE") != "":
		return authToken
	case os.Getenv("WINDLASS_OAUTH2_TOKEN_URL") != "":
		return authOAuth2
	default: // variables of OpenStack may be for something else
		return authNone
	}
}

// complete takes values from a profile where no flag gives them.
func (c *credentials) complete(cmd *cobra.Command, p profile) {
	for flag, value := range map[string]struct {
		to   *string
		from string
	}{
		"auth": {&c.mode, p.Auth}, "ca-cert": {&c.caCert, p.CACert}, "client-cert": {&c.clientCert, p.ClientCert},
		"client-key": {&c.clientKey, p.ClientKey},
	} {
		if value.from != "" && !cmd.Flags().Changed(flag) {
			*value.to = value.from
		}
	}
}

// client makes the HTTP client for the API at base.
func (c credentials) client(ctx context.Context, base string) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	transport.TLSClientConfig = conf
	if c.caCert != "" {
		pem, err := os.ReadFile(c.caCert)
		if err != nil {
			return nil, fmt.Errorf("read the authorities of --ca-cert: %w", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s of --ca-cert holds no certificate", c.caCert)
		}
	}
	if c.clientCert != "" {
		cert, err := tls.LoadX509KeyPair(c.clientCert, cmp.Or(c.clientKey, c.clientCert))
		if err != nil {
			return nil, fmt.Errorf("read --client-cert and --client-key: %w", err)
		}
		conf.Certificates = []tls.Certificate{cert}
	}
	origin, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("read the URL of the API: %w", err)
	}
	header, err := c.header(ctx, &http.Client{Transport: transport, Timeout: 30 * time.Second})
	if err != nil || header == nil {
		return &http.Client{Transport: transport}, err
	}
	return &http.Client{Transport: &signer{next: transport, origin: origin, header: header}}, nil
}

// headerFunc returns the header that authenticates the client.
type headerFunc func(ctx context.Context) (name, value string, err error)

// header is nil without authentication, or if a certificate authenticates the client.
func (c credentials) header(ctx context.Context, via *http.Client) (headerFunc, error) {
	switch c.mode {
	case authNone:
		return nil, nil
	case authToken:
		token, err := givenToken()
		return fixed("Authorization", "Bearer "+token), err
	case authOAuth2:
		return oauth2Header(ctx, via)
	case authKeystone:
		if token := os.Getenv("OS_TOKEN"); token != "" {
			return fixed("X-Auth-Token", token), nil
		}
		login := &keystoneLogin{via: via}
		return login.header, nil
	default:
		return nil, fmt.Errorf("--auth must be %s, %s, %s or %s, not %q", authNone, authToken, authOAuth2, authKeystone,
			c.mode)
	}
}

func fixed(name, value string) headerFunc {
	return func(context.Context) (string, string, error) { return name, value, nil }
}

func givenToken() (string, error) {
	if token := os.Getenv("WINDLASS_TOKEN"); token != "" {
		return strings.TrimSpace(token), nil
	}
	file := os.Getenv("WINDLASS_TOKEN_FILE")
	if file == "" {
		return "", errors.New("there is no token: set WINDLASS_TOKEN or WINDLASS_TOKEN_FILE")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// oauth2Header gets tokens with the client credentials grant, and a new token when the last one expires.
func oauth2Header(ctx context.Context, via *http.Client) (headerFunc, error) {
	conf := clientcredentials.Config{
		TokenURL: os.Getenv("WINDLASS_OAUTH2_TOKEN_URL"), ClientID: os.Getenv("WINDLASS_OAUTH2_CLIENT_ID"),
		ClientSecret: os.Getenv("WINDLASS_OAUTH2_CLIENT_SECRET"), Scopes: strings.Fields(os.Getenv("WINDLASS_OAUTH2_SCOPES")),
	}
	if conf.TokenURL == "" || conf.ClientID == "" || conf.ClientSecret == "" {
		return nil, errors.New("OAuth 2.0 needs WINDLASS_OAUTH2_TOKEN_URL, WINDLASS_OAUTH2_CLIENT_ID and " +
			"WINDLASS_OAUTH2_CLIENT_SECRET")
	}
	source := conf.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, via))
	return func(context.Context) (string, string, error) {
		token, err := source.Token()
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
			return "", "", fmt.Errorf("the token endpoint %s gives no token: %s", conf.TokenURL,
				cmp.Or(refused.ErrorDescription, refused.ErrorCode, refused.Response.Status))
		}
		if err != nil {
			return "", "", fmt.Errorf("get a token: %w", err)
		}
		return "Authorization", token.Type() + " " + token.AccessToken, nil
	}, nil
}

// keystoneLogin gets tokens of Keystone with the account that OpenStack's variables name.
type keystoneLogin struct {
	via     *http.Client
	mu      sync.Mutex
	token   string
	expires time.Time
}

func (k *keystoneLogin) header(ctx context.Context) (string, string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.token == "" || time.Until(k.expires) < time.Minute {
		if err := k.login(ctx); err != nil {
			return "", "", err
		}
	}
	return "X-Auth-Token", k.token, nil
}

func (k *keystoneLogin) login(ctx context.Context) error {
	options := openstackAccount()
	if options.IdentityEndpoint == "" {
		return errors.New("Keystone needs OS_AUTH_URL and an account (OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME, or an application credential)") //nolint:staticcheck,revive // a name
	}
	provider, err := openstack.NewClient(options.IdentityEndpoint)
	if err != nil {
		return fmt.Errorf("OS_AUTH_URL: %w", err)
	}
	provider.HTTPClient = *k.via
	if err := openstack.Authenticate(ctx, provider, options); err != nil {
		return fmt.Errorf("log in at Keystone, %s: %w", options.IdentityEndpoint, err)
	}
	k.token, k.expires = provider.Token(), time.Now().Add(time.Hour)
	if answer, ok := provider.GetAuthResult().(tokens.CreateResult); ok {
		if token, err := answer.ExtractToken(); err == nil {
			k.expires = token.ExpiresAt
		}
	}
	return nil
}

// openstackAccount reads the variables that OpenStack's own client does.
func openstackAccount() gophercloud.AuthOptions {
	env := os.Getenv
	options := gophercloud.AuthOptions{IdentityEndpoint: env("OS_AUTH_URL")}
	if id := env("OS_APPLICATION_CREDENTIAL_ID"); id != "" {
		options.ApplicationCredentialID, options.ApplicationCredentialSecret = id, env("OS_APPLICATION_CREDENTIAL_SECRET")
		return options
	}
	options.Username, options.UserID, options.Password = env("OS_USERNAME"), env("OS_USER_ID"), env("OS_PASSWORD")
	if options.UserID == "" {
		options.DomainID = env("OS_USER_DOMAIN_ID")
		if options.DomainID == "" {
			options.DomainName = cmp.Or(env("OS_USER_DOMAIN_NAME"), "Default")
		}
	}
	scope := &gophercloud.AuthScope{ProjectID: env("OS_PROJECT_ID")}
	if scope.ProjectID == "" {
		scope.ProjectName, scope.DomainID = env("OS_PROJECT_NAME"), env("OS_PROJECT_DOMAIN_ID")
		if scope.DomainID == "" {
			scope.DomainName = cmp.Or(env("OS_PROJECT_DOMAIN_NAME"), "Default")
		}
	}
	if scope.ProjectID != "" || scope.ProjectName != "" {
		options.Scope = scope
	}
	return options
}

// signer puts the header on requests to the API, and on no others: answers have links.
type signer struct {
	next   http.RoundTripper
	origin *url.URL
	header headerFunc
}

func (s *signer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != s.origin.Scheme || r.URL.Host != s.origin.Host {
		return s.next.RoundTrip(r)
	}
	name, value, err := s.header(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as a RoundTripper must
		}
		return nil, &credentialsError{err}
	}
	signed := r.Clone(r.Context())
	signed.Header.Set(name, value)
	return s.next.RoundTrip(signed)
}

// credentialsError is why a request was not sent.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }
