package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"github.com/windlass-nfv/windlass/internal/freeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// tree is the running whole.
type tree struct {
	opts        Options
	lock        *os.File // held as long as the state directory is ours
	databaseURL string   // of Windlass's own database
	adminURL    string   // of the server, for Temporal's databases
	health      string   // host:port of windlass-temporal's /readyz

	console sync.Mutex

	mu       sync.Mutex
	database *ownDatabase // nil if a server was given
	children []*child     // in the order of their start
}

// newTree checks the options, takes the state directory and settles every address.
func newTree(ctx context.Context, opts Options) (*tree, error) {
	t := &tree{opts: opts}
	if t.opts.Out == nil {
		t.opts.Out = io.Discard
	}
	if err := t.settle(ctx); err != nil {
		return nil, err
	}
	if err := t.takeStateDir(); err != nil {
		return nil, err
	}
	if err := t.ensureKeys(ctx); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// settle fills in defaults and chooses free ports, so that all processes know them.
func (t *tree) settle(ctx context.Context) (err error) {
	o := &t.opts
	if o.StateDir == "" {
		o.StateDir = DefaultStateDir()
	}
	if o.StateDir, err = filepath.Abs(o.StateDir); err != nil {
		return invalid(err, "The state directory %q cannot be resolved.", o.StateDir)
	}
	if o.Executable == "" {
		if o.Executable, err = os.Executable(); err != nil {
			return invalid(err, "The windlass binary cannot be found.")
		}
	}
	var problems []lcm.Problem
	for _, a := range []struct {
		name, fallback string
		address        *string
	}{
		{"api", "127.0.0.1:9890", &o.API},
		{"temporal", "127.0.0.1:7233", &o.Temporal},
		{"ui", "127.0.0.1:8233", &o.UI},
		{"worker-metrics", "127.0.0.1:0", &o.WorkerMetrics},
		{"health", "127.0.0.1:0", &t.health},
	} {
		if *a.address == "" {
			*a.address = a.fallback
		}
		if *a.address, err = freeAddress(ctx, *a.address); err != nil {
			problems = append(problems, lcm.Problem{Path: "--" + a.name, Detail: err.Error()})
		}
	}
	if o.Endpoint == "" {
		o.Endpoint = "http://" + o.API
	}
	return lcm.InvalidAll("Windlass cannot listen where it should.", problems)
}

// freeAddress replaces port 0 and finds out before anything is started that a port is taken.
func freeAddress(ctx context.Context, address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return "", fmt.Errorf("must be an address like 127.0.0.1:9890, not %q", address)
	}
	if port == "0" {
		found, err := freeport.Find(ctx, host)
		return net.JoinHostPort(host, strconv.Itoa(found)), err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return "", fmt.Errorf("%s is in use by another process; end that one or choose another port", address)
	}
	if err != nil {
		return "", fmt.Errorf("cannot listen on %s: %w", address, err)
	}
	return address, l.Close()
}

// takeStateDir makes the directory and locks out a second `windlass dev`. Other accounts may pass through the
// directory, as PostgreSQL must, but not read it.
func (t *tree) takeStateDir() error {
	dir := t.opts.StateDir
	for _, d := range []string{dir, filepath.Join(dir, "logs")} {
		if err := os.MkdirAll(d, 0o711); err != nil {
			return invalid(err, "The state directory %s cannot be made.", d)
		}
	}
	name := filepath.Join(dir, "lock")
	lock, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return invalid(err, "The state directory %s cannot be used.", dir)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner, _ := io.ReadAll(lock)
		_ = lock.Close()
		return lcm.Errorf(lcm.KindConflict,
			"Another windlass dev, process %s, uses %s; stop it or choose another --state-dir.", owner, dir)
	}
	t.lock = lock
	err = errors.Join(lock.Truncate(0), second(lock.WriteString(strconv.Itoa(os.Getpid()))))
	if err != nil {
		return invalid(err, "The state directory %s cannot be written.", dir)
	}
	return nil
}

func second[T any](_ T, err error) error { return err }

func (t *tree) ensureKeys(ctx context.Context) error {
	file := t.keyFile()
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	return secrets.GenerateKeyFile(ctx, file, nil)
}

func (t *tree) keyFile() string { return filepath.Join(t.opts.StateDir, "keys") }

// add starts a child and watches over it from now on.
func (t *tree) add(s spec) *child {
	c := newChild(s, filepath.Join(t.opts.StateDir, "logs", s.name+".log"), t.say, t.writeInfo)
	t.mu.Lock()
	t.children = append(t.children, c)
	t.mu.Unlock()
	go c.run()
	go c.observe()
	return c
}

// close stops the running processes, the youngest first, and releases the state directory. The worker and the API
// server are stopped together: neither needs the other to end.
func (t *tree) close() {
	t.mu.Lock()
	children, db := slices.Clone(t.children), t.database
	t.mu.Unlock()
	var last sync.WaitGroup
	for _, c := range slices.Backward(children) {
		if c.spec.name != temporalName {
			last.Go(c.halt)
		}
	}
	last.Wait()
	for _, c := range children {
		c.halt()
	}
	if db != nil {
		if err := db.halt(); err != nil {
			t.say("PostgreSQL did not stop well: %v", err)
		}
	}
	if t.lock != nil {
		_ = os.Remove(t.infoFile())
		_ = os.Remove(t.envFile())
		_ = t.lock.Close()
	}
}
