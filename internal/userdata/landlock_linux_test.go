//go:build linux && (amd64 || arm64)

package userdata

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onThread runs run on a new thread, which ends with it, because restrictions of a thread cannot be removed.
func onThread(run func() error) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread()
		ended <- run()
	}()
	return <-ended
}

// TestRestrictFiles_withoutLandlockIsAnError simulates kernels that do not have these calls.
func TestRestrictFiles_withoutLandlockIsAnError(t *testing.T) {
	for call, want := range map[string]string{
		"landlock_create_ruleset": "this kernel has no Landlock (Linux 5.13 and later",
		"landlock_add_rule":       "Landlock",
		"landlock_restrict_self":  "Landlock",
	} {
		err := onThread(func() error {
			none := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
				{Names: []string{call}, Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)},
			}}
			if err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Policy: none}); err != nil {
				return err
			}
			return restrictFiles("/usr/bin/python3", t.TempDir(), false)
		})
		require.ErrorContains(t, err, want, call)
		require.ErrorIs(t, err, unix.ENOSYS, call)
	}
}

// TestRestrictFiles_refusesWhatThisKernelKnows tries actions that the filter of calls would refuse as well.
func TestRestrictFiles_refusesWhatThisKernelKnows(t *testing.T) {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		t.Skip("This kernel has no Landlock: ", err)
	}
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	var listening net.ListenConfig
	abstract, err := listening.Listen(t.Context(), "unix", "@windlass-"+filepath.Base(filepath.Dir(dir)))
	require.NoError(t, err)
	defer abstract.Close()
	other := exec.CommandContext(t.Context(), "sleep", "60") // the parent process may belong to another user
	require.NoError(t, other.Start())
	defer func() { _, _ = other.Process.Kill(), other.Wait() }()
	for _, c := range []struct {
		since int
		what  string
		want  error
		try   func() error
	}{
		{1, "to read", unix.EACCES, func() error { _, err := os.ReadFile(outside); return err }},
		{4, "to listen", unix.EACCES, func() error {
			return onSocket(unix.AF_INET, func(s int) error { return unix.Bind(s, &unix.SockaddrInet4{}) })
		}},
		{6, "to signal", unix.EPERM, func() error { return unix.Kill(other.Process.Pid, 0) }},
		{6, "an abstract socket", unix.EPERM, func() error {
			return onSocket(unix.AF_UNIX, func(s int) error {
				return unix.Connect(s, &unix.SockaddrUnix{Name: abstract.Addr().String()})
			})
		}},
	} {
		if version < c.since {
			continue
		}
		require.NoError(t, onThread(c.try), "%s: there is nothing to refuse", c.what)
		err := onThread(func() error {
			err := errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), restrictFiles("/usr/bin/python3", dir, false))
			if err != nil {
				return err
			}
			return c.try()
		})
		require.ErrorIs(t, err, c.want, c.what)
	}
}

func onSocket(family int, try func(socket int) error) error {
	s, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(s) }()
	return try(s)
}
