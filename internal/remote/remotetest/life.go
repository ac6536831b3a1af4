package remotetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

func doesNotRepeatSuccess(t *testing.T, m Machine) {
	host, cmd := dial(t, m.Target()), command(m, Behaviour{Stdout: []string{"done"}})
	for range 2 {
		result, err := host.Run(t.Context(), cmd)
		require.NoError(t, err)
		require.Equal(t, "done\n", result.Output)
	}
	require.Equal(t, 1, m.Started(cmd.ID))
}

func repeatsFailureAfresh(t *testing.T, m Machine) {
	host, cmd := dial(t, m.Target()), command(m, Behaviour{Exit: 1})
	for range 2 {
		_, err := host.Run(t.Context(), cmd)
		requireKind(t, lcm.KindBroken, err)
	}
	require.Equal(t, 2, m.Started(cmd.ID))
}

func killsAtDeadline(t *testing.T, m Machine) {
	cmd := command(m, Behaviour{Hang: true, Stdout: []string{"before"}})
	cmd.Deadline = 3 * time.Second
	result, err := dial(t, m.Target()).Run(t.Context(), cmd)
	requireKind(t, lcm.KindBroken, err)
	require.ErrorIs(t, err, remote.ErrDeadline)
	require.Contains(t, err.Error(), "did not end within 3s")
	// A shell may still say that its child was terminated before it is killed itself.
	require.True(t, strings.HasPrefix(result.Output, "before\n"), result.Output)
	require.Zero(t, m.Running(cmd.ID), "nothing that it started is left, also not in other sessions")
}

func killsWhenCancelled(t *testing.T, m Machine) {
	ctx, cancel := context.WithCancel(t.Context())
	host, cmd := dial(t, m.Target()), command(m, Behaviour{Hang: true})
	done := background(ctx, host, cmd)
	eventually(t, "it runs", func() bool { return m.Running(cmd.ID) > 0 })
	cancel()
	require.Equal(t, context.Canceled, await(t, done).err)
	require.Zero(t, m.Running(cmd.ID))

	// A killed command has no result: the same command can run again.
	done = background(t.Context(), host, cmd)
	eventually(t, "it runs again", func() bool { return m.Started(cmd.ID) == 2 })
	m.Release(cmd.ID)
	require.NoError(t, await(t, done).err)
}

func goesOnWhenDetached(t *testing.T, m Machine) {
	ctx, cancel := context.WithCancelCause(t.Context())
	host, cmd := dial(t, m.Target()), command(m, Behaviour{Stdout: []string{"one"}, Hang: true})
	done := background(ctx, host, cmd)
	eventually(t, "it runs", func() bool { return m.Running(cmd.ID) > 0 })
	cancel(remote.ErrDetach)
	o := await(t, done)
	requireKind(t, lcm.KindUnavailable, o.err)
	require.ErrorIs(t, o.err, remote.ErrDetach)
	require.Positive(t, m.Running(cmd.ID))

	done = background(t.Context(), dial(t, m.Target()), cmd)
	m.Release(cmd.ID)
	o = await(t, done)
	require.NoError(t, o.err)
	require.Equal(t, "one\n", o.Output)
	require.Equal(t, 1, m.Started(cmd.ID))
}

func goesOnAfterCut(t *testing.T, m Machine) {
	target := m.Target()
	proxy := NewProxy(t, target.Address)
	target.Address = proxy.Address()
	cmd := command(m, Behaviour{Stdout: []string{"one", "two"}, Hang: true})
	seen := make(chan string, 100)
	cmd.Output = func(line string) { seen <- line }
	done := background(t.Context(), dial(t, target), cmd)
	for range 3 {
		eventually(t, "it runs", func() bool { return m.Running(cmd.ID) > 0 })
		before := proxy.Accepted()
		proxy.Cut()
		eventually(t, "it connects again", func() bool { return proxy.Accepted() > before })
	}
	m.Release(cmd.ID)
	o := await(t, done)
	require.NoError(t, o.err)
	require.Equal(t, 1, m.Started(cmd.ID))
	require.Equal(t, "one\ntwo\n", o.Output, "no line is lost or doubled")
	require.Len(t, seen, 2)
}

