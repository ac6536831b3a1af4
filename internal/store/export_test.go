package store

import (
	"context"
	"database/sql"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// MigrateTo takes the schema back to a migration, so that a test sees what the next one makes of rows.
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

// SetSlowPoll lets a test rule out that a waiter was woken by the poll, or see that it is.
func (s *Store) SetSlowPoll(d time.Duration) { s.slowPoll = d }

// Waiters tells how many calls of WaitEvents are waiting.
func (s *Store) Waiters() (n int) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for _, waiters := range s.hub.waiters {
		n += len(waiters)
	}
	return n
}
