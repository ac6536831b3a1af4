package fake

import (
	"context"
	"strings"
	"sync"
	"time"
)

// console holds the output of the serial console.
type console struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (c *console) print(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines.Len() < 64<<10 {
		c.lines.WriteString(line + "\n")
	}
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines.String()
}

// sleep reports whether the whole time has passed.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
