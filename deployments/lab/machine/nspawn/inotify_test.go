package nspawn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// fakeInotify is a host with this limit, on which one process has so many inotify instances, and other descriptors.
func fakeInotify(t *testing.T, limit, used int) inotify {
	t.Helper()
	n := inotify{limitFile: filepath.Join(t.TempDir(), "max_user_instances"), proc: t.TempDir()}
	require.NoError(t, os.WriteFile(n.limitFile, fmt.Appendln(nil, limit), 0o644))
	fds := filepath.Join(n.proc, "4711", "fd")
	require.NoError(t, os.MkdirAll(fds, 0o755))
	require.NoError(t, os.Symlink("/dev/null", filepath.Join(fds, "0")))
	for fd := range used {
		require.NoError(t, os.Symlink("anon_inode:inotify", filepath.Join(fds, fmt.Sprint(fd+3))))
	}
	return n
}

func TestInotify_raisesALimitThatIsTooLow(t *testing.T) {
	n := fakeInotify(t, 128, 0)
	assert.Equal(t, 128, n.raise())
	content, err := os.ReadFile(n.limitFile)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(inotifyWanted), strings.TrimSpace(string(content)))
	assert.Zero(t, n.raise(), "the second time, nothing changes")
}

func TestInotify_refusesAMachineThatHasNoRoom(t *testing.T) {
	require.NoError(t, fakeInotify(t, 128, 128-inotifyOfMachine).ensure("cp-1"))
	err := fakeInotify(t, 128, 128-inotifyOfMachine+1).ensure("cp-1")
	assert.True(t, lcm.Is(err, lcm.KindExhausted))
	assert.ErrorContains(t, err, "Machine cp-1 cannot start")
	assert.ErrorContains(t, err, "104 are in use")
	assert.ErrorContains(t, err, "sysctl -w fs.inotify.max_user_instances=8192")
	require.NoError(t, fakeInotify(t, inotifyWanted, 4000).ensure("cp-1"))
}

func TestInotify_ofThisHostCanBeRead(t *testing.T) {
	limit, err := hostInotify().limit()
	require.NoError(t, err)
	assert.Positive(t, limit)
	assert.GreaterOrEqual(t, hostInotify().used(), 0)
}
