package environment

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/windlass-nfv/windlass/internal/postgres"
)

// databases are those of Windlass and of Temporal.
var databases = []string{"windlass", "temporal", "temporal_visibility"}

// sqlDir is the folder of a snapshot with the databases, as SQL: a later PostgreSQL reads it, too.
const sqlDir = "sql"

// Save ends the environment and writes all that Restore needs into an archive: the databases, the keys, and the cloud,
// which must be a lab with fake machines.
func (e *Environment) Save(ctx context.Context, archive string) error {
	if err := errors.Join(e.StopDev(), labProcess(e.site()).stop(30*time.Second)); err != nil {
		return err
	}
	err := e.withPostgres(ctx, func(server *postgres.Server) error {
		if err := os.MkdirAll(filepath.Join(e.Dir, sqlDir), 0o700); err != nil {
			return err
		}
		for _, name := range databases {
			file := filepath.Join(e.Dir, sqlDir, name)
			if err := runs(ctx, "pg_dump", server.URL(name), "--no-owner", "--no-privileges", "--file", file); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	lab, err := filepath.Rel(e.Dir, LabDir(e.Dir))
	if err != nil {
		return err
	}
	return tar(ctx, "--create", "--gzip", "--sort=name", "--owner=0", "--group=0", "--file", archive, "--directory", e.Dir,
		sqlDir, lab, "dev/keys")
}

// Restore makes the state of an environment in a directory, as Save has saved it. Start goes on from there.
func (e *Environment) Restore(ctx context.Context, archive string) error {
	if err := tar(ctx, "--extract", "--file", archive, "--directory", e.Dir); err != nil {
		return err
	}
	if err := os.Chmod(e.devDir(), 0o711); err != nil { //nolint:gosec // PostgreSQL's account must be able to enter
		return err
	}
	return e.withPostgres(ctx, func(server *postgres.Server) error {
		for _, name := range databases {
			if err := server.EnsureDatabase(ctx, name); err != nil {
				return err
			}
			file := filepath.Join(e.Dir, sqlDir, name)
			if err := runs(ctx, "psql", server.URL(name), "--quiet", "--set", "ON_ERROR_STOP=1", "--file", file); err != nil {
				return err
			}
		}
		return nil
	})
}

// withPostgres runs the environment's PostgreSQL alone.
func (e *Environment) withPostgres(ctx context.Context, do func(*postgres.Server) error) error {
	server, err := postgres.Start(ctx, postgres.Options{Dir: filepath.Join(e.devDir(), "postgres"), Volatile: true})
	if err != nil {
		return err
	}
	return errors.Join(do(server), server.Stop())
}

// runs runs a program of PostgreSQL.
func runs(ctx context.Context, program, url string, args ...string) error {
	cmd, err := PostgresCommand(ctx, program, url, args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %q: %w: %s", program, args, err, out)
	}
	return nil
}

// PostgresCommand prepares a program of PostgreSQL on a database. The password is not among its arguments, which every
// user of the host sees.
func PostgresCommand(ctx context.Context, program, database string, args ...string) (*exec.Cmd, error) {
	at, err := url.Parse(database)
	if err != nil {
		return nil, errors.New("the URL of the database cannot be read") // the error would quote it
	}
	password, _ := at.User.Password()
	at.User = url.User(at.User.Username())
	cmd := exec.CommandContext(ctx, program, append(args, at.String())...)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password)
	return cmd, nil
}
