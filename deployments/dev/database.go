package dev

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/postgres"
)

// ownDatabase is a PostgreSQL server that is started again, on the same port, when it ends.
type ownDatabase struct {
	opts    postgres.Options
	say     func(format string, args ...any)
	changed func()

	mu     sync.Mutex
	server *postgres.Server
	halted bool
}

// startDatabase sets databaseURL and adminURL; it starts our own server unless a URL is given.
func (t *tree) startDatabase(ctx context.Context) error {
	if given := t.opts.DatabaseURL; given != "" {
		u, err := url.Parse(given)
		if err != nil {
			return invalid(nil, "The database's URL is not one like postgres://user:password@host/windlass.")
		}
		t.databaseURL, t.adminURL = given, u.String()
		return nil
	}
	opts := postgres.Options{Dir: filepath.Join(t.opts.StateDir, "postgres"), Bin: t.opts.PostgresBin}
	server, err := postgres.Start(ctx, opts)
	if err != nil {
		return err
	}
	opts.Port = server.Port() // all others know it from now on
	db := &ownDatabase{opts: opts, say: t.say, changed: t.writeInfo, server: server}
	t.mu.Lock()
	t.database = db
	t.databaseURL, t.adminURL = server.URL(database), server.URL("postgres")
	t.mu.Unlock()
	go db.watch(server)
	return server.EnsureDatabase(ctx, database)
}

// watch starts the server again whenever it ends by itself.
func (d *ownDatabase) watch(server *postgres.Server) {
	pause := firstPause
	for {
		<-server.Done()
		d.mu.Lock()
		halted := d.halted
		d.mu.Unlock()
		if halted {
			return
		}
		d.say("PostgreSQL has ended and is started again in %s; see %s.", pause, d.opts.Dir)
		<-time.After(pause)
		pause = min(2*pause, longestTime)
		if next := d.restart(); next != nil {
			server, pause = next, firstPause
		}
	}
}

// restart returns nil when the server was stopped meanwhile, or cannot be started for now.
func (d *ownDatabase) restart() *postgres.Server {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.halted {
		return nil
	}
	server, err := postgres.Start(context.Background(), d.opts)
	if err != nil {
		d.say("PostgreSQL does not start: %v", err)
		return nil
	}
	d.server = server
	go d.changed()
	return server
}

func (d *ownDatabase) halt() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.halted = true
	return d.server.Stop()
}

// pid is in the first line of the server's own file.
func (d *ownDatabase) pid() int {
	b, err := os.ReadFile(filepath.Join(d.opts.Dir, "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(first))
	return pid
}
