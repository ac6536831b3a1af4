package access

import (
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/certtest"
)

// authority issues the certificates of the server and of clients.
type authority struct {
	*testing.T
	*certtest.Authority
	dir string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	return &authority{t, certtest.New(t, "authority"), t.TempDir()}
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// issue writes NAME.pem and NAME.key. The certificate has that serial number.
func (a *authority) issue(name string, serial int64) {
	a.Helper()
	a.Write(a.dir, name, func(c *x509.Certificate) { c.SerialNumber = big.NewInt(serial) })
}

// client returns a client that trusts the authority. It shows the certificate of that name, or none for "". Each
// request opens a connection.
func (a *authority) client(name string) *http.Client {
	a.Helper()
	conf := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: a.Pool()}
	if name != "" {
		cert, err := tls.LoadX509KeyPair(a.file(name+".pem"), a.file(name+".key"))
		require.NoError(a, err)
		conf.Certificates = []tls.Certificate{cert}
	}
	return &http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: conf, DisableKeepAlives: true}}
}
