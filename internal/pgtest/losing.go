package pgtest

import (
	"bytes"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
)

// Losing is a proxy for a database that can lose the answer to a commit.
type Losing struct {
	URL   string
	armed atomic.Bool
	lost  atomic.Int64
}

// NewLosing starts a proxy for the database of a URL until the test ends.
func NewLosing(tb testing.TB, databaseURL string) *Losing {
	tb.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		tb.Fatal(err)
	}
	network, address := "tcp", u.Host
	query := u.Query()
	if dir := query.Get("host"); dir != "" { // the directory of a socket
		port := query.Get("port")
		if port == "" {
			port = "5432"
		}
		network, address = "unix", dir+"/.s.PGSQL."+port
		query.Del("host")
		query.Del("port")
	}
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = listener.Close() })
	query.Set("sslmode", "disable") // with TLS, the proxy could not read the messages
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	l := &Losing{URL: u.String()}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go l.serve(client, network, address)
		}
	}()
	return l
}

// LoseNext cuts the connection of the next commit after the commit has taken effect, but before the client gets the
// answer.
func (l *Losing) LoseNext() { l.armed.Store(true) }

// Lost returns how many answers were lost.
func (l *Losing) Lost() int { return int(l.lost.Load()) }

func (l *Losing) serve(client net.Conn, network, address string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial(network, address) //nolint:noctx // it ends with the client
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	var losing atomic.Bool
	go func() {
		l.answers(client, server, &losing)
		_, _ = client.Close(), server.Close()
	}()
	l.requests(client, server, &losing)
}

// answers forwards the server's answers. The first answer after the chosen commit shows that the commit has taken
// effect.
func (l *Losing) answers(client, server net.Conn, losing *atomic.Bool) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := server.Read(buffer)
		if err != nil {
			return
		}
		if losing.Load() {
			l.lost.Add(1)
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// requests forwards the client's requests. The driver sends a commit as a separate simple query.
func (l *Losing) requests(client, server net.Conn, losing *atomic.Bool) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if bytes.Contains(buffer[:n], []byte("commit\x00")) && l.armed.CompareAndSwap(true, false) {
			losing.Store(true)
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}
