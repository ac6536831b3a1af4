package openstack

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// theVim begins sentences about a VIM's answers.
const theVim = "The VIM"

func authOptions(vim lcm.Vim, cred map[string]any) gophercloud.AuthOptions {
	opts := gophercloud.AuthOptions{IdentityEndpoint: vim.AuthURL, AllowReauth: true}
	if id := text(cred, "application_credential_id"); id != "" {
		opts.ApplicationCredentialID, opts.ApplicationCredentialSecret = id, text(cred, "application_credential_secret")
		return opts
	}
	opts.Password = text(cred, "password")
	// An id needs no name beside it, and gophercloud refuses both; OpenStack's own client takes the id.
	if opts.UserID = text(cred, "user_id"); opts.UserID == "" {
		opts.Username = text(cred, "username")
		if opts.DomainID = text(cred, "user_domain_id"); opts.DomainID == "" {
			opts.DomainName = cmp.Or(text(cred, "user_domain_name"), "Default")
		}
	}
	opts.Scope = scopeOf(vim, cred)
	return opts
}

// missing names what the credentials lack for a login: Keystone would only say that it refuses them.
func missing(opts gophercloud.AuthOptions) string {
	switch {
	case opts.ApplicationCredentialID != "" && opts.ApplicationCredentialSecret == "":
		return "application_credential_secret"
	case opts.ApplicationCredentialID != "":
		return ""
	case opts.Username == "" && opts.UserID == "":
		return "username"
	case opts.Password == "":
		return "password"
	}
	return ""
}

func scopeOf(vim lcm.Vim, cred map[string]any) *gophercloud.AuthScope {
	scope := &gophercloud.AuthScope{
		ProjectID: text(vim.Project, "id"), ProjectName: text(vim.Project, "name"),
		DomainName: text(vim.Project, "project_domain_name"), DomainID: text(vim.Project, "project_domain_id"),
	}
	if scope.ProjectName == "" {
		scope.ProjectName = text(cred, "project_name")
	}
	if scope.DomainName == "" && scope.DomainID == "" {
		scope.DomainName = text(cred, "project_domain_name")
	}
	switch {
	case scope.ProjectID != "": // an id needs no domain, and Keystone refuses one
		scope.ProjectName, scope.DomainName, scope.DomainID = "", "", ""
	case scope.DomainID != "":
		scope.DomainName = ""
	case scope.DomainName == "" && scope.DomainID == "":
		scope.DomainName = "Default"
	}
	return scope
}

func httpClient(cred map[string]any, limit time.Duration, guard outbound.Guard) (http.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if pem := text(cred, "ca_cert"); pem != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(pem)) {
			return http.Client{}, lcm.Errorf(lcm.KindInvalid, "The VIM's ca_cert holds no PEM certificate.")
		}
	}
	// Tacker's requests carry cert_verify as the string "True" or "False", or as a boolean.
	if v, given := cred["cert_verify"]; given && (v == false || v == "False" || v == "false") {
		config.InsecureSkipVerify = true //nolint:gosec // the user asked for it, as Tacker lets them
	}
	return http.Client{
		Transport: outbound.Limit(outbound.Transport(config, guard), theVim, guard), Timeout: limit,
		CheckRedirect: outbound.StayThere(theVim),
	}, nil
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// Logout revokes the token. The Cloud can be used on: the next call gets a new one.
func (c *Cloud) Logout(ctx context.Context) error {
	keystone, err := openstack.NewIdentityV3(c.provider, gophercloud.EndpointOpts{})
	if err != nil {
		return translate("log out", err)
	}
	err = translate("log out", tokens.Revoke(ctx, keystone, c.provider.Token()).Err)
	if lcm.Is(err, lcm.KindNotFound) || lcm.Is(err, lcm.KindDenied) {
		return nil // the token is no longer valid
	}
	return err
}
