package remotetest

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func logsInWithKey(t *testing.T, m Machine) {
	target := m.Target()
	target.Password = ""
	cmd := command(m, Behaviour{Stdout: []string{"hello"}})
	cmd.Sudo = false // without a password sudo might refuse
	host := dial(t, target)
	result, err := host.Run(t.Context(), cmd)
	require.NoError(t, err)
	require.NoError(t, host.Forget(t.Context(), cmd.ID))
	require.Equal(t, "hello\n", result.Output)
}

func logsInWithPassword(t *testing.T, m Machine) {
	target := m.Target()
	if target.Password == "" {
		t.Skip("this machine has no password login")
	}
	target.PrivateKey = ""
	_, err := dial(t, target).Run(t.Context(), command(m, Behaviour{Stdout: []string{"hello"}}))
	require.NoError(t, err)
}

func refusesWrongCredentials(t *testing.T, m Machine) {
	target := m.Target()
	target.Password, target.PrivateKey = "certainly-wrong", ""
	_, err := Dialer().Dial(t.Context(), target)
	requireKind(t, lcm.KindDenied, err)
	require.NotContains(t, err.Error(), "certainly-wrong")
	require.Contains(t, err.Error(), target.Node)

	target.Password = ""
	target.PrivateKey, _ = Key(t)
	_, err = Dialer().Dial(t.Context(), target)
	requireKind(t, lcm.KindDenied, err)
}

func refusesChangedHostKey(t *testing.T, m Machine) {
	d := Dialer()
	target := m.Target()
	_, err := d.HostKeys.PinHostKey(t.Context(), target.ServerID, []byte("the key of another machine"))
	require.NoError(t, err)
	_, err = d.Dial(t.Context(), target)
	requireKind(t, lcm.KindDenied, err)
	require.Contains(t, err.Error(), "host key")
}

func pinsWithoutALogin(t *testing.T, m Machine) {
	d := Dialer()
	target := m.Target()
	target.User, target.Password, target.PrivateKey = "", "", ""
	for range 2 {
		require.NoError(t, d.Pin(t.Context(), target))
	}
	kept, err := d.HostKeys.PinHostKey(t.Context(), target.ServerID, []byte("the key of another machine"))
	require.NoError(t, err)
	require.NotEqual(t, "the key of another machine", string(kept))
	require.NoError(t, dial(t, m.Target()).Close())

	other := Dialer()
	_, err = other.HostKeys.PinHostKey(t.Context(), target.ServerID, []byte("the key of another machine"))
	require.NoError(t, err)
	requireKind(t, lcm.KindDenied, other.Pin(t.Context(), target))
	target.Address = "127.0.0.1:1"
	requireKind(t, lcm.KindUnavailable, d.Pin(t.Context(), target))
}

func reportsUnreachable(t *testing.T, m Machine) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	target := m.Target()
	target.Address = listener.Addr().String()
	d := Dialer()
	d.ConnectTimeout = 200 * time.Millisecond
	_, err = d.Dial(t.Context(), target) // accepts, but never answers
	requireKind(t, lcm.KindUnavailable, err)
	require.NoError(t, listener.Close())
	_, err = d.Dial(t.Context(), target) // refuses
	requireKind(t, lcm.KindUnavailable, err)
	require.Contains(t, err.Error(), target.Node)
}
