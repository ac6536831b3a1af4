package operations

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/onboard"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// withVault returns a Resolver on the database at url.
func withVault(t *testing.T, url string) *Resolver {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return &Resolver{Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db)}
}

// onboarded onboards the package of a directory.
func onboarded(t *testing.T, o *Resolver, dir string) lcm.VnfPkgID {
	t.Helper()
	var archive bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &archive))
	id := lcm.VnfPkgID(uuid.NewString())
	require.NoError(t, o.Store.CreatePackage(lcm.InProject(t.Context(), lcm.DefaultProject),
		lcm.VnfPkg{ID: id, OnboardingState: lcm.PkgUploading, OperationalState: lcm.PkgDisabled}))
	pkg, err := o.Store.Package(t.Context(), id)
	require.NoError(t, err)
	require.NoError(t, (&onboard.Onboarder{Store: o.Store}).Take(t.Context(), &pkg, &archive))
	return id
}
