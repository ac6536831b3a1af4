package apiserver_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/auth"
)

// expired is the last line of a stream whose client has credentials that have expired.
const expired = ": The credentials of this request have expired. Open the stream again with new ones and the " +
	"Last-Event-ID.\n\n"

// expiring authenticates every client; the credentials expire only for clients with the header X-Expiring.
type expiring struct{ after time.Duration }

func (e expiring) Authenticate(r *http.Request) (auth.Identity, error) {
	who := auth.Nobody
	if r.Header.Get("X-Expiring") != "" {
		who.Until = time.Now().Add(e.after)
	}
	return who, nil
}

func TestEventStreamEndsWithTheCredentials(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Auth = expiring{after: 300 * time.Millisecond} })
	opOcc := b.Began()
	got := b.Do("GET", servertest.ProgressOf(opOcc)+"/events", nil, "X-Expiring: yes")
	require.Equal(t, http.StatusOK, got.Status)
	body := string(got.Body)
	require.Contains(t, body, "event: step\n", "what had happened came before")
	require.True(t, strings.HasSuffix(body, expired), "the stream says why it ends: %s", body)

	req, err := http.NewRequestWithContext(
		t.Context(),
		http.MethodGet,
		b.HTTP.URL+servertest.ProgressOf(opOcc)+"/events",
		nil,
	)
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, resp.Body)
	}()
	select {
	case <-ended:
		t.Fatal("a stream ended although its credentials are good")
	case <-time.After(time.Second):
	}
}
