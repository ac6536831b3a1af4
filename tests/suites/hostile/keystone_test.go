package hostile

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/auth"
)

// keystone knows the token "good". While held is locked, it does not answer requests to validate a token.
type keystone struct {
	*httptest.Server
	asked, under, most atomic.Int64
	held               sync.RWMutex
}

func newKeystone(t *testing.T) *keystone {
	t.Helper()
	k := &keystone{}
	k.Server = httptest.NewServer(k)
	t.Cleanup(k.Close)
	return k
}

func (k *keystone) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		w.Header().Set("X-Subject-Token", "of-the-service")
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprint(w, `{"token": {"expires_at": "2099-01-01T00:00:00.000000Z"}}`)
		return
	}
	k.asked.Add(1)
	k.most.Store(max(k.most.Load(), k.under.Add(1)))
	defer k.under.Add(-1)
	k.held.RLock()
	defer k.held.RUnlock()
	if r.Header.Get("X-Subject-Token") != "good" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = fmt.Fprint(w, `{"token": {"expires_at": "2099-01-01T00:00:00.000000Z", "user": {"name": "u", "domain": {"name": "d"}},`+
		` "project": {"id": "p"}, "roles": [{"name": "reader"}]}}`)
}

func (k *keystone) server(t *testing.T) *api {
	t.Helper()
	return serve(t, func(o *apiserver.Options) {
		o.Auth = auth.Chain{&auth.Keystone{
			URL: k.URL + "/v3", Username: "windlass", Password: "p", UserDomain: "d", Project: "service", ProjectDomain: "d",
			ReadRoles: []string{"reader"}, HTTP: k.Client(),
		}}
	})
}

func with(token string) http.Header { return http.Header{"X-Auth-Token": {token}} }

const list = "/vnfpkgm/v1/vnf_packages"

// TestKeystone_isNotAskedForEveryRandomToken has one client that sends many made-up tokens at once, and one with a good
// token.
func TestKeystone_isNotAskedForEveryRandomToken(t *testing.T) {
	t.Parallel()
	k := newKeystone(t)
	a := k.server(t)
	status, err := a.get(t.Context(), list, with("good"))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	k.asked.Store(0)

	const made, atOnce, burst = 500, 100, 50
	began := time.Now()
	var answers sync.Map
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range made {
		all.Go(func() error {
			status, err := a.get(t.Context(), list, with(fmt.Sprint("random-", i)))
			n, _ := answers.LoadOrStore(status, new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
			return err
		})
	}
	require.NoError(t, all.Wait())
	refilled := int64(5*time.Since(began).Seconds()) + 1
	require.LessOrEqual(t, k.asked.Load(), burst+refilled, "an address has so many wrong ones")
	require.LessOrEqual(t, k.most.Load(), int64(32))
	refused, _ := answers.Load(http.StatusTooManyRequests)
	require.GreaterOrEqual(t, refused.(*atomic.Int64).Load(), made-burst-refilled)

	before := k.asked.Load()
	status, err = a.get(t.Context(), list, with("good"))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, "a token that is known is not held up")
	require.Equal(t, before, k.asked.Load())
}

// TestKeystone_isAskedOnceForAToken sends many requests with the same token, good or bad, before Keystone answers the
// first.
func TestKeystone_isAskedOnceForAToken(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]int{"good": http.StatusOK, "bad": http.StatusUnauthorized} {
		k := newKeystone(t)
		a := k.server(t)
		k.held.Lock()
		var all errgroup.Group
		for range 20 {
			all.Go(func() error {
				status, err := a.get(t.Context(), list, with(token))
				if err == nil && status != want {
					t.Errorf("%s: the answer is %d", token, status)
				}
				return err
			})
		}
		require.Eventually(t, func() bool { return k.asked.Load() == 1 }, soon, time.Millisecond)
		// A client that gives up does not have to wait for Keystone.
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := a.get(ctx, list, with(token))
		stop()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		k.held.Unlock()
		require.NoError(t, all.Wait())
		_, err = a.get(t.Context(), list, with(token))
		require.NoError(t, err)
		require.LessOrEqual(t, k.asked.Load(), int64(2), "%s: those that came late may have asked once more", token)
	}
}
