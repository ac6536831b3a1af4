package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/postgres"
)

// reachableDir returns a directory that the server's account may enter, unlike t.TempDir.
func reachableDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "windlass-postgres-") //nolint:usetesting // see above
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "server")
}

func TestStart_keepsDatabasesAcrossRestarts(t *testing.T) {
	t.Parallel()
	opts := postgres.Options{Dir: reachableDir(t), Volatile: true}
	server, err := postgres.Start(t.Context(), opts)
	require.NoError(t, err)
	require.NoError(t, server.EnsureDatabase(t.Context(), "windlass"))
	require.NoError(t, server.EnsureDatabase(t.Context(), "windlass"), "the second time changes nothing")
	exec(t, server.URL("windlass"), "create table kept (id int)")
	require.NoError(t, server.Stop())
	require.NoError(t, server.Stop(), "stopping twice is harmless")

	opts.Port = server.Port()
	again, err := postgres.Start(t.Context(), opts)
	require.NoError(t, err)
	defer func() { assert.NoError(t, again.Stop()) }()
	assert.Equal(t, server.URL("windlass"), again.URL("windlass"))
	exec(t, again.URL("windlass"), "insert into kept values (1)")
}

func TestStart_refusesDirectoryOfRunningServer(t *testing.T) {
	t.Parallel()
	dir := reachableDir(t)
	server, err := postgres.Start(t.Context(), postgres.Options{Dir: dir, Volatile: true})
	require.NoError(t, err)
	defer func() { assert.NoError(t, server.Stop()) }()

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = postgres.Start(ctx, postgres.Options{Dir: dir, Volatile: true})
	require.Error(t, err)
	assert.Equal(t, lcm.KindConflict, lcm.KindOf(err))
	assert.Contains(t, err.Error(), "Another PostgreSQL")
}

func TestStart_saysWhatTheServerComplainsOf(t *testing.T) {
	t.Parallel()
	_, err := postgres.Start(t.Context(), postgres.Options{
		Dir: reachableDir(t), Volatile: true, Settings: []string{"max_connections=many"},
	})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "max_connections")
}

func TestStart_namesThePackageWithoutBinaries(t *testing.T) {
	t.Parallel()
	_, err := postgres.Start(t.Context(), postgres.Options{Dir: reachableDir(t), Bin: t.TempDir()})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "initdb is missing")
}

func TestStart_reportsServerThatEndsByItself(t *testing.T) {
	t.Parallel()
	server, err := postgres.Start(t.Context(), postgres.Options{Dir: reachableDir(t), Volatile: true})
	require.NoError(t, err)
	require.NoError(t, server.Err())
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	// When a backend is killed, the postmaster restarts the others; when the postmaster is killed, the server ends.
	_, _ = conn.Exec(t.Context(), `copy (select 1) to program 'kill -QUIT $(head -1 postmaster.pid)'`)
	<-server.Done()
	_ = conn.Close(t.Context())
	assert.NoError(t, server.Stop(), "an immediate shutdown ends with status 0")
}

func exec(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}
