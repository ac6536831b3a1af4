package store

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Limits of the events that a feed keeps. A stream that is further behind reads the database until it has caught up.
const (
	mostKeptEvents = 5000
	mostKeptBytes  = 8 << 20
)

// longestRead limits each read of a feed. A database that cannot be reached ends none by itself, and the streams would not
// notice it.
const longestRead = longestStatement + 10*time.Second

// heldPause is the time after which a feed looks for a missing event number again: the event may not be committed yet.
const heldPause = 100 * time.Millisecond

// feed reads the events of all operations once for all streams of this process. It runs while there are streams. The
// database is asked once for each event, however many streams are open.
type feed struct {
	ctx   context.Context // ends with the store: the reader outlives the calls that start it
	last  func(context.Context) (int64, error)
	read  func(ctx context.Context, after int64) (events []ownedEvent, next int64, held bool, err error)
	wait  func(ctx context.Context, after int64) error
	ended sync.WaitGroup

	mu      sync.Mutex
	streams int
	current *kept // nil: nobody reads
}

// kept are the events that a feed has read, all of (from, next], the oldest first.
type kept struct {
	stop       context.CancelFunc
	ready      bool // from and next are known
	from, next int64
	events     []ownedEvent
	bytes      int
	changed    chan struct{} // closed when anything of this changes
}

// ownedEvent is an event and the project whose clients see it.
type ownedEvent struct {
	lcm.Event
	project lcm.ProjectID
}

// join counts another stream until leave is called.
func (f *feed) join() (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.streams++
	f.start()
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.streams--; f.streams == 0 && f.current != nil {
			f.current.stop()
			f.current = nil
		}
	})
}

// start begins to read if there are streams and nobody reads. The caller holds the lock.
func (f *feed) start() {
	if f.current != nil || f.streams == 0 || f.ctx.Err() != nil {
		return
	}
	ctx, stop := context.WithCancel(lcm.WithScope(f.ctx, lcm.Scope{All: true}))
	k := &kept{stop: stop, changed: make(chan struct{})}
	f.current = k
	f.ended.Go(func() {
		defer stop()
		f.follow(ctx, k)
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.current == k {
			f.current = nil
		}
		close(k.changed)
	})
}

// follow reads until ctx ends, or the database does not answer: then streams ask it themselves, and get its error.
func (f *feed) follow(ctx context.Context, k *kept) {
	first, done := context.WithTimeout(ctx, longestRead)
	next, err := f.last(first)
	done()
	if err != nil {
		return
	}
	f.add(k, nil, next)
	for err == nil && ctx.Err() == nil {
		var events []ownedEvent
		var held bool
		reading, done := context.WithTimeout(ctx, longestRead)
		events, next, held, err = f.read(reading, k.next)
		done()
		if err != nil {
			return
		}
		switch {
		case next > k.next:
			f.add(k, events, next)
		case held:
			sleep(ctx, heldPause)
		default:
			err = f.wait(ctx, k.next)
		}
	}
}

// add keeps further events, and wakes the streams. The first call says where the events begin.
func (f *feed) add(k *kept, events []ownedEvent, next int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !k.ready {
		k.ready, k.from = true, next
	}
	k.next = next
	k.events = append(k.events, events...)
	for _, e := range events {
		k.bytes += len(e.Data)
	}
	k.trim()
	close(k.changed)
	k.changed = make(chan struct{})
}

// trim forgets the oldest quarter of too many events.
func (k *kept) trim() {
	for len(k.events) > mostKeptEvents || k.bytes > mostKeptBytes && len(k.events) > 0 {
		n := max(1, len(k.events)/4)
		for _, e := range k.events[:n] {
			k.bytes -= len(e.Data)
		}
		k.from = k.events[n-1].ID
		k.events = slices.Delete(k.events, 0, n)
	}
}

// after returns the events of a scope after the given one, and where the next call begins. ok is false if the feed does
// not know: it does not run, or has forgotten some.
func (f *feed) after(scope lcm.Scope, after int64) (events []lcm.Event, next int64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.current
	if k == nil || !k.ready || after < k.from {
		return nil, after, false
	}
	first := sort.Search(len(k.events), func(i int) bool { return k.events[i].ID > after })
	for _, e := range k.events[first:] {
		if scope.All || e.project == scope.Project {
			events = append(events, e.Event)
		}
	}
	return events, max(k.next, after), true
}

// await returns true when there are events after the given one, and false if the feed cannot tell.
func (f *feed) await(ctx context.Context, after int64) (bool, error) {
	f.mu.Lock()
	f.start() // once: a caller must learn that the database does not answer
	f.mu.Unlock()
	for {
		f.mu.Lock()
		k := f.current
		if k == nil || k.ready && after < k.from {
			f.mu.Unlock()
			return false, nil
		}
		newer, changed := k.ready && k.next > after, k.changed
		f.mu.Unlock()
		if newer {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-changed:
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
