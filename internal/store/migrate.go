package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock for migrations: "windlass" in ASCII.
const migrationLock = 0x77696e646c617373

const schemaAdvice = "The database does not have the schema of this release; run `windlass migrate` first."

// Migrate updates the schema to this release. It is safe at every start and from several processes: one works, the
// others wait.
func Migrate(ctx context.Context, databaseURL string) error {
	cfg, err := poolConfig(databaseURL)
	if err != nil {
		return err
	}
	cfg.ConnConfig.RuntimeParams[statementTimeout] = "0" // another migration, or a large table, may take its time
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return interpret("migrate the database", err)
	}
	// Closing the session also releases the lock.
	defer closeConn(ctx, conn)
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return interpret("wait for another migration", err)
	}
	db := stdlib.OpenDB(*cfg.ConnConfig)
	defer db.Close()
	return interpret("migrate the database", migrate(ctx, db))
}

func migrate(ctx context.Context, db *sql.DB) error {
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > target {
		return newerSchema(current, target)
	}
	_, err = provider.Up(ctx)
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		return lcm.Wrap(lcm.KindBroken, err, "Migration %d of the database went wrong; the ones before it are done.",
			partial.Failed.Source.Version)
	}
	return err
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files)
}

func newerSchema(current, target int64) error {
	return lcm.Errorf(lcm.KindInvalid,
		"The database has schema %d of a newer release; this one knows schema %d. Use the newer release.", current, target)
}

// checkSchema compares the database's schema with the schema of this release. It accepts a newer one: during an
// upgrade, the old processes continue until they are replaced.
func (s *Store) checkSchema(ctx context.Context) error {
	target, err := latestMigration()
	if err != nil {
		return interpret("read the migrations", err)
	}
	var current int64
	// When goose reverts a migration, it writes a row with is_applied = false.
	err = s.pool.QueryRow(ctx, `
		select coalesce(max(version_id), 0) from goose_db_version g
		where is_applied and not exists (
			select from goose_db_version later
			where later.version_id = g.version_id and later.id > g.id and not later.is_applied)`).Scan(&current)
	if err != nil {
		return interpret("read the version of the schema", err)
	}
	if current < target {
		return lcm.Errorf(lcm.KindInvalid, "%s It has schema %d, this release needs %d.", schemaAdvice, current, target)
	}
	return nil
}

// latestMigration is the number at the beginning of the last file's name.
func latestMigration() (int64, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		return 0, fmt.Errorf("list the migrations: %w", err)
	}
	var n int64
	_, err = fmt.Sscanf(names[len(names)-1], "migrations/%d_", &n)
	return n, err
}

// closeConn closes conn even when ctx has ended, without waiting long for a server that is gone.
func closeConn(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}
