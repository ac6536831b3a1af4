package kubernetes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// talkative is an API server that answers only requests for its kinds.
type talkative struct {
	url    string
	asked  atomic.Int32
	widget atomic.Bool // whether it has this kind
}

func newTalkative(t *testing.T) *talkative {
	t.Helper()
	api := &talkative{}
	mux := http.NewServeMux()
	answer := func(path, text string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, text)
		})
	}
	answer("/api", `{"kind":"APIVersions","versions":["v1"]}`)
	answer("/api/v1", `{"kind":"APIResourceList","groupVersion":"v1","resources":[
		{"name":"pods","kind":"Pod","namespaced":true,"verbs":["get","list"]}]}`)
	answer("/apis/example.org/v1", `{"kind":"APIResourceList","groupVersion":"example.org/v1","resources":[
		{"name":"widgets","kind":"Widget","namespaced":true,"verbs":["get"]}]}`)
	mux.HandleFunc("GET /apis", func(w http.ResponseWriter, _ *http.Request) {
		api.asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		groups := ""
		if api.widget.Load() {
			groups = `{"name":"example.org","versions":[{"groupVersion":"example.org/v1","version":"v1"}],
				"preferredVersion":{"groupVersion":"example.org/v1","version":"v1"}}`
		}
		fmt.Fprintf(w, `{"kind":"APIGroupList","groups":[%s]}`, groups)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	api.url = server.URL
	return api
}

func (api *talkative) connect(t *testing.T, by *Connector, cred map[string]any) *Connection {
	t.Helper()
	c, err := by.Connect(lcm.Vim{Name: "cluster", Type: lcm.VimKubernetes, AuthURL: api.url}, cred)
	require.NoError(t, err)
	return c
}

var (
	podKind    = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	widgetKind = schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Widget"}
)

func TestConnector_asksOnceForTheKindsOfACluster(t *testing.T) {
	t.Parallel()
	api, by := newTalkative(t), &Connector{}
	var all sync.WaitGroup
	for range 10 {
		c := api.connect(t, by, map[string]any{"bearer_token": "one", "ssl_ca_cert": "None"})
		all.Go(func() {
			_, verbs, err := c.kindOf(t.Context(), podKind, time.Now())
			assert.NoError(t, err)
			assert.Contains(t, verbs, "list")
		})
	}
	all.Wait()
	require.EqualValues(t, 1, api.asked.Load())
	ca, _ := certificate(t, "authority")
	for n, other := range []map[string]any{
		{"bearer_token": "two", "ssl_ca_cert": "None"}, // may see other kinds
		{"bearer_token": "one", "ssl_ca_cert": ca},     // trusts another server
	} {
		_, _, err := api.connect(t, by, other).kindOf(t.Context(), podKind, time.Time{})
		require.NoError(t, err)
		require.EqualValues(t, n+2, api.asked.Load())
	}
}

func TestKindOf_asksAnewForAKindThatIsNew(t *testing.T) {
	t.Parallel()
	api := newTalkative(t)
	c := api.connect(t, &Connector{}, map[string]any{"bearer_token": "one"})
	began := time.Now()
	for range 3 {
		_, _, err := c.kindOf(t.Context(), widgetKind, began)
		require.True(t, meta.IsNoMatchError(err), "%v", err)
	}
	require.EqualValues(t, 1, api.asked.Load(), "what was said since is believed")
	api.widget.Store(true)
	_, _, err := c.kindOf(t.Context(), widgetKind, began)
	require.True(t, meta.IsNoMatchError(err), "%v", err)
	mapping, _, err := c.kindOf(t.Context(), widgetKind, time.Now())
	require.NoError(t, err)
	require.Equal(t, "widgets", mapping.Resource.Resource)
	require.EqualValues(t, 2, api.asked.Load())
}

func TestKindOf_asksAnewAfterSomeMinutes(t *testing.T) {
	t.Parallel()
	api := newTalkative(t)
	c := api.connect(t, &Connector{}, map[string]any{"bearer_token": "one"})
	for range 2 {
		_, _, err := c.kindOf(t.Context(), podKind, time.Time{})
		require.NoError(t, err)
		c.kinds.have.asked = c.kinds.have.asked.Add(-longestKnown)
	}
	require.EqualValues(t, 2, api.asked.Load())
}

func TestConnector_forgetsTheClusterThatWasNotAskedForTheLongest(t *testing.T) {
	t.Parallel()
	by := &Connector{}
	kindsOf := func(token int) *kinds {
		k, err := by.kindsOf(lcm.Vim{}, map[string]any{"bearer_token": token}, nil)
		require.NoError(t, err)
		return k
	}
	first, second := kindsOf(1), kindsOf(2)
	for n := range mostKnown - 2 {
		kindsOf(n + 3)
	}
	require.Same(t, first, kindsOf(1))
	kindsOf(0)
	require.Len(t, by.kinds, mostKnown)
	require.Same(t, first, kindsOf(1))
	require.NotSame(t, second, kindsOf(2))
}
