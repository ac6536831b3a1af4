// Package postgres runs a private PostgreSQL server as a child process, for `windlass dev` and for tests. The server
// listens on the loopback address only, with its own password. It ends with the process that started it, however that
// process ends.
package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/freeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// superuser is the one role of the server; it owns all databases.
const superuser = "windlass"

// Options say where the server keeps its data and which binaries it runs.
type Options struct {
	// Dir holds the cluster, the password and the log; it is made when absent and may be used again.
	Dir string
	// Bin is the directory of initdb and postgres; "" looks for Debian's newest, then in $PATH.
	Bin string
	// Port is 0 for any free one.
	Port int
	// Settings are further lines of postgresql.conf, e.g. "max_connections=300".
	Settings []string
	// Volatile trades safety for speed: data does not survive a crash of the host. For tests.
	Volatile bool
}

// Server is a running PostgreSQL.
type Server struct {
	opts     Options
	account  account
	password string
	port     int

	process *os.Process
	ended   chan struct{}
	endErr  error // set before ended is closed
	stop    sync.Once
}

// Start makes the cluster if there is none, and returns once the server answers. ctx limits the start only.
func Start(ctx context.Context, opts Options) (*Server, error) {
	bin, err := findBin(opts.Bin)
	if err != nil {
		return nil, err
	}
	opts.Bin = bin
	if opts.Dir, err = filepath.Abs(opts.Dir); err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The directory %q of PostgreSQL cannot be resolved.", opts.Dir)
	}
	s := &Server{opts: opts, port: opts.Port, ended: make(chan struct{})}
	if s.account, err = unprivileged(); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if s.port == 0 {
		if s.port, err = freeport.Find(ctx, "127.0.0.1"); err != nil {
			return nil, err
		}
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	if err := s.waitReady(ctx); err != nil {
		_ = s.Stop()
		return nil, err
	}
	return s, nil
}

// URL is where that database of the server is reached. It holds the password.
func (s *Server) URL(database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, s.password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Port is where the server listens.
func (s *Server) Port() int { return s.port }

// Done is closed when the server has ended, by Stop or by itself; Err then tells how.
func (s *Server) Done() <-chan struct{} { return s.ended }

// Err is nil while the server runs and after it ended well.
func (s *Server) Err() error {
	select {
	case <-s.ended:
		return s.endErr
	default:
		return nil
	}
}

// Stop shuts the server down and waits for its end; open connections are cut.
func (s *Server) Stop() error {
	// SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
	s.stop.Do(func() { _ = s.process.Signal(syscall.SIGINT) })
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		_ = s.process.Signal(syscall.SIGQUIT) // immediate; recovers at the next start
		<-s.ended
	}
	return s.endErr
}

// EnsureDatabase makes the database when it is absent.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "PostgreSQL in %s does not answer.", s.opts.Dir)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var exists bool
	err = conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize())
	}
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "The database %q cannot be made.", name)
	}
	return nil
}

// waitReady asks until the server answers or has ended.
func (s *Server) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.ended:
			return lcm.Errorf(lcm.KindBroken, "PostgreSQL ended while starting; its log %s says: %s", s.logFile(), s.lastWords())
		case <-ctx.Done():
			return lcm.Wrap(lcm.KindUnavailable, errors.Join(ctx.Err(), err), "PostgreSQL in %s did not become ready; see %s.",
				s.opts.Dir, s.logFile())
		case <-again.C:
		}
	}
}

func (s *Server) logFile() string { return filepath.Join(s.opts.Dir, "postgres.log") }

// lastWords are the complaints at the end of the server's log.
func (s *Server) lastWords() string {
	log, err := os.ReadFile(s.logFile())
	if err != nil {
		return err.Error()
	}
	var complaints []string
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "FATAL:") || strings.Contains(line, "ERROR:") || strings.Contains(line, "could not") {
			complaints = append(complaints, strings.TrimSpace(line))
		}
	}
	if len(complaints) == 0 {
		return "nothing"
	}
	return strings.Join(complaints[max(0, len(complaints)-3):], "; ")
}

func newPassword() string { return rand.Text() }
