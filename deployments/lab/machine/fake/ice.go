package fake

import (
	"context"
	"net"
	"sync"
)

// ice blocks all activity on a machine while it is frozen.
type ice struct {
	mu     sync.Mutex
	melted chan struct{} // closed while not frozen
}

func newIce() *ice {
	i := &ice{melted: make(chan struct{})}
	close(i.melted)
	return i
}

func (i *ice) freeze() {
	i.mu.Lock()
	defer i.mu.Unlock()
	select {
	case <-i.melted:
		i.melted = make(chan struct{})
	default:
	}
}

func (i *ice) thaw() {
	i.mu.Lock()
	defer i.mu.Unlock()
	select {
	case <-i.melted:
	default:
		close(i.melted)
	}
}

func (i *ice) water() <-chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.melted
}

func (i *ice) frozen() bool {
	select {
	case <-i.water():
		return false
	default:
		return true
	}
}

func (i *ice) wait(ctx context.Context) {
	select {
	case <-i.water():
	case <-ctx.Done():
	}
}

// icyConn neither reads nor writes while the machine is frozen; the kernel still accepts.
type icyConn struct {
	net.Conn
	ice *ice
	ctx context.Context //nolint:containedctx // the machine's power
}

func (c icyConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.ice.wait(c.ctx)
	return n, err
}

func (c icyConn) Write(p []byte) (int, error) {
	c.ice.wait(c.ctx)
	return c.Conn.Write(p)
}
