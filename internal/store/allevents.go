package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// settleTime is longer than the time between the last statement of a transaction, which takes the number of an event,
// and its commit.
const settleTime = 5 * time.Second

// widest limits the events that one query examines, including those of other projects.
const widest = 2000

// The numbers of one operation's events grow in the order in which readers see them (append_event). Across operations
// they do not: 8 may appear after 9. So a reader of all events stops at a missing number until the next event is older
// than settleTime. By then, the transaction of the missing event was rolled back, or the event was deleted.

// FollowAllEvents says that the caller goes on to call AllEvents and WaitAllEvents, until it calls leave. All callers of
// this process then share one reader of the database.
func (s *Store) FollowAllEvents() (leave func()) { return s.feed.join() }

// AllEvents reads the events after the given one, oldest first, of all operations and instances that the context sees.
// next is where the next call begins; the caller has seen all events before it. held says that there are more events,
// which may be read a little later.
func (s *Store) AllEvents(ctx context.Context, after int64) (events []lcm.Event, next int64, held bool, err error) {
	if events, next, ok := s.feed.after(lcm.ScopeOf(ctx), after); ok {
		return events, next, false, nil
	}
	owned, next, held, err := s.readAllEvents(ctx, after)
	for _, e := range owned {
		events = append(events, e.Event)
	}
	return events, next, held, err
}

// readAllEvents is AllEvents, from the database.
func (s *Store) readAllEvents(ctx context.Context, after int64) (events []ownedEvent, next int64, held bool, err error) {
	next = after
	err = s.inTransaction(ctx, "read the events", func(tx pgx.Tx) error {
		var last int64
		err := tx.QueryRow(ctx, `
			with seen as (
				select id, at, lag(id, 1, @after::bigint) over (order by id) as former
				from (select id, at from event where id > @after order by id limit @widest) e)
			select coalesce(min(former) filter (where id <> former + 1 and at > clock_timestamp() - @settle::interval),
					max(id), @after),
				coalesce(max(id), @after)
			from seen`,
			pgx.NamedArgs{"after": after, "widest": widest, "settle": settleTime}).Scan(&next, &last)
		if err != nil {
			return err
		}
		held = next < last
		events, err = all(ctx, tx, scanOwnedEvent, `
			select e.id, coalesce(e.op_occ_id, ''), subject.id, e.type, e.at, e.data, subject.project_id
			from event e cross join lateral (
				select vnf_instance_id as id, project_id from vnf_lcm_op_occ o where o.id = e.op_occ_id
				union all
				select id, project_id from vnf_instance i where i.id = e.vnf_instance_id) subject
			where e.id > @after and e.id <= @next and`+ofProject+`
			order by e.id`,
			owned(ctx, pgx.NamedArgs{"after": after, "next": next}))
		return err
	})
	return events, next, held, err
}

func scanOwnedEvent(row pgx.CollectableRow) (e ownedEvent, err error) {
	err = row.Scan(&e.ID, &e.OpOccID, &e.VnfInstanceID, &e.Type, &e.At, &e.Data, &e.project)
	return e, err
}

// LastEvent returns the number for a reader that wants no past events: the newest event that is older than settleTime.
func (s *Store) LastEvent(ctx context.Context) (id int64, err error) {
	err = s.pool.QueryRow(ctx, `
		select coalesce((
			select id from event where at < clock_timestamp() - @settle::interval order by id desc limit 1), 0)`,
		pgx.NamedArgs{"settle": settleTime}).Scan(&id)
	return id, interpret("look for the last event", err)
}

// WaitAllEvents returns when any operation or instance, of any project, has an event newer than after, or with
// ctx.Err() when ctx ends. It holds no connection while it waits.
func (s *Store) WaitAllEvents(ctx context.Context, after int64) error {
	if newer, err := s.feed.await(ctx, after); newer || err != nil {
		return err
	}
	return s.waitAnyEvents(ctx, after)
}

func (s *Store) waitAnyEvents(ctx context.Context, after int64) error {
	return s.waitEvents(ctx, everyOperation, after, s.hasAnyEvents)
}

func (s *Store) hasAnyEvents(ctx context.Context, _ lcm.OpOccID, after int64) (newer bool, err error) {
	ctx, done := context.WithTimeout(ctx, longestRead)
	defer done()
	err = s.pool.QueryRow(ctx, `select exists (select from event where id > @after)`,
		pgx.NamedArgs{"after": after}).Scan(&newer)
	return newer, interpret("look for new events", err)
}
