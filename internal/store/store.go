// Package store keeps the durable state of Windlass in PostgreSQL: packages, VIMs, VNF instances, operations with their
// steps and events, host keys and sealed secrets. No other package uses SQL. Every error is an *lcm.Error: NotFound,
// Conflict, Invalid, Unavailable (worth another try) or Bug.
//
// The database sets times and versions. It ignores the caller's values of Created, Updated, StartTime, StateEnteredTime
// and (when creating) Version.
package store

import (
	"context"
	"strconv"
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
	// lists is for lists with filters: however much work they are, everything else finds connections.
	lists *pgxpool.Pool
	hub   *hub
	feed  *feed
	// slowPoll limits the delay of WaitEvents when notifications do not arrive.
	slowPoll time.Duration
}

// Limits of PostgreSQL for one statement. Migrations have none.
const (
	longestStatement = 30 * time.Second
	longestList      = 5 * time.Second
)

// DefaultConnections is the largest number of connections of a Store. With the driver's own default of four, hundreds
// of operations would wait for each other. PostgreSQL allows a hundred connections in all.
const DefaultConnections = 16

// Open connects to the database with at most DefaultConnections. The schema must be that of this release. Close ends
// the connections.
func Open(ctx context.Context, databaseURL string) (*Store, error) {
	return OpenWith(ctx, databaseURL, DefaultConnections)
}

// OpenWith is Open with another limit of connections. A URL with pool_max_conns overrides it.
func OpenWith(ctx context.Context, databaseURL string, connections int) (*Store, error) {
	return open(ctx, databaseURL, connections, nil)
}

// OpenTraced is OpenWith with tracing: each query inside a recorded span gets a span of its own.
func OpenTraced(ctx context.Context, databaseURL string, connections int) (*Store, error) {
	return open(ctx, databaseURL, connections, queryTracer{})
}

func open(ctx context.Context, databaseURL string, connections int, tracer pgx.QueryTracer) (*Store, error) {
	cfg, err := poolConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.Tracer = tracer
	if !strings.Contains(databaseURL, "pool_max_conns=") { // the driver's default is the number of processors, or 4
		cfg.MaxConns = int32(connections) //nolint:gosec // the caller checks it
	}
	ofLists := cfg.Copy()
	ofLists.MaxConns = max(1, cfg.MaxConns/4)
	cfg.MaxConns = max(2, cfg.MaxConns-ofLists.MaxConns)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, interpret("open the database", err)
	}
	ofLists.ConnConfig.RuntimeParams[statementTimeout] = inMilliseconds(longestList)
	lists, err := pgxpool.NewWithConfig(ctx, ofLists)
	if err != nil {
		pool.Close()
		return nil, interpret("open the database", err)
	}
	s := &Store{pool: pool, lists: lists, hub: newHub(cfg.ConnConfig), slowPoll: slowPoll}
	s.feed = &feed{ctx: s.hub.ctx, last: s.LastEvent, read: s.readAllEvents, wait: s.waitAnyEvents}
	if err := s.checkSchema(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends all connections. Callers must have returned theirs. Callers that wait in WaitEvents get Unavailable.
func (s *Store) Close() {
	s.hub.close()
	s.feed.ended.Wait()
	s.lists.Close()
	s.pool.Close()
}

// Ping checks that the database answers.
func (s *Store) Ping(ctx context.Context) error {
	return interpret("reach the database", s.pool.Ping(ctx))
}

func poolConfig(databaseURL string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		// The error omits the cause: it may quote the URL with the password.
		return nil, lcm.Errorf(lcm.KindInvalid,
			"The database URL cannot be understood; it should look like postgres://user:password@host:5432/windlass.")
	}
	prepareConn(cfg.ConnConfig)
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
	return cfg, nil
}

// statementTimeout is PostgreSQL's parameter.
const statementTimeout = "statement_timeout"

func inMilliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func prepareConn(cfg *pgx.ConnConfig) {
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	defaults := map[string]string{
		"application_name": "windlass",
		"timezone":         "UTC",
		// Transactions here wait for the database only. An idle transaction has lost its process.
		"idle_in_transaction_session_timeout": "60s",
		statementTimeout:                      inMilliseconds(longestStatement),
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

// one reads the row that sql selects. missing is the error when there is no row.
func one[T any](
	ctx context.Context, q querier, scan pgx.RowToFunc[T], missing *lcm.Error, sql string, args pgx.NamedArgs,
) (T, error) {
	rows, _ := q.Query(ctx, sql, args) // the collector returns the error
	v, err := pgx.CollectExactlyOneRow(rows, scan)
	return v, interpretMissing("read from the database", err, missing)
}

// all reads the rows that sql selects, in its order. Without rows, it returns an empty slice.
func all[T any](ctx context.Context, q querier, scan pgx.RowToFunc[T], sql string, args pgx.NamedArgs) ([]T, error) {
	rows, _ := q.Query(ctx, sql, args)
	v, err := pgx.CollectRows(rows, scan)
	return v, interpret("read from the database", err)
}

// inTransaction runs do in one transaction. op names the work in errors of do that are not *lcm.Error.
func (s *Store) inTransaction(ctx context.Context, op string, do func(tx pgx.Tx) error) error {
	return interpret(op, pgx.BeginFunc(ctx, s.pool, do))
}
