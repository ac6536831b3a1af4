package auth_test

import (
	"crypto/x509"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func withURI(t *testing.T, uri string) func(*x509.Certificate) {
	u, err := url.Parse(uri)
	require.NoError(t, err)
	return func(c *x509.Certificate) { c.URIs = []*url.URL{u} }
}

func write(t *testing.T, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}
