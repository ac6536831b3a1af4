package store

import (
	"context"
	"database/sql"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// MigrateTo migrates the schema down to a migration, so that a test sees how the next one changes rows.
func MigrateTo(ctx context.Context, databaseURL string, version int64) error {
	db, err := sql.Open("pgx", databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	provider, err := newProvider(db)
	if err == nil {
		_, err = provider.DownTo(ctx, version)
	}
	return err
}

// SetSlowPoll sets the interval of polling, so that a test can exclude that the poll woke a waiter, or require it.
func (s *Store) SetSlowPoll(d time.Duration) { s.slowPoll = d }

// Waiters returns how many calls of WaitEvents are waiting.
func (s *Store) Waiters() (n int) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for _, waiters := range s.hub.waiters {
		n += len(waiters)
	}
	return n
}

// Exec changes rows as nothing in Windlass does.
func (s *Store) Exec(ctx context.Context, sql string, args ...any) error {
	_, err := s.pool.Exec(ctx, sql, args...)
	return err
}
