package openstack

import (
	"context"
	"errors"
	"sync"
)

var errOvertook = errors.New("another action took over")

// tasks runs background work on machines: for each server, one task after the other.
type tasks struct {
	mu   sync.Mutex
	last map[string]*task
}

type task struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// later runs f after the server's current tasks; overtake cancels these first.
func (c *Cloud) later(server string, overtake bool, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancelCause(c.ctx)
	t := &task{cancel: cancel, done: make(chan struct{})}
	c.tasks.mu.Lock()
	if c.tasks.last == nil {
		c.tasks.last = map[string]*task{}
	}
	before := c.tasks.last[server]
	c.tasks.last[server] = t
	c.tasks.mu.Unlock()
	if before != nil && overtake {
		before.cancel(errOvertook)
	}
	c.wg.Go(func() {
		defer func() {
			c.tasks.mu.Lock()
			if c.tasks.last[server] == t {
				delete(c.tasks.last, server)
			}
			c.tasks.mu.Unlock()
			cancel(nil)
			close(t.done)
		}()
		if before != nil {
			<-before.done
		}
		if c.ctx.Err() == nil && ctx.Err() == nil {
			f(ctx)
		}
	})
}
