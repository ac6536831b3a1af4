package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// slowPoll is the interval when notifications do not arrive, e.g. behind a connection pooler that does not pass LISTEN
// on.
const slowPoll = 5 * time.Second

// defaultEvents is the number of events in one read when the caller gives none.
const defaultEvents = 1000

// Events reads the events of an operation after the given one, oldest first.
func (s *Store) Events(ctx context.Context, id lcm.OpOccID, after int64, limit int) ([]lcm.Event, error) {
	if limit <= 0 {
		limit = defaultEvents
	}
	return all(ctx, s.pool, scanEvent, `
		select id, op_occ_id, type, at, data
		from event
		where op_occ_id = @op and id > @after
		order by id
		limit @limit`,
		pgx.NamedArgs{"op": id, "after": after, "limit": limit})
}

func scanEvent(row pgx.CollectableRow) (e lcm.Event, err error) {
	err = row.Scan(&e.ID, &e.OpOccID, &e.Type, &e.At, &e.Data)
	return e, err
}

// WaitEvents returns when the operation has an event newer than after, or with ctx.Err() when ctx ends. It holds no
// connection while it waits.
func (s *Store) WaitEvents(ctx context.Context, id lcm.OpOccID, after int64) error {
	return s.waitEvents(ctx, id, after, s.hasEvents)
}

// waitEvents waits until has reports an event.
func (s *Store) waitEvents(
	ctx context.Context, id lcm.OpOccID, after int64, has func(context.Context, lcm.OpOccID, int64) (bool, error),
) error {
	// Join before the first look, so that no event is missed in between.
	w, leave := s.hub.join(id, after)
	defer leave()
	poll := time.NewTicker(s.slowPoll)
	defer poll.Stop()
	for {
		newer, err := has(ctx, id, after)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || newer {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.hub.ctx.Done():
			return lcm.Errorf(lcm.KindUnavailable, "This server is shutting down.")
		case newer := <-w.woken:
			if newer {
				return nil
			}
		case <-poll.C:
		}
	}
}

func (s *Store) hasEvents(ctx context.Context, id lcm.OpOccID, after int64) (newer bool, err error) {
	err = s.pool.QueryRow(ctx, `select exists (select from event where op_occ_id = @op and id > @after)`,
		pgx.NamedArgs{"op": id, "after": after}).Scan(&newer)
	return newer, interpret("look for new events", err)
}

// appendEvent appends an event in the caller's transaction, as its last statement.
func appendEvent(ctx context.Context, tx pgx.Tx, id lcm.OpOccID, eventType lcm.EventType, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `select append_event(@op, @type, @data)`, pgx.NamedArgs{"op": id, "type": eventType, "data": b})
	return err
}
