package store

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// channel carries "<event id> <op occ id>" from append_event, and "<event id> " from tellDrift.
const channel = "windlass_event"

// hub listens for new events on one connection, for all waiters of the process. It connects at the
// first waiter and reconnects until it is closed.
type hub struct {
	conn   *pgx.ConnConfig
	ctx    context.Context // ends with close: the listener outlives the calls that start it
	cancel context.CancelFunc
	start  sync.Once
	ended  sync.WaitGroup

	// outbox holds one value when there may be new deliveries.
	outbox chan struct{}
	// cancels holds operations whose FORCEFUL cancel nobody has read yet.
	cancels chan lcm.OpOccID

	mu      sync.Mutex
	waiters map[lcm.OpOccID]map[*waiter]struct{}
}

// everyOperation is the id for waiters that wait for an event of any operation.
const everyOperation lcm.OpOccID = ""

// waiter waits for an event newer than after, of one operation or of any.
type waiter struct {
	after int64
	// woken receives true for a newer event, and false when events may have been missed. Its buffer holds one value.
	woken chan bool
}

func newHub(conn *pgx.ConnConfig) *hub {
	ctx, cancel := context.WithCancel(context.Background())
	return &hub{
		conn: conn, ctx: ctx, cancel: cancel, outbox: make(chan struct{}, 1),
		cancels: make(chan lcm.OpOccID, keptCancels), waiters: map[lcm.OpOccID]map[*waiter]struct{}{},
	}
}

func (h *hub) close() {
	h.cancel()
	h.start.Do(func() {}) // later callers start nothing
	h.ended.Wait()
}

// join registers a waiter; leave removes it.
func (h *hub) join(id lcm.OpOccID, after int64) (w *waiter, leave func()) {
	h.listenOnDemand()
	w = &waiter{after: after, woken: make(chan bool, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiters[id] == nil {
		h.waiters[id] = map[*waiter]struct{}{}
	}
	h.waiters[id][w] = struct{}{}
	return w, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.waiters[id], w)
		if len(h.waiters[id]) == 0 {
			delete(h.waiters, id)
		}
	}
}

// listenOnDemand starts the listener at the first call.
func (h *hub) listenOnDemand() { h.start.Do(func() { h.ended.Go(h.listen) }) }

// listen connects again and again until the hub is closed.
func (h *hub) listen() {
	const shortest, longest = 100 * time.Millisecond, 5 * time.Second
	pause := shortest
	for h.ctx.Err() == nil {
		if h.listenOnce() {
			pause = shortest
		}
		again := time.NewTimer(pause)
		select {
		case <-h.ctx.Done():
		case <-again.C:
		}
		again.Stop()
		pause = min(2*pause, longest)
	}
}

// listenOnce passes notifications on until the connection fails. listened says whether the connection was established.
func (h *hub) listenOnce() (listened bool) {
	conn, err := pgx.ConnectConfig(h.ctx, h.conn)
	if err != nil {
		return false
	}
	defer closeConn(h.ctx, conn)
	if _, err := conn.Exec(h.ctx, "listen "+channel+"; listen "+outboxChannel+"; listen "+cancelChannel); err != nil {
		return false
	}
	h.wakeAll() // events may have come while the hub did not listen
	for {
		n, err := conn.WaitForNotification(h.ctx)
		if err != nil {
			return true
		}
		switch n.Channel {
		case outboxChannel:
			h.wakeOutbox()
		case cancelChannel:
			h.tellCancel(lcm.OpOccID(n.Payload))
		default:
			number, id, _ := strings.Cut(n.Payload, " ")
			if eventID, err := strconv.ParseInt(number, 10, 64); err == nil {
				h.wake(lcm.OpOccID(id), eventID)
			}
		}
	}
}

func (h *hub) wake(id lcm.OpOccID, eventID int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, of := range []lcm.OpOccID{id, everyOperation} {
		for w := range h.waiters[of] {
			if eventID > w.after {
				w.wake(true)
			}
		}
	}
}

func (h *hub) wakeOutbox() {
	select {
	case h.outbox <- struct{}{}:
	default: // reported already
	}
}

func (h *hub) wakeAll() {
	h.wakeOutbox()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, waiters := range h.waiters {
		for w := range waiters {
			w.wake(false)
		}
	}
}

// wake does nothing for a waiter that is woken already: it looks in either case.
func (w *waiter) wake(newer bool) {
	select {
	case w.woken <- newer:
	default:
	}
}
