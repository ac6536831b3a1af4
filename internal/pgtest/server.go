package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/windlass-nfv/windlass/internal/postgres"
)

// dirPrefix begins the names of the directories of test binaries' servers.
const dirPrefix = "windlass-pgtest-"

// running is the server of this test binary, nil until a test needs it.
var running struct {
	sync.Mutex
	server *postgres.Server
	dir    string
	lock   *os.File // locked as long as dir is in use
}

// serverURL returns the URL of the server's maintenance database.
var serverURL = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(EnvURL); given != "" {
		if _, err := url.Parse(given); err != nil {
			return "", errors.New(EnvURL + " is not a URL like postgres://user:password@host/postgres")
		}
		return given, nil
	}
	removeLeftovers()
	dir, lock, err := newDir()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	server, err := postgres.Start(ctx, postgres.Options{
		Dir: filepath.Join(dir, "server"), Volatile: true, Settings: testSettings,
	})
	if err != nil {
		return "", fmt.Errorf("tests need a PostgreSQL server; install the Debian package postgresql or set %s: %w", EnvURL,
			err)
	}
	running.Lock()
	defer running.Unlock()
	running.server, running.dir, running.lock = server, dir, lock
	return server.URL("postgres"), nil
})

// testSettings allow many pools at once and keep the server small.
var testSettings = []string{"max_connections=300", "shared_buffers=32MB", "autovacuum=off"}

// StartServer starts a separate server that the test may stop, for tests with a database that goes down. With port 0
// the server uses any free port.
func StartServer(tb testing.TB, dir string, port int) *postgres.Server {
	tb.Helper()
	server, err := postgres.Start(tb.Context(), postgres.Options{
		Dir: dir, Port: port, Volatile: true, Settings: testSettings,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = server.Stop() })
	return server
}

// Dir creates a directory that the account of a server may enter, unlike tb.TempDir.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir, lock, err := newDir()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = os.RemoveAll(dir)
		_ = lock.Close()
	})
	return filepath.Join(dir, "server")
}

func stop() error {
	running.Lock()
	defer running.Unlock()
	if running.server == nil {
		return dropTemplate()
	}
	err := running.server.Stop()
	running.server = nil
	return errors.Join(err, os.RemoveAll(running.dir), running.lock.Close())
}

// roots returns the parents of data directories: in memory, if there is enough of it (containers often have 64 MiB),
// otherwise on disk. Memory is faster, because the copy of the template for every test takes most of the time.
func roots() []string {
	const memory, enough = "/dev/shm", 1 << 30
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") == "" && syscall.Statfs(memory, &fs) == nil && fs.Bavail*uint64(fs.Bsize) >= enough { //nolint:gosec // a size is not negative
		return []string{memory, os.TempDir()}
	}
	return []string{os.TempDir()}
}

// newDir creates a directory and locks it until this process ends.
func newDir() (string, *os.File, error) {
	dir, err := os.MkdirTemp(roots()[0], dirPrefix)
	if err != nil {
		return "", nil, err
	}
	// The server's account needs access to its own directory below.
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // holds nothing itself
		return "", nil, err
	}
	lock, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		return "", nil, err
	}
	return dir, lock, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// removeLeftovers removes the directories of test binaries that ended without Run.
func removeLeftovers() {
	var dirs []string
	for _, root := range roots() {
		found, _ := filepath.Glob(filepath.Join(root, dirPrefix+"*"))
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
		lock, err := os.Open(filepath.Join(dir, "lock"))
		if err != nil {
			continue // another process is creating it, or it belongs to another user
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}
