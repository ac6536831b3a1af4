package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestCancels_areThoseThatInterruptAStep(t *testing.T) {
	t.Parallel()
	s := open(t)
	cancels := s.Cancels()
	record := func(mode lcm.CancelMode) lcm.OpOccID {
		op := begun(t, s)
		require.NoError(t, s.RecordOperation(t.Context(), lcm.OperationRecord{
			OpOccID: op.ID, Sequence: 1, State: lcm.Processing, IsCancelPending: mode != "", CancelMode: mode,
		}))
		return op.ID
	}
	awaitCancel := func() lcm.OpOccID {
		select {
		case id := <-cancels:
			return id
		case <-time.After(200 * time.Millisecond):
			return ""
		}
	}
	var first lcm.OpOccID
	require.Eventually(t, func() bool { // the listener connects meanwhile
		first = record(lcm.Forceful)
		return awaitCancel() == first
	}, time.Minute, time.Millisecond)
	record("")
	record(lcm.Graceful)
	last := record(lcm.Forceful)
	require.Eventually(t, func() bool {
		id := awaitCancel()
		require.Contains(t, []lcm.OpOccID{"", last}, id, "a cancel that interrupts nothing")
		return id == last
	}, time.Minute, time.Millisecond)
}
