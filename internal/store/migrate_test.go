package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestMigrate_isSafeFromSeveralProcesses(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	var group errgroup.Group
	for range 4 {
		group.Go(func() error { return store.Migrate(t.Context(), url) })
	}
	require.NoError(t, group.Wait())
	require.NoError(t, store.Migrate(t.Context(), url), "a second time changes nothing")
	require.NoError(t, openURL(t, url).Ping(t.Context()))
}

func TestMigrate_refusesSchemaOfNewerRelease(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `insert into goose_db_version (version_id, is_applied) values (99999, true)`)
	require.NoError(t, err)
	requireKind(t, lcm.KindInvalid, store.Migrate(t.Context(), url))

	// A process of the older release goes on during an upgrade.
	require.NoError(t, openURL(t, url).Ping(t.Context()))
}

func TestMigrate_saysThatTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	requireKind(t, lcm.KindUnavailable, store.Migrate(t.Context(), "postgres://u:p@127.0.0.1:1/windlass"))
}
