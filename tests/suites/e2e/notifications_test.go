package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// subscriberPassword is a secret: the tests check that it appears nowhere else.
const subscriberPassword = "Pa55-of-the-subscriber-4c1e"

// subscriber is an NFVO that records its notifications. While it is away, it refuses them.
type subscriber struct {
	*httptest.Server
	mu     sync.Mutex
	away   bool
	heard  []map[string]any
	missed int
}

func newSubscriber(t *testing.T) *subscriber {
	s := &subscriber{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *subscriber) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user, password, _ := r.BasicAuth()
	switch {
	case user != "windlass" || password != subscriberPassword:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case s.away:
		s.missed++
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case r.Method == http.MethodPost:
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.heard = append(s.heard, body)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *subscriber) set(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}

// told returns the notifications in their order, without duplicates: a notification that arrives when a worker dies may
// be sent again, with the same id.
func (s *subscriber) told() (summary, ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.heard {
		id := n["id"].(string)
		if slices.Contains(ids, id) {
			continue
		}
		text := strings.TrimSuffix(strings.TrimPrefix(n["notificationType"].(string), "Vnf"), "Notification")
		if state, ok := n["operationState"].(string); ok {
			text = n["notificationStatus"].(string) + " " + n["operation"].(string) + " " + state
		}
		ids, summary = append(ids, id), append(summary, text)
	}
	return summary, ids
}

func (s *subscriber) attempts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missed
}

// subscribe makes a subscription, and returns its path.
func (b *bed) subscribe(t *testing.T, root string, s *subscriber) string {
	t.Helper()
	a := b.Call(t, http.MethodPost, root+"/subscriptions", map[string]any{
		"callbackUri": s.URL + root, "authentication": map[string]any{
			"authType": []string{"BASIC"}, "paramsBasic": map[string]any{"userName": "windlass", "password": subscriberPassword},
		},
	})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	require.NotContains(t, string(a.Body), subscriberPassword)
	return strings.TrimPrefix(a.Header.Get("Location"), b.URL)
}

// notificationsArrive checks that two subscribers get all notifications in order, although one is away at first and the
// worker is killed.
func notificationsArrive(t *testing.T, b *bed) {
	present, absent := newSubscriber(t), newSubscriber(t)
	first, second := b.subscribe(t, "/vnflcm/v1", present), b.subscribe(t, "/vnflcm/v1", absent)
	absent.set(true)
	b.Pace(t, 0, 300*time.Millisecond)
	vnf, op := b.Instantiate(t, "notified", nil)
	b.AwaitNode(t, op, "Prepare every node", "RUNNING")
	b.KillWorker(t)
	b.Pace(t, 0, 0)
	b.Await(t, op, 2*quick, "COMPLETED")
	require.Eventually(t, func() bool { return absent.attempts() > 1 }, 2*quick, 100*time.Millisecond, "nobody tried")
	heard, _ := absent.told()
	require.Empty(t, heard, "an absent subscriber does not hold the operation up")
	absent.set(false)
	b.terminate(t, vnf)

	want := []string{
		"IdentifierCreation", "START INSTANTIATE STARTING", "START INSTANTIATE PROCESSING", "RESULT INSTANTIATE COMPLETED",
		"START TERMINATE STARTING", "START TERMINATE PROCESSING", "RESULT TERMINATE COMPLETED", "IdentifierDeletion",
	}
	for _, s := range []*subscriber{present, absent} {
		require.Eventually(t, func() bool { heard, _ := s.told(); return len(heard) >= len(want) }, 2*quick,
			100*time.Millisecond)
		heard, _ := s.told()
		require.Equal(t, want, heard)
	}
	_, ids1 := present.told()
	_, ids2 := absent.told()
	require.Equal(t, ids1, ids2, "an event has one id")
	require.Equal(t, first, strings.TrimPrefix(present.heard[0]["_links"].(map[string]any)["subscription"].(map[string]any)["href"].(string), b.URL))
	letters, err := b.Windlass(t.Context(), "subscription", "dead-letters", "-o", "name").CombinedOutput()
	require.NoError(t, err, "%s", letters)
	require.Empty(t, string(letters))
	b.recordWorkflow(t, lcm.DeliverWorkflowID(lcm.SubscriptionID(filepath.Base(second))), "deliver")
	for _, path := range []string{first, second} {
		out, err := b.Windlass(t.Context(), "subscription", "delete", filepath.Base(path)).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, http.StatusNotFound, b.Call(t, http.MethodGet, path, nil).Status)
	}
}
