package grants

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// withVault returns a Grants on the database at url.
func withVault(t *testing.T, url string) *Grants {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	vault := secrets.NewVault(secretstest.Keyring(t), db)
	return &Grants{Operations: &operations.Resolver{Store: db, Vault: vault}, Vault: vault}
}
