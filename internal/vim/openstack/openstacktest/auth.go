package openstacktest

import (
	"crypto/tls"
	"crypto/x509"
	"maps"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/applicationcredentials"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// connect logs in with some credentials and extras changed; the value nil removes a key.
func (s *site) connect(vim lcm.Vim, cred, extra map[string]any) (*openstack.Cloud, error) {
	vim.Extra = changed(vim.Extra, extra)
	return openstack.Connect(s.Context(), vim, changed(s.Cred, cred), outbound.Guard{})
}

func changed(base, by map[string]any) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, by)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out
}

// requireWorks makes one call to Heat.
func (s *site) requireWorks(c *openstack.Cloud) {
	s.Helper()
	_, err := c.Inventory(s.Context(), s.name)
	s.requireKind(lcm.KindNotFound, err, s.name)
}

func (s *site) passwords() {
	s.requireWorks(s.cloud)
	for what, cred := range map[string]map[string]any{
		"password": {"password": "wrong-3f9c"}, "user": {"username": "nobody-3f9c"},
		"domain": {"user_domain_name": "nothing-3f9c"},
	} {
		_, err := s.connect(s.Vim, cred, nil)
		s.requireKind(lcm.KindDenied, err, "refused the credentials of VIM "+s.Vim.Name, s.Vim.AuthURL)
		require.NotContains(s, err.Error(), "wrong-3f9c", what)
	}
	vim := s.Vim
	vim.Project = map[string]any{"name": "nothing-3f9c", "project_domain_name": "Default"}
	_, err := s.connect(vim, nil, nil)
	s.requireKind(lcm.KindDenied, err, "project")

	vim = s.Vim
	vim.AuthURL = strings.TrimSuffix(s.Vim.AuthURL, "/v3") + "/nothing/v3"
	_, err = s.connect(vim, nil, nil)
	s.requireKind(lcm.KindInvalid, err, "auth_url")
}

// observer is a second client of the same user. It checks what the connector has done.
func (s *site) observer() *gophercloud.ProviderClient {
	s.Helper()
	provider, err := client.NewClient(s.Vim.AuthURL)
	require.NoError(s, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(text(s.Cred, "ca_cert")))
	provider.HTTPClient = http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS12,
		RootCAs:    pool,
	}}}
	require.NoError(s, client.Authenticate(s.Context(), provider, gophercloud.AuthOptions{
		IdentityEndpoint: s.Vim.AuthURL, Username: text(s.Cred, "username"), Password: text(s.Cred, "password"),
		DomainName: "Default",
		Scope:      &gophercloud.AuthScope{ProjectName: text(s.Vim.Project, "name"), DomainName: "Default"}, AllowReauth: true,
	}))
	return provider
}

func (s *site) service(
	open func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error),
) *gophercloud.ServiceClient {
	s.Helper()
	c, err := open(s.observer(), gophercloud.EndpointOpts{Region: s.Vim.Regions[0]})
	require.NoError(s, err)
	return c
}

func text(m map[string]any, key string) string {
	v, _ := m[key].(string)
	return v
}

func (s *site) applicationCredential() {
	keystone := s.service(client.NewIdentityV3)
	result, _ := keystone.GetAuthResult().(tokens.CreateResult)
	user, err := result.ExtractUser()
	require.NoError(s, err)
	made, err := applicationcredentials.Create(s.Context(), keystone, user.ID,
		applicationcredentials.CreateOpts{Name: s.name}).Extract()
	require.NoError(s, err)
	gone := false
	remove := func() {
		if !gone {
			gone = true
			require.NoError(s, applicationcredentials.Delete(s.Context(), keystone, user.ID, made.ID).ExtractErr())
		}
	}
	defer remove()

	cred := map[string]any{
		"username": nil, "password": nil, "user_domain_name": nil,
		"application_credential_id": made.ID, "application_credential_secret": made.Secret,
	}
	c, err := s.connect(s.Vim, cred, nil)
	require.NoError(s, err)
	s.requireWorks(c)
	require.NoError(s, c.Logout(s.Context()))
	s.requireWorks(c)

	cred["application_credential_secret"] = "wrong-3f9c"
	_, err = s.connect(s.Vim, cred, nil)
	s.requireKind(lcm.KindDenied, err, "refused the credentials")

	remove()
	require.NoError(s, c.Logout(s.Context()), "what is not good any more needs no revocation")
	cred["application_credential_secret"] = made.Secret
	_, err = s.connect(s.Vim, cred, nil)
	s.requireKind(lcm.KindDenied, err, "refused the credentials")
}

func (s *site) renewal() {
	s.requireWorks(s.cloud)
	for range 2 {
		require.NoError(s, s.cloud.Logout(s.Context()))
		s.requireWorks(s.cloud)
	}
}

func (s *site) catalog() {
	require.Contains(s, s.cloud.Regions(), s.Vim.Regions[0])
	require.Contains(s, s.cloud.Regions(), s.Nowhere)
	for _, where := range []struct{ cred, extra map[string]any }{
		{map[string]any{"region": s.Vim.Regions[0]}, nil}, {nil, map[string]any{"region": s.Vim.Regions[0]}},
	} {
		vim := s.Vim
		vim.Regions = []string{s.Nowhere} // the credentials and extras of a registration take precedence
		c, err := s.connect(vim, where.cred, where.extra)
		require.NoError(s, err)
		s.requireWorks(c)
	}
	c, err := s.connect(s.Vim, map[string]any{"region": s.Nowhere}, nil)
	require.NoError(s, err)
	_, err = c.Inventory(s.Context(), s.name)
	s.requireKind(lcm.KindUnavailable, err, "did not answer", "connection refused")

	_, err = s.connect(s.Vim, nil, map[string]any{"region": "RegionUnknown"})
	s.requireKind(lcm.KindInvalid, err, `region "RegionUnknown"`, s.Vim.Regions[0]+" public")
	_, err = s.connect(s.Vim, nil, map[string]any{"interface": "backdoor"})
	s.requireKind(lcm.KindInvalid, err, `interface "backdoor"`, s.Vim.Regions[0]+" internal")

	// A client that does not know the private authority can use only the internal endpoints.
	plain := s.Vim
	plain.AuthURL = s.PlainAuthURL
	c, err = s.connect(plain, map[string]any{"ca_cert": nil}, map[string]any{"interface": "internal"})
	require.NoError(s, err)
	s.requireWorks(c)
	c, err = s.connect(plain, map[string]any{"ca_cert": nil}, map[string]any{"interface": "public"})
	require.NoError(s, err)
	_, err = c.Inventory(s.Context(), s.name)
	s.requireKind(lcm.KindInvalid, err, "certificate", "ca_cert")
}

func (s *site) privateAuthority() {
	_, err := s.connect(s.Vim, map[string]any{"ca_cert": nil}, nil)
	s.requireKind(lcm.KindInvalid, err, "certificate", "ca_cert")
	_, err = s.connect(s.Vim, map[string]any{"ca_cert": "no certificate"}, nil)
	s.requireKind(lcm.KindInvalid, err, "ca_cert")
	for _, v := range []any{"False", false} {
		c, err := s.connect(s.Vim, map[string]any{"ca_cert": nil, "cert_verify": v}, nil)
		require.NoError(s, err)
		s.requireWorks(c)
	}
	plain := s.Vim
	plain.AuthURL = "https" + s.PlainAuthURL[len("http"):]
	_, err = s.connect(plain, nil, nil) // some servers close the connection, some answer without TLS
	require.ErrorContains(s, err, "does not answer at "+plain.AuthURL)
}
