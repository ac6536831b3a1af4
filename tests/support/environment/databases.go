package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/windlass-nfv/windlass/internal/postgres"
)

// seed copies databases to the directory that windlass dev uses, with Temporal's schemas prepared. They are made once
// for each build of windlass-temporal, and kept in the checkout.
func (e *Environment) seed(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(e.devDir(), "postgres")); err == nil {
		return nil // windlass dev has run before
	}
	archive, err := e.databases(ctx)
	if err != nil {
		return fmt.Errorf("databases with Temporal's schemas cannot be made: %w", err)
	}
	if err := os.MkdirAll(e.devDir(), 0o711); err != nil { //nolint:gosec // PostgreSQL's account must be able to enter
		return err
	}
	return tar(ctx, "--extract", "--sparse", "--file", archive, "--directory", e.devDir())
}

// databases returns the path of the archive. If several processes need it, one makes it, and the others wait.
func (e *Environment) databases(ctx context.Context) (string, error) {
	kept := filepath.Join(e.Root, ".build")
	if err := os.MkdirAll(kept, 0o755); err != nil { //nolint:gosec // as all of the checkout
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(kept, "databases.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil { //nolint:gosec // descriptors are small
		return "", err
	}
	temporal, err := os.Stat(e.Bin("windlass-temporal"))
	if err != nil {
		return "", err
	}
	archive := filepath.Join(kept, fmt.Sprintf("databases-%x-%x.tar", temporal.ModTime().UnixNano(), temporal.Size()))
	if _, err := os.Stat(archive); !errors.Is(err, fs.ErrNotExist) {
		return archive, err
	}
	former, _ := filepath.Glob(filepath.Join(kept, "databases-*.tar*"))
	for _, file := range former {
		_ = os.Remove(file)
	}
	return archive, e.makeDatabases(ctx, archive)
}

func (e *Environment) makeDatabases(ctx context.Context, archive string) error {
	dir, err := os.MkdirTemp("/var/tmp", "windlass-databases-") // PostgreSQL's account must be able to enter it
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // as above
		return err
	}
	server, err := postgres.Start(ctx, postgres.Options{Dir: filepath.Join(dir, "postgres"), Volatile: true})
	if err != nil {
		return err
	}
	migrate := exec.CommandContext(ctx, e.Bin("windlass-temporal"), "migrate")
	migrate.Env = append(os.Environ(), "WINDLASS_TEMPORAL_DATABASE_URL="+server.URL("postgres"))
	out, err := migrate.CombinedOutput()
	if err := errors.Join(err, server.Stop()); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	// fsync may be off here: tests may kill PostgreSQL but not the host, whose memory keeps the written data.
	conf := filepath.Join(dir, "postgres", "data", "postgresql.auto.conf")
	if err := os.WriteFile(conf, []byte("fsync = off\nfull_page_writes = off\n"), 0o600); err != nil {
		return err
	}
	unfinished := archive + ".unfinished"
	if err := tar(ctx, "--create", "--sparse", "--file", unfinished, "--directory", dir, "postgres"); err != nil {
		return err
	}
	return os.Rename(unfinished, archive)
}

func tar(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, "tar", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("tar: %w: %s", err, out)
	}
	return nil
}
