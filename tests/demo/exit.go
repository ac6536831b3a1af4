package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/windlass-nfv/windlass/tests/environment"
)

// mark is the file by which the demo knows a directory as its own.
type mark struct {
	Machines string `json:"machines"`
}

func markFile(dir string) string { return filepath.Join(dir, "demo.json") }

func readMark(dir string) (mark, error) {
	var m mark
	b, err := os.ReadFile(markFile(dir))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}

// claim takes the directory, which must be empty or the demo's own.
func (d *demo) claim() error {
	m, err := readMark(d.Dir)
	switch {
	case err == nil && m.Machines != d.Machines:
		return fmt.Errorf("a demo with %s machines is in %s. End it first:\n  go tool task demo -- --exit%s", m.Machines, d.Dir, d.dirFlag())
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read %s: %w", markFile(d.Dir), err)
	}
	if entries, err := os.ReadDir(d.Dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s holds files that are not the demo's; choose another --dir", d.Dir)
	}
	if err := os.MkdirAll(d.Dir, 0o755); err != nil {
		return err
	}
	b, err := json.Marshal(mark{Machines: d.Machines})
	if err != nil {
		return err
	}
	return os.WriteFile(markFile(d.Dir), b, 0o644)
}

func (o options) dirFlag() string {
	if o.Dir == defaultDir() {
		return ""
	}
	return " --dir " + o.Dir
}

// takeDown leaves nothing of the demo: no process, no machine, no network, no file.
func takeDown(ctx context.Context, o options) error {
	m, err := readMark(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(o.Out, "There is no demo in %s.\n", o.Dir)
		return nil
	}
	if err != nil {
		return err
	}
	o.Machines = m.Machines
	if o.Machines == nspawn && os.Geteuid() != 0 {
		return errors.New("the machines of the demo can be removed by root only")
	}
	env, err := environment.At(o.Options)
	if err != nil {
		return err
	}
	if o.keepLab {
		if err := env.StopDev(); err != nil {
			return err
		}
		fmt.Fprintf(o.Out, "Windlass is stopped. The lab and its machines go on; go tool task demo%s starts Windlass again.\n", o.dirFlag())
		return nil
	}
	fmt.Fprintln(o.Out, "Stopping Windlass and taking the lab down ...")
	if err := env.Stop(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Nothing is left of the demo. %s\n", keptImage(o.Machines))
	return nil
}

func keptImage(machines string) string {
	if machines == fake {
		return ""
	}
	return "The image of its machines is kept in " + imageDir + " for the next time."
}
