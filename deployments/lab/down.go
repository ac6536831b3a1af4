package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/nspawn"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newDown() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "down",
		Short:   "Stop the lab, and remove its machines, networks, volumes and state",
		Example: "  windlass-lab down\n  windlass-lab down --state-dir /tmp/lab",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return down(cmd.Context(), dir, cmd.ErrOrStderr()) },
	}
	cmd.Flags().StringVar(&dir, "state-dir", defaultStateDir(), "`directory` with the state of the lab")
	return cmd
}

// down works on a lab that runs, was stopped or was killed. Without a lab it does nothing.
func down(ctx context.Context, dir string, out io.Writer) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	lab, err := readInfo(dir)
	if lcm.Is(err, lcm.KindNotFound) {
		return removeState(dir)
	}
	if err != nil {
		return err
	}
	lock, err := stop(ctx, dir, lab)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // the file is gone by then
	if lab.Machines == machinesNspawn {
		d, err := nspawn.New(nspawn.Options{StateDir: dir, Log: slog.New(slog.NewTextHandler(out, nil))})
		if err != nil {
			return err
		}
		if err := errors.Join(d.Recover(ctx), d.Down(ctx), d.Close()); err != nil {
			return err
		}
	}
	if lab.PasswordFile != filepath.Join(dir, passwordFile) {
		fmt.Fprintf(out, "The passwords in %s stay.\n", lab.PasswordFile)
	}
	return removeState(dir)
}

// stop ends a running lab and takes its lock, so that no other lab starts meanwhile.
func stop(ctx context.Context, dir string, lab info) (*os.File, error) {
	lock, err := takeStateDir(dir)
	if !lcm.Is(err, lcm.KindConflict) {
		return lock, err // it does not run
	}
	p, err := os.FindProcess(lab.PID)
	if err != nil || lab.PID == 0 {
		return nil, lcm.Errorf(lcm.KindConflict, "The lab in %s is just starting; try again.", dir)
	}
	// The lock proves that the process is the lab: the process that holds the lock has written its pid to lab.json.
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return nil, lcm.Wrap(lcm.KindDenied, err, "windlass-lab cannot stop the lab's process %d.", lab.PID)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	killer := time.NewTimer(30 * time.Second)
	defer killer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-killer.C:
			if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return nil, err
			}
		case <-tick.C:
			if lock, err := takeStateDir(dir); !lcm.Is(err, lcm.KindConflict) {
				return lock, err
			}
		}
	}
}

// removeState removes the lab's own files, and the directory when nothing else is in it.
func removeState(dir string) error {
	if err := refuseMounts(dir); err != nil {
		return err
	}
	for _, name := range []string{databaseFile, passwordFile, infoFile, lockFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, fakeDir)); err != nil {
		return err
	}
	_ = os.Remove(dir) // fails, without harm, when the directory has other files
	return nil
}

// refuseMounts refuses when a machine's mount is still below the directory.
func refuseMounts(dir string) error {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 4 && strings.HasPrefix(fields[4], dir+"/") {
			return lcm.Errorf(lcm.KindConflict, "%s is still mounted; run windlass-lab down again.", fields[4])
		}
	}
	return nil
}
