package testbed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

// Unsealed decrypts every sealed secret with the key file, as Windlass does. It leaves out short ones, which would
// occur in other data by chance.
func (b *Bed) Unsealed(t testing.TB) map[string]string {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	keys, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: info.KeyFile})
	require.NoError(t, err)
	out := map[string]string{}
	for _, s := range b.sealed(t) {
		clear, err := keys.Open(s.Ref, s.KeyID, s.Sealed)
		require.NoError(t, err)
		if len(clear) >= 8 {
			out[string(s.Ref)] = string(clear)
		}
	}
	return out
}

// sealed reads every sealed secret from Windlass's database.
func (b *Bed) sealed(t testing.TB) []lcm.SealedSecret {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	s, err := store.Open(t.Context(), info.DatabaseURL)
	require.NoError(t, err)
	defer s.Close()
	var out []lcm.SealedSecret
	for secret, err := range s.AllSealed(t.Context()) {
		require.NoError(t, err)
		out = append(out, secret)
	}
	return out
}
