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

// Cloud is an OpenStack that Windlass makes its VNFs in.
type Cloud interface {
	// Up brings it up and waits until it answers; what runs already is left as it is.
	Up(ctx context.Context, site Site) error
	// Down leaves nothing of a cloud that is the environment's own.
	Down(ctx context.Context, site Site) error
	// Login is how to log in to it once it is up.
	Login() Login
	// Adapt makes a decoded request of the sample package one for this cloud.
	Adapt(request map[string]any)
}

// Site is where a cloud is brought up.
type Site struct {
	Root string // the checkout
	Dir  string // for state
	Out  io.Writer
}

// Bin is a built binary.
func (s Site) Bin(name string) string { return filepath.Join(s.Root, "bin", name) }

// Login is how a user of one project logs in.
type Login struct {
	AuthURL                string
	User, Password, Domain string
	Project, ProjectDomain string
	Region                 string // "": the only one
	CACert                 string // PEM, of a private authority; "" without TLS
	SSHPort                string // of the servers; "" is 22
}

// Config is the login in the form of the file that `windlass vim register` takes, which is that of Tacker's client.
func (l Login) Config() map[string]any {
	config := l.credentials()
	config["type"], config["auth_url"] = "openstack", l.AuthURL
	config["project_name"], config["project_domain_name"] = l.Project, l.ProjectDomain
	config["extra"] = l.extra()
	return config
}

// Vim is the body of a request that registers the cloud as the default VIM.
func (l Login) Vim(name string) map[string]any {
	return map[string]any{"vim": map[string]any{
		"name": name, "type": "openstack", "auth_url": l.AuthURL, "is_default": true,
		"auth_cred": l.credentials(), "extra": l.extra(),
		"vim_project": map[string]any{"name": l.Project, "project_domain_name": l.ProjectDomain},
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

// Client logs in, to see and do what Windlass is not asked for.
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

// Endpoint chooses the cloud's endpoints in its catalog.
func (l Login) Endpoint() gophercloud.EndpointOpts { return gophercloud.EndpointOpts{Region: l.Region} }
