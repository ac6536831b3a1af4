package remotetest

import (
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

func putsFileOnce(t *testing.T, m Machine) {
	host := dial(t, m.Target())
	file := remote.File{
		Path: path.Join(m.TempDir(), "new dir", "it's.conf"), Mode: 0o640,
		Content: []byte("line\x00\xff\n"), Sudo: true,
	}
	require.NoError(t, host.Put(t.Context(), file))
	content, mode := m.ReadFile(file.Path)
	require.Equal(t, string(file.Content), content)
	require.Equal(t, uint32(0o640), mode)

	before := m.WriteCount(file.Path)
	require.NoError(t, host.Put(t.Context(), file))
	require.Equal(t, before, m.WriteCount(file.Path), "the same content is not written again")

	file.Mode = 0o600
	require.NoError(t, host.Put(t.Context(), file))
	file.Content = []byte("other")
	require.NoError(t, host.Put(t.Context(), file))
	content, mode = m.ReadFile(file.Path)
	require.Equal(t, "other", content)
	require.Equal(t, uint32(0o600), mode)
}

func getsFile(t *testing.T, m Machine) {
	host := dial(t, m.Target())
	name := path.Join(m.TempDir(), "file")
	require.NoError(t, host.Put(t.Context(), remote.File{Path: name, Mode: 0o600, Content: []byte("12345"), Sudo: true}))
	content, err := host.Get(t.Context(), name, 5)
	require.NoError(t, err)
	require.Equal(t, "12345", string(content))
	_, err = host.Get(t.Context(), name, 4)
	requireKind(t, lcm.KindInvalid, err)
	_, err = host.Get(t.Context(), name+".absent", 4)
	requireKind(t, lcm.KindNotFound, err)
}

func leavesNoSecret(t *testing.T, m Machine) {
	cmd := command(m, Behaviour{Hang: true})
	cmd.Stdin = []byte("the secret\n")
	done := background(t.Context(), dial(t, m.Target()), cmd)
	eventually(t, "it runs", func() bool { return m.Running(cmd.ID) > 0 })
	content, mode := m.ReadFile("/var/lib/windlass/run/" + cmd.ID + "/stdin")
	require.Empty(t, content)
	require.Zero(t, mode)
	m.Release(cmd.ID)
	require.NoError(t, await(t, done).err)
}
