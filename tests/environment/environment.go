// Package environment brings Windlass and its lab up as a user does, from built binaries: for the demo, the
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
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/deployments/dev"
)

// Options say what is brought up.
type Options struct {
	// Dir holds all state.
	Dir string
	// Machines is the lab's machine driver: nspawn or fake.
	Machines string
	// API, Temporal, UI and Lab are where the parts listen; port 0 takes any free one.
	API, Temporal, UI, Lab string
	// LabArgs are further arguments of windlass-lab up.
	LabArgs []string
	// Out gets a line for everything that takes time.
	Out io.Writer
}

// Environment is a lab and a Windlass that know each other.
type Environment struct {
	Options
	// Root is the checkout.
	Root string
	// Cloud is how to log in to the lab: OS_AUTH_URL, OS_USERNAME, ...
	Cloud map[string]string
}

// Root finds the checkout that the working directory is in.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if b, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && bytes.HasPrefix(b, []byte("module github.com/windlass-nfv/windlass\n")) {
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
	if err := e.StartLab(ctx); err != nil {
		return e, err
	}
	return e, e.startDev(ctx)
}

// Bin is a built binary.
func (e *Environment) Bin(name string) string { return filepath.Join(e.Root, "bin", name) }

func (e *Environment) lab() *process { return &process{name: "windlass-lab", dir: e.Dir} }
func (e *Environment) dev() *process { return &process{name: "windlass-dev", dir: e.Dir} }

// LabDir is the lab's state directory.
func (e *Environment) LabDir() string { return filepath.Join(e.Dir, "lab") }
func (e *Environment) devDir() string { return filepath.Join(e.Dir, "dev") }

// StartLab starts the cloud in a box and waits until it answers.
func (e *Environment) StartLab(ctx context.Context) error {
	args := append([]string{"up", "--machines", e.Machines, "--listen", e.Lab, "--state-dir", e.LabDir()}, e.LabArgs...)
	lab := e.lab()
	if err := lab.start(ctx, e.Bin("windlass-lab"), args...); err != nil {
		return err
	}
	// The first time the lab builds the image of its machines, which takes minutes.
	err := e.await(ctx, 40*time.Minute, lab, e.Out, func() error {
		out, err := exec.CommandContext(ctx, e.Bin("windlass-lab"), "openrc", "--state-dir", e.LabDir()).Output()
		if err != nil {
			return err
		}
		e.Cloud = parseOpenRC(string(out))
		return answers(ctx, e.Cloud["OS_AUTH_URL"])
	})
	if err != nil {
		return fmt.Errorf("the lab does not come up: %w\n%s", err, lab.tail())
	}
	return nil
}

func parseOpenRC(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if ok {
			out[name] = strings.Trim(value, `'"`)
		}
	}
	return out
}

func (e *Environment) startDev(ctx context.Context) error {
	windlass := e.dev()
	err := windlass.start(ctx, e.Bin("windlass"), "dev", "--state-dir", e.devDir(), "--api", e.API, "--temporal", e.Temporal, "--ui", e.UI)
	if err != nil {
		return err
	}
	err = e.await(ctx, 3*time.Minute, windlass, nil, func() error {
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

// Stop stops Windlass and takes the lab down with everything that it made.
func (e *Environment) Stop(ctx context.Context) error {
	return errors.Join(e.StopDev(), e.StopLab(), e.down(ctx))
}

// StopDev stops Windlass.
func (e *Environment) StopDev() error { return e.dev().stop(30 * time.Second) }

// StopLab stops the lab's process; its machines go on.
func (e *Environment) StopLab() error { return e.lab().stop(30 * time.Second) }

// LabPID is the lab's process, 0 when it does not run.
func (e *Environment) LabPID() int { return e.lab().running() }

func (e *Environment) down(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, e.Bin("windlass-lab"), "down", "--state-dir", e.LabDir()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("windlass-lab down: %w\n%s", err, out)
	}
	return nil
}

// await asks until there is no error, and shows meanwhile on out what the process logs; it gives up when the process ended or time is over.
func (e *Environment) await(ctx context.Context, limit time.Duration, p *process, out io.Writer, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := ask()
		p.echo(out)
		if err == nil {
			return nil
		}
		if p.running() == 0 {
			return fmt.Errorf("%s has ended", p.name)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

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
