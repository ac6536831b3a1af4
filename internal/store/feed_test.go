package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// log is a table of events in memory, and counts who reads it.
type log struct {
	mu     sync.Mutex
	events []ownedEvent
	more   chan struct{}
	reads  atomic.Int64
	broken atomic.Bool
}

var errBroken = errors.New("the database does not answer")

func newFeed(t *testing.T) (*feed, *log) {
	t.Helper()
	l := &log{more: make(chan struct{})}
	f := &feed{ctx: t.Context(), read: l.read, wait: l.wait, last: func(context.Context) (int64, error) { return 0, nil }}
	return f, l
}

func (l *log) read(_ context.Context, after int64) (events []ownedEvent, next int64, held bool, err error) {
	l.reads.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken.Load() {
		return nil, after, false, errBroken
	}
	return l.events[after:], int64(len(l.events)), false, nil
}

func (l *log) wait(ctx context.Context, after int64) error {
	l.mu.Lock()
	more, newer := l.more, int64(len(l.events)) > after
	l.mu.Unlock()
	if newer {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-more:
		return nil
	}
}

// append adds an event of each project; data is as long as size says.
func (l *log) append(size int, projects ...lcm.ProjectID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, project := range projects {
		id := int64(len(l.events) + 1)
		l.events = append(l.events, ownedEvent{lcm.Event{ID: id, Data: make([]byte, size)}, project})
	}
	close(l.more)
	l.more = make(chan struct{})
}

// A stream costs the database nothing: one reader reads for all of them, and each gets the events of its project.
func TestFeed_readsOnceForAllStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, l := newFeed(t)
		const streams, events = 500, 40
		var ended sync.WaitGroup
		for n := range streams {
			scope := lcm.Scope{Project: lcm.ProjectID(fmt.Sprint("project-", n%2)), All: n%5 == 4}
			ended.Go(func() {
				defer f.join()()
				after, seen, want := int64(0), 0, events
				if scope.All {
					want = 2 * events
				}
				for seen < want {
					newer, err := f.await(t.Context(), after)
					if !assert.NoError(t, err) || !assert.True(t, newer) {
						return
					}
					found, next, ok := f.after(scope, after)
					assert.True(t, ok)
					for _, e := range found {
						assert.Greater(t, e.ID, after)
						after = e.ID
						assert.True(t, scope.All || e.ID%2 == int64(1-n%2), "an event of another project")
					}
					seen, after = seen+len(found), next
				}
				assert.Equal(t, want, seen)
			})
		}
		synctest.Wait()
		for range events {
			l.append(1, "project-0", "project-1")
			synctest.Wait()
		}
		ended.Wait()
		assert.LessOrEqual(t, l.reads.Load(), int64(2*events+5), "not once for each stream")
		synctest.Wait()
		reads := l.reads.Load()
		l.append(1, "project-0")
		synctest.Wait()
		assert.Equal(t, reads, l.reads.Load(), "nobody reads when no stream is left")
	})
}

func TestFeed_forgetsOldEventsAndSaysSo(t *testing.T) {
	for name, c := range map[string]struct{ size, events int }{
		"too many": {1, mostKeptEvents + 1}, "too long": {mostKeptBytes / 8, 9},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, l := newFeed(t)
				defer f.join()()
				synctest.Wait()
				for range c.events {
					l.append(c.size, "project")
				}
				synctest.Wait()
				_, _, ok := f.after(lcm.Scope{All: true}, 0)
				assert.False(t, ok, "the database has them")
				newer, err := f.await(t.Context(), 0)
				require.NoError(t, err)
				assert.False(t, newer)
				last, next, ok := f.after(lcm.Scope{All: true}, int64(c.events-1))
				require.True(t, ok)
				assert.Len(t, last, 1)
				assert.EqualValues(t, c.events, next)
				assert.LessOrEqual(t, f.current.bytes, mostKeptBytes)
			})
		})
	}
}

// When the database does not answer, streams must ask it themselves, and read on when it is back.
func TestFeed_endsWithTheDatabaseAndBeginsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, l := newFeed(t)
		defer f.join()()
		synctest.Wait()
		l.broken.Store(true)
		l.append(1, "project")
		synctest.Wait()
		_, _, ok := f.after(lcm.Scope{All: true}, 0)
		assert.False(t, ok)
		l.broken.Store(false)
		newer, err := f.await(t.Context(), 0)
		require.NoError(t, err)
		assert.True(t, newer, "the next one who waits begins again")
	})
}
