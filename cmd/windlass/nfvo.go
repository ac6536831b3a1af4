package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"

	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// orchestratorOf makes the client of the NFVO; nil when none is configured.
func (b *backends) orchestratorOf(cfg config.Config) (*nfvo.Orchestrator, error) {
	c := cfg.NFVO
	if c.Endpoint == "" {
		return nil, nil
	}
	conf, err := b.tlsOf("nfvo", c.CAFile, c.CertFile, c.KeyFile)
	if err != nil {
		return nil, err
	}
	auth, err := authenticationOf(c)
	if err != nil {
		return nil, err
	}
	return nfvo.NewOrchestrator(nfvo.OrchestratorOptions{
		Endpoint: c.Endpoint, Auth: auth, TLS: conf, Timeout: c.Timeout, Packages: c.Packages,
		MaxPackage: int64(cfg.API.MaxUploadMiB) << 20,
	}), nil
}

// authenticationOf is how Windlass authenticates to the NFVO, nil without a name.
func authenticationOf(c config.NFVO) (*lcm.SubscriptionAuthentication, error) {
	if c.ClientID == "" {
		return nil, nil
	}
	b, err := os.ReadFile(c.SecretFile)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The file %s of nfvo.secretFile cannot be read.", c.SecretFile)
	}
	secret := strings.TrimRight(string(b), "\r\n")
	if secret == "" {
		return nil, lcm.Errorf(lcm.KindInvalid, "The file %s of nfvo.secretFile is empty.", c.SecretFile)
	}
	a := &lcm.SubscriptionAuthentication{}
	if c.TokenEndpoint == "" {
		a.AuthType = []string{lcm.AuthBasic}
		a.ParamsBasic.UserName, a.ParamsBasic.Password = c.ClientID, secret
		return a, nil
	}
	a.AuthType = []string{lcm.AuthOauth2}
	a.ParamsOauth2.ClientID, a.ParamsOauth2.ClientPassword, a.ParamsOauth2.TokenEndpoint = c.ClientID, secret,
		c.TokenEndpoint
	return a, nil
}

// tlsOf reads the files of a section of the settings, and later their new versions: the authorities that Windlass trusts
// there, and the certificate that it shows.
func (b *backends) tlsOf(section, caFile, certFile, keyFile string) (func() *tls.Config, error) {
	files := &outbound.TLSFiles{Section: section, CAFile: caFile, CertFile: certFile, KeyFile: keyFile, Log: b.log}
	if err := files.Load(); err != nil {
		return nil, err
	}
	return files.Current, nil
}

// poolOf reads the authorities of a setting.
func poolOf(setting, file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The file %s of %s cannot be read.", file, setting)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, lcm.Errorf(lcm.KindInvalid, "The file %s of %s holds no certificate.", file, setting)
	}
	return pool, nil
}
