// Package gobuild compiles Go programs by the go command, and counts the packages meanwhile.
package gobuild

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Program is a main package, and the file that it is compiled into.
type Program struct{ Package, File string }

// Lane is the lane of jobs that compile: Go compiles a package twice if two builds begin it at the same time.
const Lane = "go build"

// Build is a call of go build.
type Build struct {
	// Dir is the directory of the module.
	Dir string
	// LinkerFlags is the value of -ldflags.
	LinkerFlags string
	// Plain are patterns of packages that are compiled without inlining, which takes a third less time. Their code is a
	// little slower.
	Plain []string
	// Programs are compiled at once, so that one is linked while another one is compiled.
	Programs []Program
}

// Values of LinkerFlags.
const (
	NoDebugger = "-w"    // what debuggers read takes as long to link as all else
	Stripped   = "-s -w" // without symbols, too
)

// environment is that of Taskfile.yml, also where no task runs: Go compiles a package once for all programs that use the
// same version of it in the same way.
func environment() []string { return append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off") }

// Fetch downloads the modules that the programs need, and returns how many packages they are made of. It calls now with
// the count of downloaded modules.
func (b Build) Fetch(ctx context.Context, now func(format string, args ...any)) (packages int, err error) {
	fetched := 0
	args := []string{"list", "-deps", "-f", "{{.ImportPath}}"}
	out, err := b.run(ctx, args, b.packages(), func(line string) {
		if strings.HasPrefix(line, "go: downloading ") {
			fetched++
			now("%d modules", fetched)
		}
	})
	return bytes.Count(out, []byte("\n")), err
}

// Compile compiles the programs. It calls now with the count of compiled packages; packages is their number, or 0.
func (b Build) Compile(ctx context.Context, packages int, now func(format string, args ...any)) error {
	compiled := 0
	args := []string{"build", "-v", "-buildvcs=false", "-ldflags", b.LinkerFlags}
	for _, pattern := range b.Plain {
		args = append(args, "-gcflags", pattern+"=-l")
	}
	count := func(line string) {
		if strings.HasPrefix(line, "go: ") {
			return
		}
		if compiled++; packages > 0 {
			now("%d of at most %d packages", compiled, packages)
		}
	}
	for _, group := range b.groups() {
		if _, err := b.run(ctx, append(args, "-o", group.target), group.packages, count); err != nil {
			return err
		}
	}
	return nil
}

// packages returns the packages of all programs.
func (b Build) packages() (list []string) {
	for _, p := range b.Programs {
		list = append(list, p.Package)
	}
	return list
}

// run runs the go command at low priority: builds must not take the machine from those who work on it. It gives each
// line of the standard error to each, and returns the standard output.
func (b Build) run(ctx context.Context, args, packages []string, each func(line string)) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "nice", slices.Concat([]string{"-n", "10", "go"}, args, packages)...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout = b.Dir, environment(), &out
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start go: %w", err)
	}
	last := follow(pipe, each)
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go %s %s: %w: %s", args[0], strings.Join(packages, " "), err, strings.Join(last, "\n"))
	}
	return out.Bytes(), nil
}

// follow gives each line to each, and returns the last ones.
func follow(from io.Reader, each func(line string)) (last []string) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		each(lines.Text())
		last = append(last, lines.Text())
		last = last[max(0, len(last)-20):]
	}
	_, _ = io.Copy(io.Discard, from) // after a line that is too long
	return last
}
