package hostile

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/auth"
)

// issuer publishes one key. While hangs is set, it does not answer.
type issuer struct {
	*httptest.Server
	key   *ecdsa.PrivateKey
	hangs atomic.Bool
	asked atomic.Int64
	// ahead is how far the clock that the API server uses is ahead.
	ahead atomic.Int64
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	i := &issuer{key: key}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.asked.Add(1)
		if i.hangs.Load() {
			<-r.Context().Done()
			return
		}
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{
			Key: key.Public(), KeyID: "known", Use: "sig", Algorithm: "ES256",
		}}})
	}))
	t.Cleanup(i.CloseClientConnections)
	return i
}

func (i *issuer) now() time.Time { return time.Now().Add(time.Duration(i.ahead.Load())) }

// bearer returns a header with a token that names this key as its signing key.
func (i *issuer) bearer(t *testing.T, key string) http.Header {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: i.key},
		(&jose.SignerOptions{}).WithHeader("kid", key))
	require.NoError(t, err)
	token, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": i.URL, "aud": "windlass", "exp": i.now().Add(24 * time.Hour).Unix(), "sub": "nfvo", "scope": "windlass:read",
		"project_id": "edge",
	}).Serialize()
	require.NoError(t, err)
	return http.Header{"Authorization": {"Bearer " + token}}
}

// TestIssuer_thatHangsStopsNobody uses an issuer that does not answer when the API server fetches its keys. Meanwhile
// some clients have tokens of a known key, and others send tokens of unknown keys.
func TestIssuer_thatHangsStopsNobody(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	a := serve(t, func(o *apiserver.Options) {
		o.Auth = auth.Chain{&auth.OAuth2{
			Issuer: i.URL, Audience: "windlass", ProjectClaim: "project_id", Now: i.now,
			Keys: &auth.KeySet{Issuer: i.URL, URL: i.URL, HTTP: i.Client(), Now: i.now},
		}}
	})
	const path = "/vnfpkgm/v1/vnf_packages"
	good := i.bearer(t, "known")
	status, err := a.get(t.Context(), path, good)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)

	i.hangs.Store(true)
	i.asked.Store(0)
	i.ahead.Store(int64(time.Hour)) // the API server must fetch the keys again
	var strangers errgroup.Group
	ctx, leave := context.WithCancel(t.Context())
	for range 20 {
		strangers.Go(func() error {
			_, _ = a.get(ctx, path, i.bearer(t, "unknown"))
			return nil
		})
	}
	require.Eventually(t, func() bool { return i.asked.Load() == 1 }, soon, time.Millisecond)
	// A request that waited for the issuer's timeout would take 5 s, and 50 that wait a moment each would take 50 s.
	began, slowest := time.Now(), time.Duration(0)
	for range 50 {
		asked := time.Now()
		status, err := a.get(t.Context(), path, good)
		slowest = max(slowest, time.Since(asked))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status, "the keys that are known are good meanwhile")
	}
	took := time.Since(began)
	require.Less(t, slowest, 4*time.Second, "nobody waits for the issuer's timeout")
	require.Less(t, took, 25*time.Second, "all clients share one short wait")
	require.LessOrEqual(t, i.asked.Load(), 1+int64(took/(5*time.Second)), "there is one fetch for all, until it has failed")

	// A client that closes its request does not wait further. The others are refused when the fetch has failed.
	leave()
	require.NoError(t, strangers.Wait())
	status, err = a.get(t.Context(), path, i.bearer(t, "unknown"))
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, status)
}

// TestIssuer_thatHangsFromTheBeginning uses an issuer that hangs before the API server has any keys.
func TestIssuer_thatHangsFromTheBeginning(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.hangs.Store(true)
	a := serve(t, func(o *apiserver.Options) {
		o.Auth = auth.Chain{&auth.OAuth2{
			Issuer: i.URL, Audience: "windlass", ProjectClaim: "project_id",
			Keys: &auth.KeySet{Issuer: i.URL, URL: i.URL, HTTP: i.Client()},
		}}
	})
	began := time.Now()
	var all errgroup.Group
	for range 20 {
		all.Go(func() error {
			status, err := a.get(t.Context(), "/vnfpkgm/v1/vnf_packages", i.bearer(t, "known"))
			if err == nil && status != http.StatusServiceUnavailable {
				t.Errorf("the answer is %d", status)
			}
			return err
		})
	}
	require.NoError(t, all.Wait())
	require.Less(t, time.Since(began), soon, "all wait for the same fetch, not one behind the other")
	require.EqualValues(t, 1, i.asked.Load())
}
