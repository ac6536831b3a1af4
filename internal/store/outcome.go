package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// When a connection breaks during a commit, the client does not know the outcome. Before deleting secrets that may have
// been stored, a caller must know it. So it waits until the transaction has ended (Settled), and reads the result.

// noteOutcome registers the transaction for Settled, by the id of the row that it writes. The transaction waits for the
// answer to every statement between this call and the commit. So a transaction whose commit was sent holds the lock.
func noteOutcome(ctx context.Context, tx pgx.Tx, id string) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(4, hashtext(@id))`, pgx.NamedArgs{"id": id})
	return err
}

// Settled returns when no transaction in progress writes a VIM, an operation, an instance, a package or a subscription
// of that id. A read after it sees the final state.
func (s *Store) Settled(ctx context.Context, id string) error {
	return s.inTransaction(ctx, "wait for the end of a transaction",
		func(tx pgx.Tx) error { return noteOutcome(ctx, tx, id) })
}