func noticesSilentPeer(t *testing.T, m Machine) {
	target := m.Target()
	proxy := NewProxy(t, target.Address)
	target.Address = proxy.Address()
	d := Dialer()
	d.GiveUp, d.ConnectTimeout = 5*time.Second, 5*time.Second
	cmd := command(m, Behaviour{Hang: true})
	done := background(t.Context(), dialWith(t, d, target), cmd)
	eventually(t, "it runs", func() bool { return m.Running(cmd.ID) > 0 })
	proxy.Freeze()
	requireKind(t, lcm.KindUnavailable, await(t, done).err)

	// The command was not killed, so the next caller finds it.
	require.Positive(t, m.Running(cmd.ID))
	done = background(t.Context(), dial(t, m.Target()), cmd)
	m.Release(cmd.ID)
	require.NoError(t, await(t, done).err)
	require.Equal(t, 1, m.Started(cmd.ID))
}

func isFoundBySecondCaller(t *testing.T, m Machine) {
	cmd := command(m, Behaviour{Stdout: []string{"one"}, Hang: true})
	first := background(t.Context(), dial(t, m.Target()), cmd)
	eventually(t, "it runs", func() bool { return m.Running(cmd.ID) > 0 })
	second := background(t.Context(), dial(t, m.Target()), cmd)
	m.Release(cmd.ID)
	for _, done := range []<-chan outcome{first, second} {
		o := await(t, done)
		require.NoError(t, o.err)
		require.Equal(t, "one\n", o.Output)
	}
	require.Equal(t, 1, m.Started(cmd.ID))
}

func startsOnceForRacers(t *testing.T, m Machine) {
	cmd := command(m, Behaviour{Stdout: []string{"one"}})
	host, other := dial(t, m.Target()), dial(t, m.Target())
	var all []<-chan outcome
	for range 3 {
		all = append(all, background(t.Context(), host, cmd), background(t.Context(), other, cmd))
	}
	for _, done := range all {
		o := await(t, done)
		require.NoError(t, o.err)
		require.Equal(t, "one\n", o.Output)
	}
	require.Equal(t, 1, m.Started(cmd.ID))
}

func startsAgainAfterReboot(t *testing.T, m Machine) {
	cmd := command(m, Behaviour{Hang: true})
	done := background(t.Context(), dial(t, m.Target()), cmd)
	eventually(t, "it runs", func() bool { return m.Running(cmd.ID) > 0 })
	m.Reboot()
	eventually(t, "it runs again", func() bool { return m.Started(cmd.ID) == 2 || len(done) > 0 })
	m.Release(cmd.ID)
	o := await(t, done)
	require.NoError(t, o.err)
	require.Equal(t, 2, m.Started(cmd.ID))
	require.Contains(t, o.Output, "lost the command")
}

func settles(t *testing.T, m Machine) {
	host, cmd := dial(t, m.Target()), command(m, Behaviour{Stdout: []string{"a secret"}})
	require.NoError(t, host.Settle(t.Context(), cmd.ID), "there is none yet")
	first, err := host.Run(t.Context(), cmd)
	require.NoError(t, err)
	require.Contains(t, first.Output, "a secret")
	for range 2 {
		require.NoError(t, host.Settle(t.Context(), cmd.ID))
		again, err := host.Run(t.Context(), cmd)
		require.NoError(t, err)
		require.Empty(t, again.Output)
		require.Empty(t, again.Stdout)
	}
	require.Equal(t, 1, m.Started(cmd.ID))
}

func forgets(t *testing.T, m Machine) {
	host, cmd := dial(t, m.Target()), command(m, Behaviour{})
	_, err := host.Run(t.Context(), cmd)
	require.NoError(t, err)
	require.NoError(t, host.Forget(t.Context(), cmd.ID))
	require.NoError(t, host.Forget(t.Context(), cmd.ID))
	_, err = host.Run(t.Context(), cmd)
	require.NoError(t, err)
	require.Equal(t, 2, m.Started(cmd.ID))
}
