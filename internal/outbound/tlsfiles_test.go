package outbound_test

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/certtest"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// certificate makes a certificate of loopback, with an authority of its own.
func certificate(t *testing.T) (pair tls.Certificate, authority, cert, key []byte) {
	t.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	of := certtest.New(t, "authority")
	cert, key = of.Issue(func(c *x509.Certificate) { c.SerialNumber = serial })
	pair, err = tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	return pair, of.PEM, cert, key
}

// server shows the pair, and wants a certificate of its client.
func server(t *testing.T, pair tls.Certificate) (url string, shown func() *big.Int) {
	t.Helper()
	var last *big.Int
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		last = r.TLS.PeerCertificates[0].SerialNumber
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAnyClientCert}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, func() *big.Int { return last }
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, content, 0o600))
}

func TestTLSFiles_areReadAgainWhenTheyChange(t *testing.T) {
	t.Parallel()
	dir, said := t.TempDir(), bytes.Buffer{}
	files := &outbound.TLSFiles{
		Section: "nfvo", CAFile: filepath.Join(dir, "ca"), CertFile: filepath.Join(dir, "cert"),
		KeyFile: filepath.Join(dir, "key"), Log: slog.New(slog.NewTextHandler(&said, nil)),
	}
	require.ErrorContains(t, files.Load(), "of nfvo.caFile cannot be read")
	ours, _, cert, key := certificate(t)
	before, authority, _, _ := certificate(t)
	write(t, files.CAFile, authority)
	write(t, files.CertFile, cert)
	write(t, files.KeyFile, key)
	require.NoError(t, files.Load())
	require.Same(t, files.Current(), files.Current())

	client := &http.Client{Transport: outbound.Renewed(files.Current, func(c *tls.Config) *http.Transport {
		return &http.Transport{TLSClientConfig: c}
	})}
	get := func(url string) error {
		resp, err := client.Get(url) //nolint:noctx // a test
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	old, shown := server(t, before)
	require.NoError(t, get(old))
	require.Equal(t, ours.Leaf.SerialNumber, shown())

	after, authority, _, _ := certificate(t)
	renewed, shown := server(t, after)
	require.Error(t, get(renewed), "its authority is unknown")
	write(t, files.CAFile, []byte("half of a file"))
	require.Eventually(t, func() bool {
		require.NoError(t, get(old), "files that cannot be used change nothing")
		return strings.Contains(said.String(), "New TLS files not used")
	}, time.Minute, 50*time.Millisecond)
	require.NoError(t, get(old))
	write(t, files.CAFile, authority)
	ours, _, cert, key = certificate(t)
	write(t, files.CertFile, cert)
	write(t, files.KeyFile, key)
	require.Eventually(t, func() bool { return get(renewed) == nil }, time.Minute, 50*time.Millisecond)
	require.Equal(t, ours.Leaf.SerialNumber, shown())
	require.Error(t, get(old), "nobody trusts the former authority, not even over an open connection")
}
