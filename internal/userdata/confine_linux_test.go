package userdata

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The kernel and the clock race where a script computes all the time: that of the kernel is told as what it is, too.
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
