// Package secretstest makes keys for tests.
package secretstest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/secrets"
)

// Keyring makes a keyring with a new key.
func Keyring(t testing.TB) *secrets.Keyring {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, secrets.GenerateKeyFile(t.Context(), file, nil))
	keys, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: file})
	require.NoError(t, err)
	return keys
}
