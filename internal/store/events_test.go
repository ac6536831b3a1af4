package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestEvents_tellTheStoryInOrder(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	recorder(s, t, op.ID)(lcm.Processing)
	ref := lcm.StepRef{OpOccID: op.ID, Step: 2, Node: "cp-1"}
	require.NoError(t, s.AppendOutput(t.Context(), ref, 1, []string{"a", "b"}))
	begun(t, s) // another operation's events are not ours

	events, err := s.Events(t.Context(), op.ID, 0, 10)
	require.NoError(t, err)
	require.Len(t, events, 3)
	var state lcm.OperationEvent
	require.NoError(t, json.Unmarshal(events[1].Data, &state))
	assert.Equal(t, lcm.Processing, state.State)
	assert.False(t, state.StateEnteredTime.IsZero())
	var out lcm.OutputEvent
	require.NoError(t, json.Unmarshal(events[2].Data, &out))
	assert.Equal(t, lcm.OutputEvent{Index: 2, Phase: lcm.PhaseForward, Node: "cp-1", Attempt: 1, Lines: 2, LastLine: "b"},
		out)
	assert.Equal(t, op.ID, events[2].OpOccID)
	assert.False(t, events[2].At.Before(events[1].At))

	rest, err := s.Events(t.Context(), op.ID, events[0].ID, 1)
	require.NoError(t, err)
	assert.Equal(t, events[1:2], rest)
}

// TestEvents_areNeverMissedByAReaderWhoGoesOn checks that a reader that continues after the last id it has seen also
// gets an event with a lower id that was committed later.
func TestEvents_areNeverMissedByAReaderWhoGoesOn(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	const writers, each = 16, 15
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				err := s.AppendOutput(t.Context(), lcm.StepRef{OpOccID: op.ID, Node: fmt.Sprint(w)}, 1, []string{fmt.Sprint(i)})
				assert.NoError(t, err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen, after := 0, int64(0)
	for seen < 1+writers*each {
		require.NoError(t, s.WaitEvents(ctx, op.ID, after))
		events, err := s.Events(ctx, op.ID, after, 7)
		require.NoError(t, err)
		for _, e := range events {
			require.Greater(t, e.ID, after)
			after = e.ID
			seen++
		}
	}
	writing.Wait()
}

func TestWaitEvents_wakesWaitersOfOtherProcesses(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	writer, reader := openURL(t, url), openURL(t, url)
	reader.SetSlowPoll(time.Hour) // only a notification can end the wait
	op := begun(t, writer)
	last := lastEvent(t, reader, op.ID)
	const waiters = 20
	woken := make(chan error, waiters)
	for range waiters {
		go func() { woken <- reader.WaitEvents(t.Context(), op.ID, last) }()
	}
	require.Eventually(t, func() bool { return reader.Waiters() == waiters }, time.Minute, time.Millisecond)
	recorder(writer, t, op.ID)(lcm.Processing)
	for range waiters {
		require.NoError(t, <-woken)
	}
	assert.Zero(t, reader.Waiters())
	assert.NoError(t, reader.WaitEvents(t.Context(), op.ID, last), "what is there already needs no waiting")
}

func TestWaitEvents_endsWithItsContextAndWithTheStore(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), pgtest.URL(t))
	require.NoError(t, err)
	op := begun(t, s)
	last := lastEvent(t, s, op.ID)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.WaitEvents(ctx, op.ID, last), context.DeadlineExceeded)

	ended := make(chan error)
	go func() { ended <- s.WaitEvents(t.Context(), op.ID, last) }()
	s.Close()
	requireKind(t, lcm.KindUnavailable, <-ended)
	requireKind(t, lcm.KindUnavailable, s.WaitEvents(t.Context(), op.ID, last))
}

func lastEvent(t *testing.T, s *store.Store, id lcm.OpOccID) int64 {
	t.Helper()
	events, err := s.Events(t.Context(), id, 0, 0)
	require.NoError(t, err)
	require.NotEmpty(t, events)
	return events[len(events)-1].ID
}

func TestWaitEvents_pollsWhereNotificationsDoNotArrive(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := openURL(t, url)
	s.SetSlowPoll(20 * time.Millisecond)
	op := begun(t, s)
	last := lastEvent(t, s, op.ID)
	woken := make(chan error)
	go func() { woken <- s.WaitEvents(t.Context(), op.ID, last) }()
	require.Eventually(t, func() bool { return s.Waiters() == 1 }, time.Minute, time.Millisecond)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `insert into event (op_occ_id, type, data) values ($1, 'step', '{}')`, op.ID) // no notification
	require.NoError(t, err)
	require.NoError(t, <-woken)
}
