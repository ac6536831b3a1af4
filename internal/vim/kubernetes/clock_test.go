package kubernetes

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestIsNew_byTheClockOfTheCluster has different clocks of the cluster and of the worker. The wait must still see each
// new problem, and no problem from before.
func TestIsNew_byTheClockOfTheCluster(t *testing.T) {
	for _, ahead := range []time.Duration{0, -10 * time.Minute, 10 * time.Minute} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		}))
		c := &Connection{clock: &clock{next: http.DefaultTransport}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		answer, err := c.clock.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		server.Close()

		w := c.wait("owner", 0, func(string) {})
		seen := func(at time.Time) corev1.Event { return corev1.Event{LastTimestamp: metav1.NewTime(at.Add(ahead))} }
		require.True(t, w.isNew(seen(time.Now())), "%s", ahead)
		require.False(t, w.isNew(seen(time.Now().Add(-5*time.Second))), "%s", ahead)
	}
}
