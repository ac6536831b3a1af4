package pgtest_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

func TestURL_givesEveryCallerADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	first, second, empty := pgtest.URL(t), pgtest.URL(t), pgtest.Empty(t)
	assert.NotEqual(t, first, second)
	assert.Equal(t, 1, query(t, first, "insert into host_key (server_id, key) values ('a', '') returning 1"))
	assert.Zero(t, query(t, second, "select count(*) from host_key"))
	assert.Zero(t, query(t, empty, "select count(*) from pg_tables where schemaname = 'public'"))
}

func TestURL_isGoneAfterTheTest(t *testing.T) {
	var url string
	t.Run("uses a database", func(t *testing.T) {
		url = pgtest.URL(t)
		assert.Equal(t, 1, query(t, url, "select 1"))
	})
	_, err := pgx.Connect(t.Context(), url)
	assert.ErrorContains(t, err, "does not exist")
}

func query(t *testing.T, url, sql string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&n))
	return n
}
