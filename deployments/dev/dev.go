// Package dev runs all of Windlass on one machine as one process tree: PostgreSQL, Temporal with its Web UI, the API
// server and the worker. Each is a separate process, as in production, so a developer can kill one and the others go
// on. A process that ends by itself is started again.
package dev

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// The namespace and the databases of the tree.
const (
	namespace = "windlass"
	database  = "windlass"
)

// Options say where the tree stores its files and listens. Addresses are host:port; port 0 takes any free one.
type Options struct {
	// StateDir holds databases, keys, logs and dev.json; DefaultStateDir tells the default.
	StateDir string
	// API, Temporal, UI and WorkerMetrics are where the processes listen.
	API, Temporal, UI, WorkerMetrics string
	// Endpoint is the URL of the API in answers; default: http:// and API.
	Endpoint string
	// DatabaseURL is a PostgreSQL server to use instead of our own.
	DatabaseURL string
	// PostgresBin is the directory of PostgreSQL's programs, TemporalBin the file windlass-temporal; both are
	// looked for by default.
	PostgresBin, TemporalBin string
	// NoAPIServer and NoWorker leave a process out, e.g. to run it in a debugger.
	NoAPIServer, NoWorker bool
	// Executable is the windlass binary; default: the running one.
	Executable string
	// LogLevel is the log level of the API server and the worker: debug, info, warn or error.
	LogLevel string
	// Env are further NAME=value for the API server and the worker.
	Env []string
	// Out gets a line for everything a person should know.
	Out io.Writer
}

// DefaultStateDir is ~/.local/state/windlass, as XDG says. For root it is outside of the home directory: PostgreSQL
// then runs as another account, which cannot enter the home directory.
func DefaultStateDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/windlass/dev"
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "windlass")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "."
	}
	return filepath.Join(home, ".local", "state", "windlass")
}

// Run starts the tree and keeps it running until ctx ends; then it stops everything in order. It returns nil after a
// requested stop.
func Run(ctx context.Context, opts Options) error {
	begun := time.Now()
	t, err := newTree(ctx, opts)
	if err != nil {
		return err
	}
	defer t.close()
	if err := t.start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // stopped while starting
		}
		return err
	}
	t.announce(time.Since(begun))
	<-ctx.Done()
	t.say("Stopping.")
	return nil
}

// start starts the processes in the order of their dependencies.
func (t *tree) start(ctx context.Context) error {
	g, starting := errgroup.WithContext(ctx)
	var temporalBin string
	g.Go(func() error { return t.timed("PostgreSQL", func() error { return t.startDatabase(starting) }) })
	g.Go(func() (err error) {
		temporalBin, err = t.findTemporal(starting)
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	if err := t.writeEnv(); err != nil {
		return err
	}
	g, starting = errgroup.WithContext(ctx)
	g.Go(func() error { return store.Migrate(starting, t.databaseURL) })
	g.Go(func() error {
		return t.timed("Temporal", func() error { return t.startChild(starting, t.temporal(temporalBin)) })
	})
	if err := g.Wait(); err != nil {
		return err
	}
	g, starting = errgroup.WithContext(ctx)
	if !t.opts.NoAPIServer {
		g.Go(func() error {
			return t.timed("API server", func() error { return t.startChild(starting, t.apiServer()) })
		})
	}
	if !t.opts.NoWorker {
		g.Go(func() error { return t.timed("Worker", func() error { return t.startChild(starting, t.worker()) }) })
	}
	return g.Wait()
}

func (t *tree) startChild(ctx context.Context, s spec) error {
	c := t.add(s)
	return c.awaitReady(ctx)
}

// timed tells how long a part took to come up.
func (t *tree) timed(name string, start func() error) error {
	begun := time.Now()
	if err := start(); err != nil {
		return err
	}
	t.say("%-12s ready after %.1f s", name, time.Since(begun).Seconds())
	return nil
}

// announce tells where everything is.
func (t *tree) announce(took time.Duration) {
	t.say("\nWindlass is ready after %.1f s.", took.Seconds())
	if !t.opts.NoAPIServer {
		t.say("  API          %s", t.opts.Endpoint)
		t.say("  Web page     %s/ui", t.opts.Endpoint)
		t.say("  Docs         %s/docs (the API: %s/docs/api)", t.opts.Endpoint, t.opts.Endpoint)
	}
	t.say("  Temporal     %s, namespace %s", t.opts.Temporal, namespace)
	t.say("  Temporal UI  http://%s/namespaces/%s/workflows", t.opts.UI, namespace)
	t.say("  Logs         %s", filepath.Join(t.opts.StateDir, "logs"))
	if t.opts.NoAPIServer || t.opts.NoWorker {
		t.say("\nStart what was left out with this environment:\n  set -a; . %s; set +a", t.envFile())
	}
	t.say("\nCtrl-C stops everything. Every file is under %s.", t.opts.StateDir)
}

func (t *tree) say(format string, args ...any) {
	t.console.Lock()
	defer t.console.Unlock()
	fmt.Fprintf(t.opts.Out, format+"\n", args...)
}

// invalid makes an Invalid error with its cause.
func invalid(err error, format string, args ...any) error {
	return lcm.Wrap(lcm.KindInvalid, err, format, args...)
}
