package access

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority issues the certificates of the server and of clients.
type authority struct {
	*testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{T: t, dir: t.TempDir(), key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	require.NoError(t, err)
	a.cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.write("ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) write(name, kind string, der []byte) {
	a.Helper()
	require.NoError(a, os.WriteFile(a.file(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// issue writes NAME.pem and NAME.key. The certificate has that serial number.
func (a *authority) issue(name string, serial int64) {
	a.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{
			x509.ExtKeyUsageServerAuth,
			x509.ExtKeyUsageClientAuth,
		},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	private := newKey(a.T)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, private.Public(), a.key)
	require.NoError(a, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(a, err)
	a.write(name+".pem", "CERTIFICATE", der)
	a.write(name+".key", "PRIVATE KEY", pkcs8)
}

// client returns a client that trusts the authority. It shows the certificate of that name, or none for "". Each
// request opens a connection.
func (a *authority) client(name string) *http.Client {
	a.Helper()
	conf := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
	conf.RootCAs.AddCert(a.cert)
	if name != "" {
		cert, err := tls.LoadX509KeyPair(a.file(name+".pem"), a.file(name+".key"))
		require.NoError(a, err)
		conf.Certificates = []tls.Certificate{cert}
	}
	return &http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: conf, DisableKeepAlives: true}}
}
