package postgres

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// prepare makes the directory, the password and the cluster, as far as they are absent.
func (s *Server) prepare(ctx context.Context) error {
	if err := s.makeDir(ctx); err != nil {
		return err
	}
	if err := s.loadPassword(); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The password of PostgreSQL in %s cannot be kept.", s.opts.Dir)
	}
	if err := s.awaitFormerServer(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.opts.Dir, "data", "PG_VERSION")); err == nil {
		return nil
	}
	args := []string{
		"-D", "data", "-U", superuser, "-A", "scram-sha-256", "--pwfile", "password",
		"-E", "UTF8", "--locale=C.UTF-8", "--no-instructions",
	}
	if s.opts.Volatile {
		args = append(args, "--no-sync")
	}
	if out, err := s.command(ctx, "initdb", args...).CombinedOutput(); err != nil {
		// The next start would take a half-made cluster for a complete one.
		_ = os.RemoveAll(filepath.Join(s.opts.Dir, "data"))
		return lcm.Wrap(lcm.KindBroken, err, "initdb could not make a cluster in %s: %s", s.opts.Dir, bytes.TrimSpace(out))
	}
	return nil
}

func (s *Server) makeDir(ctx context.Context) error {
	dir := s.opts.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The directory %s for PostgreSQL cannot be made.", dir)
	}
	if err := os.Chown(dir, s.account.uid, s.account.gid); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The directory %s cannot be given to the account %s.", dir, s.account.name)
	}
	test := exec.CommandContext(ctx, "test", "-w", dir)
	test.SysProcAttr = s.account.attr()
	if err := test.Run(); err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "PostgreSQL runs as the account %s, which cannot reach %s; choose a directory "+
			"whose parents all users may enter.", s.account.name, dir)
	}
	return nil
}

func (s *Server) loadPassword() error {
	file := filepath.Join(s.opts.Dir, "password")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		b = []byte(newPassword())
		if err = os.WriteFile(file, b, 0o600); err == nil {
			err = os.Chown(file, s.account.uid, s.account.gid)
		}
	}
	s.password = strings.TrimSpace(string(b))
	return err
}

// awaitFormerServer waits for a former server that still shuts down because its parent was killed a moment ago.
func (s *Server) awaitFormerServer(ctx context.Context) error {
	deadline, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		pid := s.formerServer()
		if pid == 0 {
			return nil
		}
		select {
		case <-deadline.Done():
			return lcm.Errorf(lcm.KindConflict, "Another PostgreSQL, process %d, uses %s; end it or choose another directory.",
				pid, s.opts.Dir)
		case <-again.C:
		}
	}
}

// formerServer is the process that postmaster.pid names, 0 when it is not a running PostgreSQL.
func (s *Server) formerServer() int {
	b, err := os.ReadFile(filepath.Join(s.opts.Dir, "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0
	}
	// The number may have been given to another program since.
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil || !strings.HasPrefix(string(name), "postgres") {
		return 0
	}
	return pid
}

func (s *Server) run() error {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The log %s of PostgreSQL cannot be written.", s.logFile())
	}
	defer log.Close()
	args := []string{"-D", "data", "-p", strconv.Itoa(s.port), "-h", "127.0.0.1", "-k", ""}
	settings := s.opts.Settings
	if s.opts.Volatile {
		settings = append([]string{"fsync=off", "synchronous_commit=off", "full_page_writes=off"}, settings...)
	}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	//nolint:contextcheck // the server outlives the context of its start; Stop ends it
	cmd := s.command(context.Background(), "postgres", args...)
	cmd.Stdout, cmd.Stderr = log, log

	started := make(chan error)
	go func() {
		// Pdeathsig is sent when the thread that forked ends, not when the process does: this thread
		// stays until the server has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			s.endErr = cmd.Wait()
			close(s.ended)
		}
	}()
	if err := <-started; err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "PostgreSQL in %s cannot be started.", s.opts.Bin)
	}
	s.process = cmd.Process
	return nil
}

func (s *Server) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.opts.Bin, name), args...)
	cmd.SysProcAttr = s.account.attr()
	cmd.Dir = s.opts.Dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=" + s.opts.Dir}
	return cmd
}
