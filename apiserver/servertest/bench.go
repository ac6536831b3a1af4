// Package servertest starts a whole API server for tests: a real database, and fakes for Temporal and VIMs. The tests
// of each family of the API use it from outside of their package (vnflcm_test), because the server imports all families.
package servertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
)

// Endpoint differs from the test server's address, because links must use endpoint and never the Host header.
const Endpoint = "https://vnfm.example:9890"

// Marker is part of every secret that the tests send. No answer and no log line may contain it.
const Marker = "s3cr3t"

// answers are the examples that the tests of this package have seen.
var answers apitest.Examples

// Main runs the tests of a package, and returns the exit code. It stops their database, and keeps the examples of
// answers if the flag -examples is set.
func Main(m *testing.M) int {
	code := pgtest.Run(m)
	if code == 0 {
		if err := answers.Keep(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// Bench is an API server with a real database. Its workflows and VIMs are fakes that record the calls.
type Bench struct {
	testing.TB
	Server *apiserver.Server
	HTTP   *httptest.Server
	Store  *store.Store
	// DatabaseURL is the URL of the store's database.
	DatabaseURL string
	Vault       *secrets.Vault
	Starter     *Starter
	Vims        *Vims
	// Client is a header of every request that does not have this header itself.
	Client string
	// Logged is what the server has logged.
	Logged   *Log
	mu       sync.Mutex
	answered bytes.Buffer
}

// New starts an API server with a database of its own until the test ends.
func New(t testing.TB, change ...func(*apiserver.Options)) *Bench {
	t.Helper()
	b := stored(t)
	b.start(b.Store, change)
	return b
}

// NewLosing starts an API server that reaches its database through a proxy, which can lose the answer to a commit.
func NewLosing(t testing.TB, change ...func(*apiserver.Options)) (*Bench, *pgtest.Losing) {
	t.Helper()
	b := stored(t)
	way := pgtest.NewLosing(t, b.DatabaseURL)
	b.start(openStore(t, way.URL), change)
	return b, way
}

// stored returns a bench that has a database, but no server yet.
func stored(t testing.TB) *Bench {
	t.Helper()
	databaseURL := pgtest.URL(t)
	db := openStore(t, databaseURL)
	return &Bench{
		TB: t, DatabaseURL: databaseURL, Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db),
		Vims: &Vims{}, Logged: &Log{}, Starter: &Starter{store: db},
	}
}

func openStore(t testing.TB, databaseURL string) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// start starts the server with a store. It checks at the end of the test that no answer and no log line has a secret.
func (b *Bench) start(db *store.Store, change []func(*apiserver.Options)) {
	b.Helper()
	o := apiserver.Options{
		API: config.API{Endpoint: Endpoint}, Notifications: config.Notifications{TestCallback: true},
		Store: db, Vault: b.Vault, Starter: b.Starter, Vims: b.Vims, Version: "1.2.3",
		PodNetwork: true, // as of Tacker's packages, some samples have none
		Log:        b.logger(),
	}
	for _, c := range change {
		c(&o)
	}
	var err error
	b.Server, err = apiserver.New(o)
	require.NoError(b, err)
	b.HTTP = httptest.NewServer(apitest.Watch(b.Server, &answers, func(err error) { b.Error(err) }))
	b.Cleanup(func() {
		b.HTTP.Close()
		require.NotContains(b, b.answered.String(), Marker, "a secret is in an answer")
		require.NotContains(b, b.Logged.String(), Marker, "a secret is in the log")
	})
}

func (b *Bench) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(b.Logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Backend returns what the families of the API share, for tests that call a handler without the server.
func (b *Bench) Backend() *rest.Backend {
	return &rest.Backend{Store: b.Store, Vault: b.Vault, Log: b.logger(), Base: Endpoint}
}

// Do sends a request; headers are "Name: value". Bodies that are not strings or readers are sent as JSON.
func (b *Bench) Do(method, path string, body any, headers ...string) Answer {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.HTTP.URL+path, Reader(b.TB, body))
	require.NoError(b, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if strings.HasPrefix(path, "/vnflcm/v2") {
		req.Header.Set("Version", "2.0.0")
	}
	for _, h := range append([]string{b.Client}, headers...) {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Del(name)
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirects
	require.NoError(b, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	require.NoError(b, err)
	b.remember(resp.Header, got)
	return Answer{b.TB, resp.StatusCode, resp.Header, got}
}

func (b *Bench) remember(h http.Header, body []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = h.Write(&b.answered)
	b.answered.Write(body)
}

// Reader returns the body of a request: of a text as it is, of other values their JSON.
func Reader(t testing.TB, body any) io.Reader {
	switch body := body.(type) {
	case nil:
		return http.NoBody
	case string:
		return strings.NewReader(body)
	case io.Reader:
		return body
	}
	doc, err := json.Marshal(body)
	require.NoError(t, err)
	return bytes.NewReader(doc)
}
