// Package certtest makes certificates for tests.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Authority issues certificates.
type Authority struct {
	// Cert is the authority's own certificate, PEM the same in its text form.
	Cert *x509.Certificate
	PEM  []byte

	t    testing.TB
	key  *ecdsa.PrivateKey
	last int64
}

// New makes an authority of that name.
func New(t testing.TB, name string) *Authority {
	t.Helper()
	a := &Authority{t: t, key: Key(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	require.NoError(t, err)
	a.Cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.PEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

// Key makes a private key.
func Key(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

// Named is a change for Issue: the certificate's common name.
func Named(name string) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.Subject.CommonName = name }
}

// Issue makes a certificate of a server on 127.0.0.1, which is also that of a client, with its key, both as PEM.
func (a *Authority) Issue(changes ...func(*x509.Certificate)) (cert, key []byte) {
	a.t.Helper()
	a.last++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.last + 1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	for _, change := range changes {
		change(template)
	}
	private := Key(a.t)
	der, err := x509.CreateCertificate(rand.Reader, template, a.Cert, private.Public(), a.key)
	require.NoError(a.t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(a.t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

// Pool trusts the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	return pool
}

// Write is Issue for that common name, into NAME.pem and NAME.key of a directory. CA.pem there is the authority.
func (a *Authority) Write(dir, name string, changes ...func(*x509.Certificate)) {
	a.t.Helper()
	cert, key := a.Issue(append([]func(*x509.Certificate){Named(name)}, changes...)...)
	for file, content := range map[string][]byte{name + ".pem": cert, name + ".key": key, "CA.pem": a.PEM} {
		require.NoError(a.t, os.WriteFile(filepath.Join(dir, file), content, 0o600))
	}
}
