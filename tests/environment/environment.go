// Package environment brings Windlass and a cloud for it up as a user does, from built binaries: for the demo, the
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

// Options say what is brought up.
type Options struct {
	// Dir holds all state.
	Dir string
	// Cloud is what Windlass makes its VNFs in.
	Cloud Cloud
	// API, Temporal and UI are where the parts listen; port 0 takes any free one.
	API, Temporal, UI string
	// Out gets a line for everything that takes time.
	Out io.Writer
	// Seeded begins with databases that are prepared, and written without waiting for the disk: for tests, which bring up
	// many environments.
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

// At is the environment with those options, whether it runs or not.
func At(o Options) (*Environment, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return &Environment{Options: o, Root: root}, nil
}

// Start brings everything up; what runs already is left as it is.
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

// site is what a cloud is told of its surroundings.
func (e *Environment) site() Site { return Site{Root: e.Root, Dir: e.Dir, Out: e.Out} }

// Bin is a built binary.
func (e *Environment) Bin(name string) string { return e.site().Bin(name) }

func (e *Environment) dev() *process  { return &process{name: "windlass-dev", dir: e.Dir} }
func (e *Environment) devDir() string { return filepath.Join(e.Dir, "dev") }

// upLimit is how long a busy machine may take to bring up PostgreSQL, Temporal and Windlass.
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

// Info is where Windlass listens and which processes it consists of now.
func (e *Environment) Info() (dev.Info, error) { return dev.ReadInfo(e.devDir()) }

// Stop stops Windlass, and takes the cloud down with everything that it made if it is this environment's.
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

// Windlass prepares a call of the command line client.
func (e *Environment) Windlass(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.Bin("windlass"), args...)
	info, _ := e.Info()
	cmd.Env = append(os.Environ(), "WINDLASS_API="+info.API)
	cmd.Dir = e.Root
	return cmd
}
