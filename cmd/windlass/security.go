package main

import (
	"net/url"
	"os"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// secure adds what authenticates clients, and the certificate, to the options.
func (b *backends) secure(o *apiserver.Options) error {
	api := b.config.API
	if api.Metrics == config.MetricsOff {
		o.Metrics = nil
	}
	if api.TLS.CertFile != "" {
		files := auth.ServerTLS{
			CertFile: api.TLS.CertFile, KeyFile: api.TLS.KeyFile, ClientCAFile: api.TLS.ClientCAFile, Log: b.log,
		}
		var err error
		if o.TLS, err = files.Config(); err != nil {
			return err
		}
	}
	chain, err := b.methods(b.config.Auth)
	if err != nil {
		return err
	}
	if len(chain) > 0 {
		o.Auth, o.Security = chain, describedAuth(b.config.Auth)
	}
	return b.openPage(o, chain)
}

// openPage says how the readers of the web page log in, and where it leads.
func (b *backends) openPage(o *apiserver.Options, chain auth.Chain) error {
	a, page := b.config.Auth, b.config.Page
	o.Page.Traces, o.Page.Tokens = page.Traces, map[string]string{}
	if page.Temporal != "" {
		o.Page.Temporal = page.Temporal + "/namespaces/" + url.PathEscape(b.config.Temporal.Namespace)
	}
	for _, method := range chain {
		if k, ok := method.(*auth.Keystone); ok {
			o.Page.Tokens[config.AuthKeystone], o.Passwords = "X-Auth-Token", k
		}
	}
	if !a.Has(config.AuthOAuth2) {
		return nil
	}
	o.Page.Tokens[config.AuthOAuth2] = "Authorization"
	if page.OAuth2ClientID == "" {
		return nil
	}
	client, err := auth.HTTPClient("auth.oauth2", a.OAuth2.CAFile, b.log)
	if err != nil {
		return err
	}
	o.Codes = &auth.CodeFlow{
		Issuer: a.OAuth2.Issuer, Audience: a.OAuth2.Audience, ClientID: page.OAuth2ClientID, Scope: page.OAuth2Scope,
		RedirectURI: b.config.API.Endpoint + "/ui/", HTTP: client,
	}
	return nil
}

// methods makes the methods that authenticate clients. Tokens come before certificates: a client that shows both acts
// by its token.
func (b *backends) methods(a config.Auth) (chain auth.Chain, err error) {
	if a.Has(config.AuthOAuth2) {
		client, err := auth.HTTPClient("auth.oauth2", a.OAuth2.CAFile, b.log)
		if err != nil {
			return nil, err
		}
		chain = append(chain, &auth.OAuth2{
			Issuer: a.OAuth2.Issuer, Audience: a.OAuth2.Audience, ProjectClaim: a.OAuth2.ProjectClaim,
			Project: lcm.ProjectID(a.OAuth2.Project),
			Keys:    &auth.KeySet{Issuer: a.OAuth2.Issuer, URL: a.OAuth2.JWKSURL, HTTP: client},
		})
	}
	if a.Has(config.AuthKeystone) {
		keystone, err := b.keystone(a.Keystone)
		if err != nil {
			return nil, err
		}
		chain = append(chain, keystone)
	}
	if a.Has(config.AuthMTLS) {
		clients, err := auth.ParseClients(a.MTLS.Clients)
		if err != nil {
			return nil, lcm.InvalidAll("The configuration has mistakes.",
				[]lcm.Problem{{Path: "auth.mtls.clients", Detail: lcm.Sentence(err)}})
		}
		chain = append(chain, &auth.Certificates{Clients: clients})
	}
	return chain, nil
}

// describedAuth describes the ways to authenticate, for the document of the API.
func describedAuth(a config.Auth) openapi.Security {
	s := openapi.Security{Certificates: a.Has(config.AuthMTLS)}
	if a.Has(config.AuthOAuth2) {
		scheme := openapi.Scheme{Name: config.AuthOAuth2, Description: "a bearer token (a JWT) of " + a.OAuth2.Issuer +
			" for the audience `" + a.OAuth2.Audience + "`"}
		if a.OAuth2.JWKSURL == "" {
			scheme.Type, scheme.DiscoveryURL = openapi.TypeDiscovery, auth.MetadataURL(a.OAuth2.Issuer)
		} else { // the issuer has no metadata
			scheme.Type, scheme.HTTPScheme, scheme.Format = openapi.TypeBearer, "bearer", "JWT"
		}
		s.Schemes = append(s.Schemes, scheme)
	}
	if a.Has(config.AuthKeystone) {
		s.Schemes = append(s.Schemes, openapi.Scheme{
			Name: config.AuthKeystone, Type: openapi.TypeHeader, In: "header", Header: "X-Auth-Token",
			Description: "a token of the Keystone at " + a.Keystone.URL + ", for a project",
		})
	}
	return s
}

func (b *backends) keystone(k config.Keystone) (*auth.Keystone, error) {
	client, err := auth.HTTPClient("auth.keystone", k.CAFile, b.log)
	if err != nil {
		return nil, err
	}
	password, err := os.ReadFile(k.PasswordFile)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The file %s of auth.keystone.passwordFile cannot be read.",
			k.PasswordFile)
	}
	return &auth.Keystone{
		URL: k.URL, Username: k.Username, Password: strings.TrimRight(string(password), "\r\n"), UserDomain: k.UserDomain,
		Project: k.Project, ProjectDomain: k.ProjectDomain, HTTP: client,
		ReadRoles: k.ReadRoles, WriteRoles: k.WriteRoles, AdminRoles: k.AdminRoles,
	}, nil
}
