package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// When a connection breaks while a transaction is committed, nobody knows whether it was. Whoever must know, because
// secrets would be deleted that were stored, waits until the transaction has ended (Settled) and reads what is there.

// noteOutcome makes the transaction one that Settled waits for, by the id of what it writes. Between it and the commit
// every statement is answered, so that a transaction whose commit was sent holds the lock.
func noteOutcome(ctx context.Context, tx pgx.Tx, id string) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(4, hashtext(@id))`, pgx.NamedArgs{"id": id})
	return err
}

// Settled returns when no transaction is under way that writes a VIM, an operation, an instance, a package or a
// subscription of that id: what is read then counts.
func (s *Store) Settled(ctx context.Context, id string) error {
	return s.inTransaction(ctx, "wait for the end of a transaction",
		func(tx pgx.Tx) error { return noteOutcome(ctx, tx, id) })
}
