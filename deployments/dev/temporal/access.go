package main

import (
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
)

// access says who may call the frontend: by default whoever reaches it.
type access struct {
	// certFile and keyFile hold the frontend's certificate and its key; Temporal's own worker shows the same certificate.
	certFile, keyFile string
	// caFile holds the authority of that certificate and of those that clients must show.
	caFile string
	// apiKeyFile holds the API key that clients must have, "" for none.
	apiKeyFile string
}

func (a access) encrypted() bool { return a.certFile != "" }

func (a access) check() error {
	given := 0
	for _, file := range []string{a.certFile, a.keyFile, a.caFile} {
		if file != "" {
			given++
		}
	}
	if given%3 != 0 || a.apiKeyFile != "" && given == 0 {
		return errors.New("--tls-cert, --tls-key and --tls-ca need each other, and --api-key-file needs them")
	}
	return nil
}

// identity is the frontend's certificate and the name in it.
func (a access) identity() (tls.Certificate, string, error) {
	cert, err := tls.LoadX509KeyPair(a.certFile, a.keyFile)
	if err != nil {
		return cert, "", fmt.Errorf("read the certificate %s: %w", a.certFile, err)
	}
	if len(cert.Leaf.DNSNames) == 0 {
		return cert, "", fmt.Errorf("the certificate %s has no DNS name", a.certFile)
	}
	return cert, cert.Leaf.DNSNames[0], nil
}

// serverTLS is the TLS of the frontend and of Temporal's own worker, which calls it.
func (a access) serverTLS() (root config.RootTLS, err error) {
	if !a.encrypted() {
		return root, nil
	}
	_, name, err := a.identity()
	root.Frontend.Server = config.ServerTLS{
		CertFile: a.certFile, KeyFile: a.keyFile, ClientCAFiles: []string{a.caFile}, RequireClientAuth: true,
	}
	root.SystemWorker = config.WorkerTLS{
		CertFile: a.certFile, KeyFile: a.keyFile,
		Client: config.ClientTLS{ServerName: name, RootCAFiles: []string{a.caFile}},
	}
	return root, err
}

// clientTLS is the TLS with which this process itself calls the frontend, nil for none.
func (a access) clientTLS() (*tls.Config, error) {
	if !a.encrypted() {
		return nil, nil
	}
	cert, name, err := a.identity()
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(a.caFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s holds no certificate", a.caFile)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, RootCAs: roots, ServerName: name,
	}, nil
}

// uiTLS is clientTLS for the Web UI.
func (a access) uiTLS() uiconfig.TLS {
	if !a.encrypted() {
		return uiconfig.TLS{}
	}
	_, name, _ := a.identity() // it was read before
	return uiconfig.TLS{
		CaFile: a.caFile, CertFile: a.certFile, KeyFile: a.keyFile, EnableHostVerification: true, ServerName: name,
	}
}

// keyClaims makes whoever has the API key an administrator, and Temporal's own parts, which show the frontend's own
// certificate.
type keyClaims struct {
	key  string
	self string // the common name of that certificate
}

// claims returns nil if no API key is asked for.
func (a access) claims() (authorization.ClaimMapper, error) {
	if a.apiKeyFile == "" {
		return nil, nil
	}
	key, err := os.ReadFile(a.apiKeyFile)
	if err != nil {
		return nil, err
	}
	if len(strings.TrimSpace(string(key))) == 0 {
		return nil, fmt.Errorf("the file %s is empty", a.apiKeyFile)
	}
	cert, _, err := a.identity()
	if err != nil {
		return nil, err
	}
	return keyClaims{strings.TrimSpace(string(key)), cert.Leaf.Subject.CommonName}, nil
}

// GetClaims implements authorization.ClaimMapper.
func (k keyClaims) GetClaims(who *authorization.AuthInfo) (*authorization.Claims, error) {
	known := subtle.ConstantTimeCompare([]byte(who.AuthToken), []byte("Bearer "+k.key)) == 1
	own := who.TLSSubject != nil && k.self != "" && who.TLSSubject.CommonName == k.self
	if !known && !own {
		return nil, errors.New("the API key is missing or wrong")
	}
	return &authorization.Claims{System: authorization.RoleAdmin}, nil
}
