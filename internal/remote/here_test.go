package remote_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// here returns this host, as a later process finds it again.
func here(t *testing.T, dir string) *remote.Host {
	t.Helper()
	host, err := remote.Here("this host", dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = host.Close() })
	return host
}

// waits returns a script that waits until the test removes a file, and records each of its starts.
func waits(dir string) string {
	return "echo begun >>" + dir + "/begun; echo waiting; while [ -e " + dir + "/wait ]; do sleep .02; done; echo over " +
		"with $(cat)"
}

func TestHere_findsACommandAgain(t *testing.T) {
	t.Setenv("A_SECRET_OF_THIS_PROCESS", "hunter2")
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "windlass")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wait"), nil, 0o600))
	cmd := remote.Command{ID: "found", Script: waits(dir), Stdin: []byte("a secret"), Mask: []string{"a secret"}}
	ctx, lose := context.WithCancelCause(t.Context())
	defer lose(nil)
	first := cmd
	first.Output = func(line string) {
		if line == "waiting" {
			lose(remote.ErrDetach)
		}
	}
	_, err := here(t, folder).Run(ctx, first)
	require.ErrorIs(t, err, remote.ErrDetach)
	require.True(t, lcm.Is(err, lcm.KindUnavailable))

	var racers sync.WaitGroup
	for range 2 {
		racers.Go(func() {
			second := cmd
			second.Output = func(string) { _ = os.Remove(filepath.Join(dir, "wait")) }
			result, err := here(t, folder).Run(t.Context(), second)
			assert.NoError(t, err)
			assert.Equal(t, "waiting\nover with ***\n", result.Output)
		})
	}
	racers.Wait()
	begun, err := os.ReadFile(filepath.Join(dir, "begun"))
	require.NoError(t, err)
	require.Equal(t, "begun\n", string(begun))

	host := here(t, folder)
	require.NoError(t, host.Settle(t.Context(), "found"))
	result, err := host.Run(t.Context(), cmd)
	require.NoError(t, err)
	require.Empty(t, result.Output, "of what has ended, its end is kept alone")
	result, err = host.Run(t.Context(), remote.Command{ID: "environment", Script: "env", Sudo: true})
	require.NoError(t, err)
	require.NotContains(t, result.Output, "hunter2")
}

// TestHere_killsWhenCancelled cancels many commands at the same time. Each script gets SIGTERM once, and has time to end.
func TestHere_killsWhenCancelled(t *testing.T) {
	t.Parallel()
	for i := range 16 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			ended := filepath.Join(t.TempDir(), "ended")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := here(t, filepath.Join(t.TempDir(), "windlass")).Run(ctx, remote.Command{
				ID: fmt.Sprintf("killed-%d", i), Output: func(string) { cancel() },
				Script: "n=0; trap 'n=$((n + 1))' TERM; echo waiting; while [ $n = 0 ]; do sleep .02; done; sleep .2\n" +
					"echo $n >" + ended,
			})
			require.ErrorIs(t, err, context.Canceled)
			signals, err := os.ReadFile(ended)
			require.NoError(t, err)
			require.Equal(t, "1\n", string(signals))
		})
	}
}

func TestHere_endsACommandThatTakesTooLong(t *testing.T) {
	_, err := here(t, filepath.Join(t.TempDir(), "windlass")).Run(t.Context(), remote.Command{
		ID: "slow", Script: "sleep 600", Deadline: time.Second,
	})
	require.ErrorIs(t, err, remote.ErrDeadline)
	require.Contains(t, err.Error(), "this host: the command did not end within 1s")
}

func TestHere_refusesAFolderOfOthers(t *testing.T) {
	parent := t.TempDir()
	for name, c := range map[string]struct {
		make func(path string) error
		says string
	}{
		"open":   {func(path string) error { return os.Mkdir(path, 0o755) }, "other users have access to it"},
		"a link": {func(path string) error { return os.Symlink(parent, path) }, "it is no folder"},
		"a file": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, "it is no folder"},
	} {
		path := filepath.Join(parent, strings.ReplaceAll(name, " ", "-"))
		require.NoError(t, c.make(path))
		_, err := remote.Here("this host", path)
		require.ErrorContains(t, err, c.says, name)
	}
}
