package apiserver

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Operations whose workflows end at once are started again after longer and longer pauses. Otherwise an operation that
// nobody can read would leave a closed workflow every few seconds.
const (
	longestRestartPause = time.Hour
	// soundAfter is how long a workflow must run until its next end counts as the first one.
	soundAfter = 10 * time.Minute
)

// restarts remembers when operations were started again. Each API server has its own.
type restarts map[lcm.OpOccID]restart

type restart struct {
	at    time.Time
	pause time.Duration
}

// due reports whether an operation may be started again.
func (r restarts) due(id lcm.OpOccID, now time.Time) bool {
	last, known := r[id]
	return !known || now.Sub(last.at) >= last.pause
}

// note notes a start. The first pause is that of the reconciler; each further one is twice as long.
func (r restarts) note(id lcm.OpOccID, now time.Time, first time.Duration) {
	pause := first
	if last, known := r[id]; known && now.Sub(last.at) < last.pause+soundAfter {
		pause = min(2*last.pause, longestRestartPause)
	}
	r[id] = restart{now, pause}
}

// keep forgets operations that are not open any more.
func (r restarts) keep(open map[lcm.OpOccID]bool) {
	for id := range r {
		if !open[id] {
			delete(r, id)
		}
	}
}
