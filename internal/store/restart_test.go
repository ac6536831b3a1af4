package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestStore_outlivesARestartOfTheDatabase(t *testing.T) {
	t.Parallel()
	dir := pgtest.Dir(t)
	server := pgtest.StartServer(t, dir, 0)
	require.NoError(t, server.EnsureDatabase(t.Context(), "windlass"))
	url := server.URL("windlass")
	require.NoError(t, store.Migrate(t.Context(), url))
	s := openURL(t, url)
	op := begun(t, s)
	last := lastEvent(t, s, op.ID)
	waits := make(chan error, 1)
	go func() { waits <- waitThroughOutage(t, s, op.ID, last) }()

	require.NoError(t, server.Stop())
	requireKind(t, lcm.KindUnavailable, s.Ping(t.Context()))
	_, err := s.Operation(t.Context(), op.ID)
	requireKind(t, lcm.KindUnavailable, err)
	record := lcm.OperationRecord{OpOccID: op.ID, Sequence: 1, State: lcm.Processing}
	requireKind(t, lcm.KindUnavailable, s.RecordOperation(t.Context(), record))
	requireKind(t, lcm.KindUnavailable, s.RecordStep(t.Context(),
		lcm.Step{OpOccID: op.ID, State: lcm.StepRunning, Attempt: 1}))

	pgtest.StartServer(t, dir, server.Port())
	require.NoError(t, s.RecordOperation(t.Context(), record), "the first call after the outage works")
	got, err := s.Operation(t.Context(), op.ID)
	require.NoError(t, err)
	assert.Equal(t, lcm.Processing, got.State)
	require.NoError(t, <-waits)
}

// waitThroughOutage waits as an API server's event stream does: it tries again while the database is down.
func waitThroughOutage(t *testing.T, s *store.Store, id lcm.OpOccID, after int64) error {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := s.WaitEvents(t.Context(), id, after)
		if !lcm.Is(err, lcm.KindUnavailable) {
			return err
		}
		<-again.C
	}
}
