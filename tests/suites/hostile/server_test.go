package hostile

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
)

// api is an API server that listens on this host.
type api struct {
	*testing.T
	address string
	store   *store.Store
	// open is the number of its open connections.
	open *atomic.Int64
}

// serve runs an API server on a database of its own.
func serve(t *testing.T, change func(*apiserver.Options)) *api {
	t.Helper()
	return serveOn(t, pgtest.URL(t), change)
}

// serveOn runs an API server on that database.
func serveOn(t *testing.T, database string, change func(*apiserver.Options)) *api {
	t.Helper()
	db, err := store.Open(t.Context(), database)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	counted := &countedListener{Listener: listen(t, "127.0.0.1:0")}
	o := apiserver.Options{
		API: config.API{Endpoint: endpoint}, Listener: counted,
		Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db),
	}
	change(&o)
	server, err := apiserver.New(o)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	return &api{T: t, address: counted.Addr().String(), store: db, open: &counted.open}
}

// get requests a path with these headers, and returns the status.
func (a *api) get(ctx context.Context, path string, header http.Header) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+a.address+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header = header
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// countedListener counts open connections. Their send buffers are small, so that a client that does not read blocks the
// server soon.
type countedListener struct {
	net.Listener
	open atomic.Int64
}

func (l *countedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	_ = conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
	l.open.Add(1)
	return &countedConn{Conn: conn, open: &l.open}, nil
}

type countedConn struct {
	net.Conn
	open   *atomic.Int64
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}
