package onboard_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/onboard"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

const password = "s3cr3t-of-the-source"

// bench is a fetcher, and a source with the sample package at /sample.zip.
type bench struct {
	*onboard.Fetcher
	source string
	asked  int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	db, err := store.Open(t.Context(), pgtest.URL(t))
	require.NoError(t, err)
	t.Cleanup(db.Close)
	var sample bytes.Buffer
	require.NoError(t, vnfpkg.Build("../../vnfpkg/samples/k8s-ha", &sample))
	b := &bench{Fetcher: &onboard.Fetcher{
		Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db), Sources: nfvo.NewFetcher(nfvo.FetcherOptions{}),
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked++
		if _, secret, _ := r.BasicAuth(); secret != password {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path == "/sample.zip" {
			_, _ = w.Write(sample.Bytes())
			return
		}
		_, _ = w.Write([]byte("no archive"))
	}))
	t.Cleanup(server.Close)
	b.source = server.URL
	return b
}

// waiting creates a package whose archive must be fetched from the path.
func (b *bench) waiting(t *testing.T, path string) lcm.VnfPkgID {
	t.Helper()
	id := lcm.VnfPkgID(uuid.NewString())
	doc, err := json.Marshal(lcm.PkgSource{AddressInformation: b.source + path, UserName: "u", Password: password})
	require.NoError(t, err)
	sealed, err := secrets.SealDocument(t.Context(), b.Vault, lcm.PkgSecrets(id), doc)
	require.NoError(t, err)
	require.NoError(t, b.Store.CreatePackage(lcm.InProject(t.Context(), lcm.DefaultProject), lcm.VnfPkg{
		ID: id, OnboardingState: lcm.PkgUploading, OperationalState: lcm.PkgDisabled, Source: sealed,
		UserDefinedData: map[string]any{"a": "b"},
	}))
	return id
}

func TestFetch_takesThePackageOnBoardOnce(t *testing.T) {
	b := newBench(t)
	id := b.waiting(t, "/sample.zip")
	for range 2 { // a repetition is possible after a lost answer
		require.NoError(t, b.Fetch(t.Context(), id))
	}
	require.Equal(t, 1, b.asked)
	pkg, err := b.Store.Package(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, lcm.PkgOnboarded, pkg.OnboardingState)
	require.Equal(t, lcm.PkgEnabled, pkg.OperationalState)
	require.Empty(t, pkg.Source)
	require.NotEmpty(t, pkg.Artifacts)
	require.Equal(t, map[string]any{"a": "b"}, pkg.UserDefinedData)
	for secret, err := range b.Store.AllSealed(t.Context()) {
		require.NoError(t, err)
		require.Fail(t, "it is kept although nobody needs it any more", string(secret.Ref))
	}
	require.NoError(t, b.GiveUp(t.Context(), id, lcm.Errorf(lcm.KindInvalid, "too late")))
	pkg, err = b.Store.Package(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, lcm.PkgOnboarded, pkg.OnboardingState)
}

func TestFetch_goesOnWhereAnotherAttemptDied(t *testing.T) {
	b := newBench(t)
	id := b.waiting(t, "/sample.zip")
	pkg, err := b.Store.Package(t.Context(), id)
	require.NoError(t, err)
	pkg.OnboardingState = lcm.PkgProcessing
	require.NoError(t, b.Store.UpdatePackage(t.Context(), pkg))
	require.NoError(t, b.Fetch(t.Context(), id))
	pkg, err = b.Store.Package(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, lcm.PkgOnboarded, pkg.OnboardingState)
}

func TestGiveUp_makesThePackageCreatedAgain(t *testing.T) {
	b := newBench(t)
	id := b.waiting(t, "/other")
	err := b.Fetch(t.Context(), id)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	for range 2 {
		require.NoError(t, b.GiveUp(t.Context(), id, lcm.Errorf(lcm.KindInvalid, "it is no archive")))
	}
	pkg, err := b.Store.Package(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, lcm.PkgCreated, pkg.OnboardingState)
	require.Equal(t, "it is no archive", pkg.Error.Detail)
	require.Empty(t, pkg.Source)
	ids, err := b.Store.ToFetch(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
	require.NoError(t, b.Fetch(t.Context(), "absent"), "a package that was deleted meanwhile")
}
