// Package store keeps in PostgreSQL what Windlass must not forget: packages, VIMs, VNF instances,
// operations with their steps and events, host keys and sealed secrets. SQL stops here, and every
// error is an *lcm.Error: NotFound, Conflict, Invalid, Unavailable (worth another try) or Bug.
//
// Times and versions are the database's: what a caller puts into Created, Updated, StartTime,
// StateEnteredTime or (when creating) Version is not looked at.
package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Store is safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	hub  *hub
	// slowPoll bounds how late a waiter of WaitEvents is when notifications do not arrive.
	slowPoll time.Duration
}

// DefaultConnections is how many connections a Store makes at most. The driver's own four make hundreds of operations
// wait for each other; PostgreSQL has a hundred for all.
const DefaultConnections = 16

// Open connects to the database, whose schema must be that of this release, with at most DefaultConnections. Close ends
// it.
func Open(ctx context.Context, databaseURL string) (*Store, error) {
	return OpenWith(ctx, databaseURL, DefaultConnections)
}

// OpenWith is Open with another number of connections at most. A URL that says pool_max_conns itself wins.
func OpenWith(ctx context.Context, databaseURL string, connections int) (*Store, error) {
	return open(ctx, databaseURL, connections, nil)
}

// OpenTraced is OpenWith; queries that belong to a span that is recorded have one of their own.
func OpenTraced(ctx context.Context, databaseURL string, connections int) (*Store, error) {
	return open(ctx, databaseURL, connections, queryTracer{})
}

func open(ctx context.Context, databaseURL string, connections int, tracer pgx.QueryTracer) (*Store, error) {
	cfg, err := poolConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.Tracer = tracer
	if !strings.Contains(databaseURL, "pool_max_conns=") { // the driver would take the number of processors, or 4
		cfg.MaxConns = int32(connections) //nolint:gosec // checked where it comes from
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, interpret("open the database", err)
	}
	s := &Store{pool: pool, hub: newHub(cfg.ConnConfig), slowPoll: slowPoll}
	if err := s.checkSchema(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends all connections; callers must have returned theirs. Waiters of WaitEvents get Unavailable.
func (s *Store) Close() {
	s.hub.close()
	s.pool.Close()
}

// Ping tells whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	return interpret("reach the database", s.pool.Ping(ctx))
}

func poolConfig(databaseURL string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		// The cause is left out: it may quote the URL, password and all.
		return nil, lcm.Errorf(lcm.KindInvalid,
			"The database URL cannot be understood; it should look like postgres://user:password@host:5432/windlass.")
	}
	prepareConn(cfg.ConnConfig)
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID,
			Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
	return cfg, nil
}

func prepareConn(cfg *pgx.ConnConfig) {
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	defaults := map[string]string{
		"application_name": "windlass",
		"timezone":         "UTC",
		// No transaction here waits for anything but the database: one that idles has lost its process.
		"idle_in_transaction_session_timeout": "60s",
	}
	for name, value := range defaults {
		if _, given := cfg.RuntimeParams[name]; !given {
			cfg.RuntimeParams[name] = value
		}
	}
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// one reads the row that sql selects; missing is the error when there is none.
func one[T any](
	ctx context.Context, q querier, scan pgx.RowToFunc[T], missing *lcm.Error, sql string, args pgx.NamedArgs,
) (T, error) {
	rows, _ := q.Query(ctx, sql, args) // the collector returns the error
	v, err := pgx.CollectExactlyOneRow(rows, scan)
	return v, interpretMissing("read from the database", err, missing)
}

// all reads the rows that sql selects, in its order; no rows are an empty slice.
func all[T any](ctx context.Context, q querier, scan pgx.RowToFunc[T], sql string, args pgx.NamedArgs) ([]T, error) {
	rows, _ := q.Query(ctx, sql, args)
	v, err := pgx.CollectRows(rows, scan)
	return v, interpret("read from the database", err)
}

// inTransaction runs do in one transaction. Errors of do that are not *lcm.Error are interpreted as op's.
func (s *Store) inTransaction(ctx context.Context, op string, do func(tx pgx.Tx) error) error {
	return interpret(op, pgx.BeginFunc(ctx, s.pool, do))
}
