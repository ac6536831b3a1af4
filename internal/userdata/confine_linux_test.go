//go:build linux && (amd64 || arm64)

package userdata

import (
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestRun_callsWithoutANameInPython makes calls by number, as an attacker does.
func TestRun_callsWithoutANameInPython(t *testing.T) {
	r := newRunner(t)
	for name, c := range map[string]struct {
		call int
		args string
		want string
	}{
		"to change modes":  {unix.SYS_FCHMODAT2, "-100, b'UserData/own.py', 0o777, 0", "EPERM"},
		"to signal":        {unix.SYS_FCNTL, "0, ctypes.c_long(8 + (1 << 32)), ctypes.c_long(1)", "EPERM"},
		"who has signals":  {unix.SYS_FCNTL, "0, 9, 0", "EPERM"},
		"to limit":         {unix.SYS_PRLIMIT64, "0, 7, ctypes.c_long(1 << 32), None", "EPERM"},
		"to read a limit":  {unix.SYS_PRLIMIT64, "0, 7, None, ctypes.create_string_buffer(16)", "0"},
		"another process":  {unix.SYS_CLONE, "17, 0, 0, 0, 0", "EPERM"},
		"by the new clone": {unix.SYS_CLONE3, "0, 0", "ENOSYS"},
		"what is to come":  {unix.SYS_FILE_SETATTR, "-100, b'UserData/own.py', 0, 0, 0", "ENOSYS"},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := r.body(t, "import ctypes, errno",
				fmt.Sprintf("done = ctypes.CDLL(None, use_errno=True).syscall(%d, %s)", c.call, c.args),
				"return {'said': errno.errorcode[ctypes.get_errno()] if done < 0 else str(done)}")
			require.NoError(t, err)
			require.Equal(t, map[string]any{"said": c.want}, made.Parameters)
		})
	}
}

// TestBound_theKernelSaysThatTheTimeIsOver reaches the kernel's limit. For a script that computes all the time this may
// come before the timer, and must be reported in the same way.
func TestBound_theKernelSaysThatTheTimeIsOver(t *testing.T) {
	t.Parallel()
	child := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read go; while :; do :; done")
	stdin, err := child.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	require.NoError(t, bound(child.Process.Pid, time.Second))
	_, err = stdin.Write([]byte("go\n"))
	require.NoError(t, err)
	err = child.Wait()
	require.True(t, overTime(err), "%v", err)
}
