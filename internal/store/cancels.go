package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// cancelChannel carries the op occ id of an operation with a FORCEFUL cancel.
const cancelChannel = "windlass_cancel"

// keptCancels is how many cancels wait for their reader. Further ones are lost: workers also hear of a cancel from
// Temporal, some seconds later.
const keptCancels = 4096

// Cancels receives the id of an operation when its FORCEFUL cancel is recorded, by any process. The operation's
// workflow records the cancel just before Temporal learns of it. The channel has one reader. Some ids may be missing,
// e.g. all of them behind a pooler that does not pass LISTEN on.
func (s *Store) Cancels() <-chan lcm.OpOccID {
	s.hub.listenOnDemand()
	return s.hub.cancels
}

// tellCancel announces a FORCEFUL cancel to all workers when the transaction commits.
func tellCancel(ctx context.Context, tx pgx.Tx, r lcm.OperationRecord) error {
	if !r.IsCancelPending || r.CancelMode != lcm.Forceful {
		return nil
	}
	_, err := tx.Exec(ctx, `select pg_notify(@channel, @op)`, pgx.NamedArgs{"channel": cancelChannel, "op": r.OpOccID})
	return err
}

func (h *hub) tellCancel(id lcm.OpOccID) {
	select {
	case h.cancels <- id:
	default:
	}
}
