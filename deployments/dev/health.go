package dev

import (
	"context"
	"time"
)

const (
	askEvery = 5 * time.Second
	// missesTold is how many unanswered questions in a row are worth a line.
	missesTold = 3
)

// observe reports when the child stops answering, and when it answers again. It does not kill the child: a process that
// is stopped in a debugger does not answer either.
func (c *child) observe() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	wasReady, misses := false, 0
	for {
		select {
		case <-c.stopped:
			return
		case <-ask.C:
		}
		switch {
		case answers(ctx, c.spec.ready):
			if misses >= missesTold {
				c.say("%s answers again.", c.spec.title)
			}
			wasReady, misses = true, 0
		case wasReady:
			if misses++; misses == missesTold {
				c.say("%s does not answer at %s; see %s.", c.spec.title, c.spec.ready, c.logFile)
			}
		}
	}
}
