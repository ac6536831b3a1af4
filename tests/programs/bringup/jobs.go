package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/internal/gobuild"
	"github.com/windlass-nfv/windlass/internal/jobs"
)

// program is one of Windlass's own programs.
type program struct {
	file, dir, pkg, flags string
}

// programs in the order in which they are compiled. Kubernetes comes before them: the last steps of the image need one
// processor only, so that the other one compiles these.
var programs = []program{
	{file: "bin/windlass-temporal", dir: "deployments/dev/temporal", pkg: ".", flags: gobuild.Stripped},
	{file: "bin/windlass", dir: ".", pkg: "./cmd/windlass", flags: gobuild.NoDebugger},
	{file: "bin/windlass-lab", dir: "deployments/lab", pkg: ".", flags: gobuild.NoDebugger},
	{file: ".build/demo", dir: "tests", pkg: "./programs/demo", flags: gobuild.NoDebugger},
}

// jobs lists the jobs in their order.
func (w wanted) jobs(root string) (list []*jobs.Job, err error) {
	host := &jobs.Job{Title: "Debian packages", Run: w.installPackages(root)}
	if w.host {
		list = append(list, host)
	}
	if w.image {
		of, err := image.Jobs(image.Options{Dir: image.DefaultDir, Source: root, After: host})
		if err != nil {
			return nil, err
		}
		list = append(list, of...)
	}
	for _, p := range programs {
		if w.programs == nil || slices.Contains(w.programs, filepath.Base(p.file)) {
			list = append(list, p.jobs(root)...)
		}
	}
	return list, nil
}

// installPackages runs tools/prerequisites.sh, which does nothing if nothing is missing. Its last lines say what to do
// if it cannot install something.
func (w wanted) installPackages(root string) func(context.Context, jobs.Now) error {
	return func(ctx context.Context, _ jobs.Now) error {
		script := filepath.Join(root, "tools/prerequisites.sh")
		cmd := exec.CommandContext(ctx, script, append([]string{"demo"}, w.args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return errors.Join(errors.New(string(bytes.TrimSpace(out))), ctx.Err())
		}
		return nil
	}
}

// jobs fetches and compiles the program. The first job only serves to count packages, so that it is left out if the
// program was built before.
func (p program) jobs(root string) []*jobs.Job {
	file := filepath.Join(root, p.file)
	build := gobuild.Build{
		Dir: filepath.Join(root, p.dir), LinkerFlags: p.flags,
		Programs: []gobuild.Program{{Package: p.pkg, File: file}},
	}
	packages := 0
	compile := &jobs.Job{
		Title: filepath.Base(p.file), Lane: gobuild.Lane,
		Run: func(ctx context.Context, now jobs.Now) error {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			return build.Compile(ctx, packages, now)
		},
	}
	if _, err := os.Stat(file); err == nil {
		return []*jobs.Job{compile}
	}
	fetch := &jobs.Job{Title: "sources of " + compile.Title, Run: func(ctx context.Context, now jobs.Now) (err error) {
		packages, err = build.Fetch(ctx, now)
		return err
	}}
	compile.After = []*jobs.Job{fetch}
	return []*jobs.Job{fetch, compile}
}
