package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
)

// TestTrimOutbox_boundsWhatASubscriberCostsThatIsAway has one subscriber that is away, and one that is not.
func TestTrimOutbox_boundsWhatASubscriberCostsThatIsAway(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, ctx := openURL(t, url), in(t, lcm.DefaultProject)
	for _, id := range []lcm.SubscriptionID{"away", "there"} {
		sub := lcm.Subscription{ID: id, API: lcm.APILcm, APIVersion: 2, CallbackURI: "http://192.0.2.1/" + string(id)}
		_, err := s.CreateSubscription(ctx, sub, 0, false)
		require.NoError(t, err)
	}
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	insert := func(id string, count int, dead bool) {
		t.Helper()
		_, err := db.Exec(t.Context(), `insert into delivery (subscription_id, event, dead)
			select $1, '{}', $3 from generate_series(1, $2)`, id, count, dead)
		require.NoError(t, err)
	}
	count := func() (waiting, dead int) {
		t.Helper()
		require.NoError(t, db.QueryRow(t.Context(), `select count(*) filter (where not dead), count(*) filter (where dead)
			from delivery where subscription_id = 'away'`).Scan(&waiting, &dead))
		return waiting, dead
	}
	insert("there", 3, false)
	insert("away", 250, false)
	limits := store.OutboxLimits{Waiting: 100, KeepFor: time.Hour}
	buried, forgotten, err := s.TrimOutbox(ctx, limits)
	require.NoError(t, err)
	require.EqualValues(t, 150, buried, "the oldest")
	require.EqualValues(t, 50, forgotten, "the oldest of them")
	waiting, dead := count()
	require.Equal(t, []int{100, 100}, []int{waiting, dead})
	next, err := s.NextDelivery(ctx, "away")
	require.NoError(t, err)
	require.EqualValues(t, 3+151, next.ID)
	letters, err := s.DeadLetters(ctx, 0, 1)
	require.NoError(t, err)
	require.Contains(t, letters[0].LastError, "More than 100 notifications waited")
	who, err := s.Waiting(ctx)
	require.NoError(t, err)
	require.ElementsMatch(t, []lcm.SubscriptionID{"away", "there"}, who)

	buried, forgotten, err = s.TrimOutbox(ctx, limits)
	require.NoError(t, err)
	require.Zero(t, buried+forgotten, "again changes nothing")
	_, err = db.Exec(t.Context(), `update delivery set since = since - interval '2 hours' where dead`)
	require.NoError(t, err)
	_, forgotten, err = s.TrimOutbox(ctx, limits)
	require.NoError(t, err)
	require.EqualValues(t, 100, forgotten, "dead letters end")
}

func TestCreateSubscription_hasAnEnd(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), in(t, lcm.DefaultProject)
	create := func(n int) error {
		sub := lcm.Subscription{
			ID: lcm.SubscriptionID(fmt.Sprint(n)), API: lcm.APILcm, APIVersion: 2, CallbackURI: fmt.Sprintf("http://192.0.2.1/%d", n),
		}
		_, err := s.CreateSubscription(ctx, sub, 3, false)
		return err
	}
	for n := range 3 {
		require.NoError(t, create(n))
	}
	err := create(3)
	requireKind(t, lcm.KindConflict, err)
	require.ErrorContains(t, err, "(notifications.subscriptions)")
	require.NoError(t, s.DeleteSubscription(ctx, "1"))
	require.NoError(t, create(3))
}
