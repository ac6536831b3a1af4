package worker

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func ownForTest(t *testing.T) identity {
	t.Helper()
	own, ok := ownIdentity()
	if !ok {
		t.Skip("this system does not tell enough of its processes")
	}
	return own
}

func TestIdentity_ofALivingProcessIsNotGone(t *testing.T) {
	own := ownForTest(t)
	parsed, ok := parseIdentity(own.String())
	require.True(t, ok)
	require.Equal(t, own, parsed)
	require.False(t, parsed.gone(own))
}

func TestIdentity_ofAProcessThatHasEndedIsGone(t *testing.T) {
	own := ownForTest(t)
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	require.NoError(t, cmd.Start())
	other := own
	other.pid, other.start = cmd.Process.Pid, startOf(cmd.Process.Pid)
	require.NotEmpty(t, other.start)
	require.False(t, other.gone(own))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.True(t, other.gone(own))
}

func TestIdentity_knowsASuccessorWithTheSamePid(t *testing.T) {
	own := ownForTest(t)
	before := own
	before.start = "1"
	require.Equal(t, os.Getpid(), before.pid)
	require.True(t, before.gone(own))
}

func TestIdentity_judgesNobodyElsewhere(t *testing.T) {
	own := ownForTest(t)
	for _, elsewhere := range []identity{
		{boot: "another", pidns: own.pidns, pid: 1 << 22, start: "1"},
		{boot: own.boot, pidns: "another", pid: 1 << 22, start: "1"},
	} {
		require.False(t, elsewhere.gone(own))
	}
	for _, text := range []string{
		"", "4711@host@", "windlass-worker/a/b/c/d", "windlass-worker/a/b/0/1",
		"windlass-worker/a/b/1",
	} {
		_, ok := parseIdentity(text)
		require.False(t, ok, text)
	}
}
