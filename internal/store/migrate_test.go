package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/query"
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

	// A process of the older release continues during an upgrade.
	require.NoError(t, openURL(t, url).Ping(t.Context()))
}

func TestMigrate_saysThatTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	requireKind(t, lcm.KindUnavailable, store.Migrate(t.Context(), "postgres://u:p@127.0.0.1:1/windlass"))
}

// TestMigrate_doesWithoutAnExtension checks that the search for parts of names also works if the database does not have
// the extension that makes it fast.
func TestMigrate_doesWithoutAnExtension(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]bool{"with it": false, "without it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Empty(t)
			conn, err := pgx.Connect(t.Context(), url)
			require.NoError(t, err)
			defer conn.Close(t.Context())
			is := func(sql string) (yes bool) {
				require.NoError(t, conn.QueryRow(t.Context(), "select exists ("+sql+")").Scan(&yes))
				return yes
			}
			available := is(`select from pg_available_extensions where name = 'pg_trgm'`)
			if without && available { // in another schema, the extension cannot be used
				_, err := conn.Exec(t.Context(), `create schema elsewhere; create extension pg_trgm schema elsewhere`)
				require.NoError(t, err)
			}
			require.NoError(t, store.Migrate(t.Context(), url))
			require.Equal(t, available && !without, is(`select from pg_indexes where indexname = 'vnf_instance_name_parts'`))

			s := openURL(t, url)
			inst := lcm.VnfInstance{VnfPkgID: newPackage(t, s).ID, InstantiationState: lcm.NotInstantiated}
			for _, inst.Name = range []string{"edge-1", "edge_2", "100%", `a\b`} {
				inst.ID = lcm.VnfInstanceID("of " + inst.Name)
				require.NoError(t, s.CreateInstance(in(t, lcm.DefaultProject), inst))
			}
			for part, want := range map[string]int{"edge": 2, "e-1": 1, "_": 1, "%": 1, `\`: 1, "": 4, "dge_": 1, "nothing": 0} {
				f := query.Filter{{Op: query.Cont, Path: []string{"vnfInstanceName"}, Values: []string{part}}}
				rows, err := s.InstancePage(t.Context(), store.Page{Filter: f})
				require.NoError(t, err)
				require.Len(t, rows, want, part)
			}
		})
	}
}
