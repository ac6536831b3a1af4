package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// run is one run of a suite.
type run struct {
	commit  string
	passed  int // tests, without subtests
	failed  []failedTest
	seconds float64
	log     string
}

// failedTest is a test that failed, and the end of what it printed.
type failedTest struct{ name, output string }

func (r run) String() string {
	if len(r.failed) == 0 {
		return fmt.Sprintf("passed: %d tests in %.0f s", r.passed, r.seconds)
	}
	var names []string
	for _, f := range r.failed {
		names = append(names, f.name)
	}
	return fmt.Sprintf("FAILED: %s (%s)", strings.Join(names, ", "), r.log)
}

// run runs the suite's task once. It returns an error only if there is no result to count.
func (o options) run(ctx context.Context, suite string) (r run, err error) {
	if r.commit, err = commit(ctx); err != nil {
		return r, err
	}
	r.log = o.log(suite, r.commit)
	log, err := os.Create(r.log)
	if err != nil {
		return r, err
	}
	defer log.Close()
	stop := keepBusy(o.busy)
	defer stop()
	began := time.Now()
	cmd := exec.CommandContext(ctx, "go", "tool", "task", "--force", "test:"+suite, "--", "-count=1", "-json")
	var out bytes.Buffer
	cmd.Env = outside(os.Environ())
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, log), log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	err = cmd.Run()
	r.seconds = time.Since(began).Seconds()
	r.read(&out)
	switch {
	case err == nil && r.passed == 0:
		return r, fmt.Errorf("%s ran no test: see %s", suite, r.log)
	case err != nil && len(r.failed) == 0:
		return r, errors.Join(fmt.Errorf("%s did not run: see %s", suite, r.log), err)
	case err == nil:
		return r, os.Remove(r.log)
	}
	return r, nil
}

// outside is the environment without what Taskfile.yml has set for this program: a task does not overwrite what it finds,
// and the race detector needs another value.
func outside(environment []string) []string {
	return slices.DeleteFunc(environment, func(variable string) bool {
		return strings.HasPrefix(variable, "CGO_ENABLED=") || strings.HasPrefix(variable, "GOFLAGS=")
	})
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// read counts the tests, and collects the failed ones with their last lines. A package that fails without a failed test,
// e.g. by a data race at its end, counts as a test with the package's name.
func (r *run) read(out io.Reader) {
	output, failedIn := map[string]string{}, map[string]bool{}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // what the task itself says
		}
		key := e.Package + "." + e.Test
		switch {
		case e.Action == "output":
			output[key] = lastBytes(output[key] + e.Output)
		case e.Action == "pass" && e.Test != "" && !strings.Contains(e.Test, "/"):
			r.passed++
		case e.Action == "fail" && e.Test != "":
			failedIn[e.Package] = true
			r.failed = append(r.failed, failedTest{e.Test, output[key]})
		case e.Action == "fail" && !failedIn[e.Package]:
			r.failed = append(r.failed, failedTest{e.Package, output[key]})
		}
	}
}

func lastBytes(text string) string { return text[max(0, len(text)-2000):] }

func commit(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	return strings.TrimSpace(string(out)), err
}

// keepBusy occupies that many processors until stop is called. It makes no pause: another program must compete for the
// processor.
func keepBusy(processors int) (stop func()) {
	var over atomic.Bool
	for range processors {
		go func() {
			for !over.Load() {
			}
		}()
	}
	return func() { over.Store(true) }
}
