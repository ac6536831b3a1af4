package auth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// metadataServer answers questions for its metadata with this status, after hold.
func metadataServer(t *testing.T, asked *atomic.Int64, status *atomic.Int64, hold <-chan struct{}) *httptest.Server {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		<-hold
		w.WriteHeader(int(status.Load()))
		_ = json.NewEncoder(w).Encode(endpoints{Issuer: s.URL, Authorization: s.URL + "/in", Token: s.URL + "/token"})
	}))
	t.Cleanup(s.Close)
	return s
}

func TestCodeFlow_asksTheIssuerOnceForAll(t *testing.T) {
	t.Parallel()
	var asked, status atomic.Int64
	status.Store(http.StatusServiceUnavailable)
	hold := make(chan struct{})
	s := metadataServer(t, &asked, &status, hold)
	f := &CodeFlow{Issuer: s.URL, ClientID: "page", RedirectURI: "https://here/ui/", HTTP: s.Client()}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			_, err := f.Authorization(t.Context())
			assert.ErrorContains(t, err, "does not say where to log in")
		})
	}
	require.Eventually(t, func() bool { return asked.Load() == 1 }, time.Minute, time.Millisecond)
	close(hold)
	all.Wait()
	require.EqualValues(t, 1, asked.Load(), "also those who come just after the failure are told of it")

	status.Store(http.StatusOK)
	require.Eventually(t, func() bool {
		to, err := f.Authorization(t.Context())
		return err == nil && assert.Contains(t, to, s.URL+"/in?")
	}, time.Minute, 50*time.Millisecond, "it is asked again later")
	_, err := f.Authorization(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, asked.Load())
}
