package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// sealed reads every sealed secret out of Windlass's database.
func (b *bed) sealed(t *testing.T) []lcm.SealedSecret {
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
