package apiserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestRestarts_areRarerAndRarer(t *testing.T) {
	const every = 5 * time.Second
	r, now, starts := restarts{}, time.Unix(0, 0), 0
	for range int(24 * time.Hour / every) { // its workflow ends at once
		if r.due("op", now) {
			r.note("op", now, every)
			starts++
		}
		now = now.Add(every)
	}
	assert.Less(t, starts, 40, "17,280 without a longer pause")
	assert.Greater(t, starts, 20)
	now = now.Add(3 * time.Hour) // it has run
	r.note("op", now, every)
	assert.True(t, r.due("op", now.Add(every)), "its end is the first one again")
	r.keep(map[lcm.OpOccID]bool{})
	assert.Empty(t, r)
}
