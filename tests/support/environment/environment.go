// Package environment starts Windlass and a cloud for it from built binaries, as a user does: for the demo, the
// end-to-end tests and the benchmark.
package environment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/windlass-nfv/windlass/deployments/dev"
)

// Options say what Start starts.
type Options struct {
	// Dir holds all state.
	Dir string
	// Cloud is the cloud in which Windlass makes its VNFs.
	Cloud Cloud
	// API, Temporal and UI are the addresses where the parts listen; with port 0 they use any free port.
	API, Temporal, UI string
	// Out gets a line for everything that takes long.
	Out io.Writer
	// Seeded starts with prepared databases, which do not wait for the disk. It is for tests, which start many
	// environments.
	Seeded bool
}

// Environment is a Windlass and a cloud.
type Environment struct {
	Options
	// Root is the checkout.
	Root string
}

// Root finds the checkout that the working directory is in.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if b, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil &&
			bytes.HasPrefix(b, []byte("module github.com/windlass-nfv/windlass\n")) {
			return dir, nil
		}
	}
	return "", errors.New("run this in a checkout of Windlass")
}

// At returns the environment with these options, whether it runs or not.
func At(o Options) (*Environment, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return &Environment{Options: o, Root: root}, nil
}

// Start starts everything that does not run yet.
func Start(ctx context.Context, o Options) (*Environment, error) {
	e, err := At(o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	if err := o.Cloud.Up(ctx, e.site()); err != nil {
		return e, err
	}
	if o.Seeded {
		if err := e.seed(ctx); err != nil {
			return e, err
		}
	}
	return e, e.StartDev(ctx)
}

// site returns what a cloud needs to know of the environment.
func (e *Environment) site() Site { return Site{Root: e.Root, Dir: e.Dir, Out: e.Out} }

// Bin returns the path of a built binary.
func (e *Environment) Bin(name string) string { return e.site().Bin(name) }

func (e *Environment) dev() *process  { return &process{name: "windlass-dev", dir: e.Dir} }
func (e *Environment) devDir() string { return filepath.Join(e.Dir, "dev") }

// upLimit is the limit for starting PostgreSQL, Temporal and Windlass on a busy machine.
const upLimit = 10 * time.Minute

// StartDev starts Windlass and waits until it answers.
func (e *Environment) StartDev(ctx context.Context) error {
	windlass := e.dev()
	err := windlass.start(ctx, e.Bin("windlass"), "dev", "--state-dir", e.devDir(), "--api", e.API, "--temporal",
		e.Temporal, "--ui", e.UI)
	if err != nil {
		return err
	}
	err = windlass.await(ctx, upLimit, nil, func() error {
		info, err := e.Info()
		if err != nil {
			return err
		}
		return answers(ctx, info.API+"/readyz")
	})
	if err != nil {
		return fmt.Errorf("windlass dev does not come up: %w\n%s", err, windlass.tail())
	}
	return nil
}

// Info returns the addresses where Windlass listens, and its current processes.
func (e *Environment) Info() (dev.Info, error) { return dev.ReadInfo(e.devDir()) }

// Stop stops Windlass. It also removes the cloud, with everything in it, if the cloud belongs to this environment.
func (e *Environment) Stop(ctx context.Context) error {
	return errors.Join(e.StopDev(), e.Cloud.Down(ctx, e.site()))
}

// StopDev stops Windlass.
func (e *Environment) StopDev() error { return e.dev().stop(30 * time.Second) }

func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s answers %s", url, res.Status)
	}
	return nil
}

// Windlass prepares a command of the command line client.
func (e *Environment) Windlass(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.Bin("windlass"), args...)
	info, _ := e.Info()
	cmd.Env = append(os.Environ(), "WINDLASS_API="+info.API)
	cmd.Dir = e.Root
	return cmd
}
