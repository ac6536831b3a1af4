package remotetest

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proxy is a TCP proxy that can lose its connections.
type Proxy struct {
	listener net.Listener
	to       string

	mu       sync.Mutex
	open     []net.Conn
	accepted int
	frozen   bool
}

// NewProxy forwards to an address until the test ends.
func NewProxy(t testing.TB, to string) *Proxy {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &Proxy{listener: listener, to: to}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		p.Cut()
		all.Wait()
	})
	return p
}

// Address returns the address where the proxy listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Accepted counts the connections so far.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Cut closes all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.open {
		_ = conn.Close()
	}
	p.open = nil
}

// Freeze makes the proxy accept connections and data, and answer nothing, like a machine that hangs.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = true
}

func (p *Proxy) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	up, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer func() { _ = up.Close() }()
	p.mu.Lock()
	p.open = append(p.open, conn, up)
	p.accepted++
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.copy(up, conn) })
	both.Go(func() { p.copy(conn, up) })
	both.Wait()
}

func (p *Proxy) copy(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		frozen := p.frozen
		p.mu.Unlock()
		if err == nil && !frozen {
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			if err == io.EOF || !frozen {
				_ = to.Close()
			}
			return
		}
	}
}
