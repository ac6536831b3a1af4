// Package openstack drives OpenStack: stacks through Heat, and what Heat does not tell (addresses,
// hypervisors) through Neutron and Nova. It speaks lcm types and lcm.Error; gophercloud stops here.
package openstack

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// callTimeout bounds one HTTP call; what takes longer in OpenStack is asynchronous there.
const callTimeout = 60 * time.Second

// Cloud is one project of an OpenStack, authenticated. It renews its token by itself and may be used by
// many goroutines.
type Cloud struct {
	identity string
	heat     *gophercloud.ServiceClient
	network  *gophercloud.ServiceClient
	compute  *gophercloud.ServiceClient
	volume   *gophercloud.ServiceClient // nil when the cloud has no Cinder
}

// Connect authenticates at the VIM's Keystone. cred are the opened credentials of /v1.0/vims: username,
// password, user_domain_name, project_domain_name, or application_credential_id and _secret; cert_verify
// "False" turns off TLS verification and ca_cert is a PEM bundle.
//
// Errors: Denied for wrong credentials, Unavailable when Keystone does not answer, Invalid when a service
// is missing in the catalog.
func Connect(ctx context.Context, vim lcm.Vim, cred map[string]any) (*Cloud, error) {
	provider, err := openstack.NewClient(vim.AuthURL)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The VIM %s has an auth_url that is no URL: %s.", vim.Name, vim.AuthURL)
	}
	if provider.HTTPClient, err = httpClient(cred); err != nil {
		return nil, err
	}
	if err := openstack.Authenticate(ctx, provider, authOptions(vim, cred)); err != nil {
		return nil, authError(vim, err)
	}
	where := gophercloud.EndpointOpts{Availability: gophercloud.AvailabilityPublic}
	if len(vim.Regions) > 0 {
		where.Region = vim.Regions[0]
	}
	if v := text(vim.Extra, "interface"); v != "" {
		where.Availability = gophercloud.Availability(v)
	}
	return catalog(provider, vim, where)
}

func catalog(provider *gophercloud.ProviderClient, vim lcm.Vim, where gophercloud.EndpointOpts) (*Cloud, error) {
	c := &Cloud{identity: vim.AuthURL}
	for _, service := range []struct {
		name string
		to   **gophercloud.ServiceClient
		open func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error)
	}{
		{"orchestration (Heat)", &c.heat, openstack.NewOrchestrationV1},
		{"network (Neutron)", &c.network, openstack.NewNetworkV2},
		{"compute (Nova)", &c.compute, openstack.NewComputeV2},
	} {
		client, err := service.open(provider, where)
		if err != nil {
			return nil, lcm.Wrap(lcm.KindInvalid, err, "The catalog of VIM %s has no %s endpoint in region %q with interface %q.",
				vim.Name, service.name, where.Region, where.Availability)
		}
		*service.to = client
	}
	if volume, err := openstack.NewBlockStorageV3(provider, where); err == nil {
		c.volume = volume
	}
	return c, nil
}

func authOptions(vim lcm.Vim, cred map[string]any) gophercloud.AuthOptions {
	opts := gophercloud.AuthOptions{IdentityEndpoint: vim.AuthURL, AllowReauth: true}
	if id := text(cred, "application_credential_id"); id != "" {
		opts.ApplicationCredentialID, opts.ApplicationCredentialSecret = id, text(cred, "application_credential_secret")
		return opts
	}
	opts.Username, opts.UserID, opts.Password = text(cred, "username"), text(cred, "user_id"), text(cred, "password")
	if opts.UserID == "" {
		opts.DomainName, opts.DomainID = text(cred, "user_domain_name"), text(cred, "user_domain_id")
		if opts.DomainName == "" && opts.DomainID == "" {
			opts.DomainName = "Default"
		}
	}
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
	case scope.DomainName == "" && scope.DomainID == "":
		scope.DomainName = "Default"
	}
	opts.Scope = scope
	return opts
}

func httpClient(cred map[string]any) (http.Client, error) {
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
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = config
	transport.MaxIdleConnsPerHost = 16
	return http.Client{Transport: transport, Timeout: callTimeout}, nil
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
