package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Here is the host of this process as a Host. Commands on it outlive the process and can be found again, as commands on
// other machines outlive the SSH connection. dir, which nobody else can read, stores their state. name is the host's
// name for people.
//
// Commands run as the user of this process, without its environment. No command becomes root.
func Here(name, dir string) (*Host, error) {
	if err := ownFolder(dir); err != nil {
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "%s: the folder %s cannot be used for commands: %s", name, dir, err)
	}
	h := &Host{dialer: &Dialer{}, target: Target{Node: name}, turn: make(chan struct{}, 1), here: true}
	h.connect = func(context.Context) (connection, error) { return shell{dir}, nil }
	return h, nil
}

// ownFolder makes dir, and refuses a directory that another user may have written to.
func ownFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return errors.New("it is no folder")
	case !ok || int(owner.Uid) != os.Geteuid():
		return errors.New("it belongs to another user")
	case info.Mode().Perm()&0o077 != 0:
		return errors.New("other users have access to it; remove their rights (chmod 0700)")
	}
	return nil
}

// shell is a connection to the host of this process.
type shell struct{ dir string }

func (shell) alive() bool { return true }

func (shell) end() {}

// do implements connection.
func (s shell) do(ctx context.Context, c call) (exit, error) {
	return untilOver(ctx, c, func(c call, gate *gate) (exit, error) {
		// The end of this process, or of ctx, ends the call but not the command that it started.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", c.line)
		cmd.Dir = s.dir
		cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", "LANG=C.UTF-8"}
		// The call has its own process group, so that a terminal interrupts this process only.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = time.Second
		h := hear(c, gate, cancel)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.stdin), h.stdout, h.stderr
		if err := cmd.Start(); err != nil {
			return exit{}, fmt.Errorf("%w: %w", errCut, err)
		}
		return h.end(cmd.Wait())
	})
}
