package environment

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"path/filepath"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
)

// Cloud is an OpenStack in which Windlass makes its VNFs.
type Cloud interface {
	// Up starts the cloud and waits until it answers. If it runs already, Up does not change it.
	Up(ctx context.Context, site Site) error
	// Down removes the cloud completely, if it belongs to the environment.
	Down(ctx context.Context, site Site) error
	// Login returns how to log in to the cloud, once it is up.
	Login() Login
	// Adapt changes a decoded request of the sample package for this cloud.
	Adapt(request map[string]any)
}

// Site says where a cloud is started.
type Site struct {
	Root string // the checkout
	Dir  string // for state
	Out  io.Writer
}

// Bin returns the path of a built binary.
func (s Site) Bin(name string) string { return filepath.Join(s.Root, "bin", name) }

// Login says how a user of a project logs in.
type Login struct {
	AuthURL                string
	User, Password, Domain string
	Project, ProjectDomain string
	Region                 string // "" if there is only one
	CACert                 string // PEM of a private authority; "" without TLS
	SSHPort                string // of the servers; "" is 22
}

// Config returns the login in the form of the file for `windlass vim register`, which is also the form of Tacker's
// client.
func (l Login) Config() map[string]any {
	config := l.credentials()
	config["type"], config["auth_url"] = "openstack", l.AuthURL
	config["project_name"], config["project_domain_name"] = l.Project, l.ProjectDomain
	config["extra"] = l.extra()
	return config
}

// Vim returns the body of a request that registers the cloud as the default VIM.
func (l Login) Vim(name string) map[string]any {
	return map[string]any{"vim": map[string]any{
		"name": name, "type": "openstack", "auth_url": l.AuthURL, "is_default": true, "auth_cred": l.credentials(),
		"extra": l.extra(), "vim_project": map[string]any{"name": l.Project, "project_domain_name": l.ProjectDomain},
	}}
}

func (l Login) credentials() map[string]any {
	cred := map[string]any{"username": l.User, "password": l.Password, "user_domain_name": l.Domain, "cert_verify": "True"}
	if l.CACert != "" {
		cred["ca_cert"] = l.CACert
	}
	return cred
}

func (l Login) extra() map[string]any {
	extra := map[string]any{}
	if l.SSHPort != "" {
		extra["ssh_port"] = l.SSHPort
	}
	if l.Region != "" {
		extra["region"] = l.Region
	}
	return extra
}

// Client logs in, for tests that need OpenStack's own API.
func (l Login) Client(ctx context.Context) (*gophercloud.ProviderClient, error) {
	provider, err := openstack.NewClient(l.AuthURL)
	if err != nil {
		return nil, err
	}
	if l.CACert != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(l.CACert)) {
			return nil, errors.New("the cloud's CA certificate is not readable")
		}
		provider.HTTPClient = http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}}}
	}
	return provider, openstack.Authenticate(ctx, provider, gophercloud.AuthOptions{
		IdentityEndpoint: l.AuthURL, Username: l.User, Password: l.Password, DomainName: l.Domain, AllowReauth: true,
		Scope: &gophercloud.AuthScope{ProjectName: l.Project, DomainName: l.ProjectDomain},
	})
}

// Endpoint returns the options that select the cloud's endpoints in its catalog.
func (l Login) Endpoint() gophercloud.EndpointOpts { return gophercloud.EndpointOpts{Region: l.Region} }
