package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// mark is the file that says that a directory belongs to the demo.
type mark struct {
	Cloud    string `json:"cloud"`
	Machines string `json:"machines,omitempty"` // of the lab
}

func (m mark) String() string { return strings.TrimSpace(m.Cloud + " " + m.Machines) }

func markFile(dir string) string { return filepath.Join(dir, "demo.json") }

func readMark(dir string) (mark, error) {
	var m mark
	b, err := os.ReadFile(markFile(dir))
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(b, &m)
	m.Cloud = cmp.Or(m.Cloud, inLab) // earlier versions had no other
	return m, err
}

// claim uses the directory, which must be empty or belong to the demo.
func (d *demo) claim() error {
	m, err := readMark(d.Dir)
	switch {
	case err == nil && m != d.cloud.mark:
		return fmt.Errorf("a demo with another cloud (%s) is in %s. End it first:\n  go tool task demo -- --exit%s", m, d.Dir,
			d.flags())
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
	b, err := json.Marshal(d.cloud.mark)
	if err != nil {
		return err
	}
	return os.WriteFile(markFile(d.Dir), b, 0o644)
}

// flags returns the flags with which another call finds this demo.
func (o options) flags() string {
	line := ""
	if o.cloud.mark.Cloud != inLab {
		line = " --cloud " + o.cloud.mark.Cloud
	}
	if o.Dir != defaultDir(o.cloud.mark.Cloud) {
		line += " --dir " + o.Dir
	}
	if o.kubespray {
		line += " --kubespray"
	}
	return line
}

// more returns the flags after the task's name.
func (o options) more() string {
	if line := o.flags(); line != "" {
		return " --" + line
	}
	return ""
}

// takeDown removes everything of the demo: processes, machines, networks and files. A cloud that does not belong to the
// demo stays.
func takeDown(ctx context.Context, o options) error {
	m, err := readMark(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(o.Out, "There is no demo in %s.\n", o.Dir)
		return nil
	}
	if err != nil {
		return err
	}
	o.machines = cmp.Or(m.Machines, o.machines)
	if o, err = o.in(m.Cloud); err != nil {
		return err
	}
	if o.cloud.root && os.Geteuid() != 0 {
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
		fmt.Fprintf(o.Out, "Windlass is stopped. The cloud and its machines go on; go tool task demo%s starts Windlass "+
			"again.\n", o.more())
		return nil
	}
	if o.cloud.leave != nil {
		if err := o.cloud.leave(ctx, &demo{options: o, env: env}); err != nil {
			return err
		}
	}
	fmt.Fprintln(o.Out, "Taking everything down ...")
	if err := env.Stop(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Nothing is left of the demo. %s\n", o.cloud.left)
	return nil
}
